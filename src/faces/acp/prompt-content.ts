/** What the editor sends with a prompt, as blocks of a prompt. Only what was typed can name commands and files. */

import { fileURLToPath } from "node:url"
import type { PromptBlock } from "#agent/words/message.ts"
import type { PromptOrigin } from "#agent/words/origin.ts"
import type { ContentBlock } from "./params.ts"

export interface PromptContent {
  readonly content: readonly PromptBlock[]
  /** Absent if everything was typed. */
  readonly origin?: PromptOrigin
}

export function promptContent(blocks: readonly ContentBlock[]): PromptContent {
  const typed = oneLine(blocks.flatMap((block) => typedPart(block) ?? []))
  const attached = blocks.flatMap(attachedBlocks)
  return {
    content: [...(typed.trim() === "" ? [] : [{ type: "text", text: typed } as const]), ...attached],
    ...(attached.some(({ type }) => type === "text") && { origin: { kind: "piped", words: typed } }),
  }
}

interface TypedPart {
  readonly text: string
  /** Whether it names a file or resource. */
  readonly isName: boolean
}

/** Editors split one line of the user around the files it mentions; others put them after it, without a space. */
const oneLine = (parts: readonly TypedPart[]): string =>
  parts.reduce((line, { text, isName }, at) => {
    const isBeside = (isName || parts[at - 1]?.isName === true) && /\S$/.test(line) && !/^[\s.,;:!?)]/.test(text)
    return `${line}${isBeside ? " " : ""}${text}`
  }, "")

function typedPart(block: ContentBlock): TypedPart | undefined {
  if (block.type === "text") return { text: block.text, isName: false }
  if (block.type === "resource_link") return { text: mention(block.uri), isName: true }
  // Its content follows the text; here it is only named.
  const isResource = block.type === "text_resource" || block.type === "blob_resource"
  return isResource ? { text: nameOf(block.uri), isName: true } : undefined
}

function attachedBlocks(block: ContentBlock): readonly PromptBlock[] {
  switch (block.type) {
    case "image":
      return [media(block.mimeType, block.data)]
    case "text_resource":
      return [{ type: "text", text: `<file path="${nameOf(block.uri)}">\n${block.text}\n</file>` }]
    case "blob_resource":
      return block.mimeType.startsWith("image/") || block.mimeType === "application/pdf"
        ? [media(block.mimeType, block.blob)]
        : [{ type: "text", text: `(${nameOf(block.uri)} is ${block.mimeType} and cannot be shown.)` }]
    default:
      return []
  }
}

const media = (media_type: string, data: string): PromptBlock => ({
  type: media_type === "application/pdf" ? "document" : "image",
  source: { type: "base64", media_type, data },
})

/** A file of this machine is read when the prompt is sent; anything else is only named. */
function mention(uri: string): string {
  const path = pathOf(uri)
  if (path === undefined) return uri
  return /\s/.test(path) ? `@"${path}"` : `@${path}`
}

const nameOf = (uri: string): string => pathOf(uri) ?? uri

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file://")) return uri.startsWith("/") ? uri : undefined
  try {
    return fileURLToPath(uri.replace(/[#?].*$/, ""))
  } catch {
    return undefined
  }
}
