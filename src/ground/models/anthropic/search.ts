/** Decodes the provider's own searches: pages, errors, and which page a sentence cites. */

import type { FoundPage } from "#agent/words/model.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** Undefined when the block is of another kind. Results without a web address are left out. */
export function searchResultIn(block: JsonObject): AnswerEvent | undefined {
  const { type, content } = block
  if (type !== "web_search_tool_result") return undefined
  if (Array.isArray(content)) {
    const items: readonly JsonValue[] = content
    return { type: "search_result", pages: items.flatMap(pageIn) }
  }
  const code = isObject(content) ? content.error_code : undefined
  return { type: "search_result", pages: [], error: typeof code === "string" && code !== "" ? code : "unknown" }
}

/** The page that a block's text cites; undefined for other kinds of sources. */
export function citationIn({ citation }: JsonObject, index: number): AnswerEvent | undefined {
  const [page] = isObject(citation) && citation.type === "web_search_result_location" ? pageIn(citation) : []
  return page && { type: "citation_delta", index, page }
}

function pageIn(item: JsonValue): readonly FoundPage[] {
  if (!isObject(item) || typeof item.url !== "string" || !/^https?:$/.test(URL.parse(item.url)?.protocol ?? ""))
    return []
  const { url, title, page_age } = item
  return [
    {
      title: typeof title === "string" ? title : "",
      url,
      ...(typeof page_age === "string" && page_age !== "" && { age: page_age }),
    },
  ]
}
