/** Web search as the provider runs it: only with its tool, only as often and where the tool allows. */

import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { PlannedBlock, PlannedPage, Reply } from "./reply.ts"
import { isList, listIn } from "./request.ts"

/** The reply with its searches carried out; fails if it searches and the request offers no such tool. */
export function withSearches(reply: Reply, body: JsonObject): Result<Reply, string> {
  if (!reply.content.some(({ type }) => type === "search")) return ok(reply)
  const tool = searchTool(body)
  if (tool === undefined) return failed("The scenario searches the web, but the request offers no web_search tool.")
  let left = typeof tool.max_uses === "number" ? tool.max_uses : Number.POSITIVE_INFINITY
  const content = reply.content.map((block): PlannedBlock => {
    if (block.type !== "search") return block
    if (left-- <= 0) return { ...block, pages: [], error: "max_uses_exceeded" }
    return { ...block, pages: block.pages.filter((page) => isWanted(page, tool)) }
  })
  return ok({ ...reply, content })
}

export const searchTool = (body: JsonObject): JsonObject | undefined =>
  listIn(body.tools)
    .filter(isObject)
    .find(({ type }) => typeof type === "string" && type.startsWith("web_search_"))

export function searchContent(pages: readonly PlannedPage[], error: string | undefined): JsonObject | JsonObject[] {
  if (error !== undefined) return { type: "web_search_tool_result_error", error_code: error }
  return pages.map(({ title, url, page_age = null }) => ({
    type: "web_search_result",
    title,
    url,
    page_age,
    encrypted_content: sealed(url),
  }))
}

export const citationOf = ({ title, url }: PlannedPage): JsonObject => ({
  type: "web_search_result_location",
  url,
  title,
  cited_text: title,
  encrypted_index: sealed(url),
})

/** An opaque value, as the API sends it. */
const sealed = (text: string): string => Buffer.from(`sealed ${Bun.hash(text)}`).toString("base64")

function isWanted({ url }: PlannedPage, { allowed_domains, blocked_domains }: JsonObject): boolean {
  const at = URL.parse(url)
  const place = `${at?.hostname ?? ""}${at?.pathname ?? ""}`
  const isOn = (domain: unknown): boolean => {
    const [host = "", ...path] = String(domain).split("/")
    const below = place.slice((at?.hostname ?? "").length + 1)
    return (at?.hostname === host || at?.hostname.endsWith(`.${host}`) === true) && below.startsWith(path.join("/"))
  }
  if (isList(allowed_domains)) return allowed_domains.some(isOn)
  return !listIn(blocked_domains).some(isOn)
}
