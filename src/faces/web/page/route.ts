/** Which screen the address names. Everything is behind `#`, so the server sees one page. */

import { filterOf, type SessionFilter } from "./lists/session-filter.ts"

export type PageRoute =
  | { readonly screen: "inbox" }
  | { readonly screen: "sessions"; readonly filter: SessionFilter }
  | { readonly screen: "session"; readonly id: string }
  | { readonly screen: "team"; readonly id: string }
  | { readonly screen: "review"; readonly id: string }
  | { readonly screen: "new" }
  | { readonly screen: "workers" }
  | { readonly screen: "usage" }
  | { readonly screen: "shared"; readonly link: string }
  | { readonly screen: "audit" }
  | { readonly screen: "notifications" }
  | { readonly screen: "decide"; readonly link: string }
  | { readonly screen: "missing" }

export function routeOf(hash: string): PageRoute {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s)
  const [first = "", second = "", third = "", ...rest] = path.split("/")
  if (rest.length > 0) return { screen: "missing" }
  if (first === "sessions" && second !== "") {
    const id = decoded(second)
    if (third === "") return { screen: "session", id }
    if (third === "changes") return { screen: "review", id }
    return third === "team" ? { screen: "team", id } : { screen: "missing" }
  }
  if (first === "shared" && second !== "" && third === "") return { screen: "shared", link: decoded(second) }
  if (first === "decide" && second !== "" && third === "") return { screen: "decide", link: decoded(second) }
  if (second !== "") return { screen: "missing" }
  switch (first) {
    case "":
      return { screen: "inbox" }
    case "sessions":
      return { screen: "sessions", filter: filterOf(query) }
    case "usage":
    case "new":
    case "workers":
    case "audit":
    case "notifications":
      return { screen: first }
    default:
      return { screen: "missing" }
  }
}

/** What is in an address may be anything. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const toSession = (id: string): string => `#/sessions/${encodeURIComponent(id)}`
export const toTeam = (id: string): string => `${toSession(id)}/team`
export const toReview = (id: string): string => `${toSession(id)}/changes`
