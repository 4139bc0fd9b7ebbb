/** Resources that are neither text nor images the model sees: they are saved to a file, and the model gets its path. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"

/** Saves bytes beside the session's log, and returns the path. */
export type SaveFile = (name: string, bytes: Uint8Array) => Promise<Result<string, string>>

/** The same blocks, with a line in place of each resource that was saved. Whatever cannot be saved stays. */
export function withSavedFiles(
  blocks: readonly JsonValue[],
  callId: string,
  save: SaveFile | undefined,
): Promise<readonly JsonValue[]> {
  return Promise.all(
    blocks.map(async (block, index) => {
      const resource =
        isObject(block) && block.type === "resource" && isObject(block.resource) ? block.resource : undefined
      return (resource && save && (await saved(resource, `${callId}-${index + 1}`, save))) ?? block
    }),
  )
}

async function saved(
  { uri, blob, mimeType }: JsonObject,
  name: string,
  save: SaveFile,
): Promise<JsonObject | undefined> {
  if (typeof blob !== "string" || blob === "") return undefined
  const kind = typeof mimeType === "string" ? mimeType : ""
  if (kind.startsWith("image/")) return undefined
  const bytes = Buffer.from(blob, "base64")
  const kept = await save(`${name}.${extensions[kind.split(";")[0] ?? ""] ?? "bin"}`, bytes)
  if (!kept.ok) return undefined
  const what = `${kind === "" ? "bytes" : kind}, ${bytes.length} bytes`
  return { type: "text", text: `[${typeof uri === "string" ? uri : "A resource"}: ${what}, saved to ${kept.value}]` }
}

const extensions: { readonly [kind: string]: string } = {
  "application/gzip": "gz",
  "application/json": "json",
  "application/pdf": "pdf",
  "application/zip": "zip",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "text/csv": "csv",
  "text/html": "html",
  "text/plain": "txt",
  "video/mp4": "mp4",
}
