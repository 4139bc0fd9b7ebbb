/** Results of tools as the content of a result of the protocol. */

import type { ResultContent } from "#agent/words/message.ts"
import type { JsonObject } from "#lib/json.ts"

export const textContent = (text: string): JsonObject => ({ type: "text", text })

export function contentOf(content: ResultContent): readonly JsonObject[] {
  if (typeof content === "string") return [textContent(content)]
  return content.map((block): JsonObject => {
    switch (block.type) {
      case "text":
        return textContent(block.text)
      case "image":
        return block.source.type === "base64"
          ? { type: "image", data: block.source.data, mimeType: block.source.media_type }
          : textContent(block.source.url)
      case "document":
        return block.source.type === "base64"
          ? {
              type: "resource",
              resource: {
                uri: `document:${encodeURIComponent(block.title ?? "document")}`,
                mimeType: block.source.media_type,
                blob: block.source.data,
              },
            }
          : textContent(block.source.url)
      case "tool_reference":
        return textContent(block.tool_name)
    }
  })
}

export const errorResult = (text: string): JsonObject => ({ content: [textContent(text)], isError: true })
