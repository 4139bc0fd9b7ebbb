/** Tools that run at the provider: recognised by their type, each with its own fields and no schema. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "./refusal.ts"
import { isList } from "./request.ts"

const knownTypes =
  /^(?:web_search|web_fetch|code_execution|bash|text_editor|computer|memory|tool_search_tool_(?:regex|bm25)|browser_toolset|computer_toolset)_\d{8}$|^mcp_toolset$/

export function checkServerTool(tool: JsonObject, place: string): Refusal {
  const { type } = tool
  if (typeof type !== "string" || !knownTypes.test(type))
    return refuse(`${place}.type`, `unknown tool type ${JSON.stringify(type ?? null)}`)
  return type.startsWith("web_search_") ? checkSearch(tool, `${place}.${type}`) : undefined
}

const searchFields: readonly string[] = (
  "type name max_uses allowed_domains blocked_domains user_location cache_control allowed_callers defer_loading strict " +
  "response_inclusion"
).split(" ")

function checkSearch(tool: JsonObject, place: string): Refusal {
  const { name, max_uses, allowed_domains, blocked_domains, user_location } = tool
  if (name !== "web_search") return refuse(`${place}.name`, "must be web_search")
  if (isGiven(max_uses) && !(typeof max_uses === "number" && Number.isInteger(max_uses) && max_uses > 0))
    return refuse(`${place}.max_uses`, "must be a whole number above 0")
  if (isGiven(allowed_domains) && isGiven(blocked_domains))
    return refuse(place, "allowed_domains and blocked_domains cannot both be given")
  return firstRefusal([
    () => checkDomains(allowed_domains, `${place}.allowed_domains`),
    () => checkDomains(blocked_domains, `${place}.blocked_domains`),
    () => checkLocation(user_location, `${place}.user_location`),
    () => checkFields(tool, place, searchFields),
  ])
}

const isGiven = (value: JsonValue | undefined): boolean => value !== undefined && value !== null

function checkDomains(domains: JsonValue | undefined, place: string): Refusal {
  if (!isGiven(domains)) return undefined
  if (!isList(domains)) return refuse(place, "must be a list")
  if (domains.length === 0) return refuse(place, "must hold at least one domain")
  return firstRefusal(
    domains.map((domain, index) => () => {
      if (typeof domain !== "string") return refuse(`${place}.${index}`, "must be a string")
      // Without a scheme, and a star only behind the host.
      const isPlain =
        /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}-]+)*(?:\/[^\s*]*\*?[^\s*]*)?$/u.test(domain)
      return isPlain ? undefined : refuse(`${place}.${index}`, `${JSON.stringify(domain)} is not a plain domain`)
    }),
  )
}

function checkLocation(location: JsonValue | undefined, place: string): Refusal {
  if (!isGiven(location)) return undefined
  if (!isObject(location) || location.type !== "approximate") return refuse(`${place}.type`, "must be approximate")
  return checkFields(location, place, ["type", "city", "region", "country", "timezone"])
}
