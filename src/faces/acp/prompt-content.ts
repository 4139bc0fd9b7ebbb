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
  const typed = blocks.flatMap((block) => typedText(block) ?? []).join("")
  const attached = blocks.flatMap(attachedBlocks)
  return {
    content: [...(typed.trim() === "" ? [] : [{ type: "text", text: typed } as const]), ...attached],
    ...(attached.some(({ type }) => type === "text") && { origin: { kind: "piped", words: typed } }),
  }
}

/** Editors split one line of the user around the files it mentions. */
function typedText(block: ContentBlock): string | undefined {
  if (block.type === "text") return block.text
  if (block.type === "resource_link") return mention(block.uri)
  // Its content follows the text; here it is only named.
  return block.type === "text_resource" || block.type === "blob_resource" ? nameOf(block.uri) : undefined
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
