/** Pictures and text files that go with a prompt: which are taken, and how they are sent. */

import { imageTypes } from "#fleet/ops.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export type Attachment =
  | { readonly kind: "image"; readonly name: string; readonly mediaType: ImageType; readonly data: string }
  | { readonly kind: "text"; readonly name: string; readonly text: string }

type ImageType = (typeof imageTypes)[number]

export const mostAttached = 8
const [mostImageBytes, mostTextBytes] = [3_500_000, 100_000]

/** The failure is a sentence about the file. */
export async function attachmentOf(file: File): Promise<Result<Attachment, string>> {
  const name = file.name === "" ? "pasted" : file.name
  const mediaType = imageTypes.find((each) => each === file.type)
  if (mediaType) {
    if (file.size > mostImageBytes) return failed(`${name} is larger than 3.5 MB.`)
    return ok({ kind: "image", name, mediaType, data: base64(new Uint8Array(await file.arrayBuffer())) })
  }
  if (file.type.startsWith("image/")) return failed(`${name} is not a PNG, JPEG, GIF or WebP picture.`)
  if (file.size > mostTextBytes)
    return failed(`${name} is larger than 100 kB. Put it into the repository and name it in the task.`)
  const text = decoded(new Uint8Array(await file.arrayBuffer()))
  return text === undefined ? failed(`${name} is not a text file.`) : ok({ kind: "text", name, text })
}

/** Undefined if it is no text. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

function base64(bytes: Uint8Array): string {
  let text = ""
  // In pieces: so many arguments are too many for a call.
  for (let at = 0; at < bytes.length; at += 30_000) text += String.fromCharCode(...bytes.subarray(at, at + 30_000))
  return btoa(text)
}

/** Text files become part of the prompt, with a fence that nothing in them closes. */
export function attachedIn(prompt: string, attached: readonly Attachment[]): JsonObject {
  const texts = attached.flatMap((each) => (each.kind === "text" ? [`${each.name}:\n${fenced(each.text)}`] : []))
  const images = attached.flatMap((each) =>
    each.kind === "image" ? [{ mediaType: each.mediaType, data: each.data }] : [],
  )
  return { prompt: [prompt, ...texts].join("\n\n"), ...(images.length > 0 && { images }) }
}

function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text.replace(/\n$/, "")}\n${fence}`
}
