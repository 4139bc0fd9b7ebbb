/** Which screen the address names. Everything is behind `#`, so the server sees one page. */

export type PageRoute =
  | { readonly screen: "inbox" }
  | { readonly screen: "sessions" }
  | { readonly screen: "session"; readonly id: string }
  | { readonly screen: "team"; readonly id: string }
  | { readonly screen: "new" }
  | { readonly screen: "workers" }
  | { readonly screen: "audit" }
  | { readonly screen: "missing" }

export function routeOf(hash: string): PageRoute {
  const [first = "", second = "", third = "", ...rest] = hash.replace(/^#\/?/, "").split("/")
  if (rest.length > 0) return { screen: "missing" }
  if (first === "sessions" && second !== "") {
    const id = decoded(second)
    if (third === "") return { screen: "session", id }
    return third === "team" ? { screen: "team", id } : { screen: "missing" }
  }
  if (second !== "") return { screen: "missing" }
  switch (first) {
    case "":
      return { screen: "inbox" }
    case "sessions":
    case "new":
    case "workers":
    case "audit":
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
