/** Finds the one session that is meant. */

import { type SessionRow, withCatalog } from "#ground/transcript/catalog.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { nameOf, sessionLine } from "./session-line.ts"
import type { Where } from "#faces/cli/where.ts"

export async function pickSession(
  prefix: string | undefined,
  { catalog: file, projects }: Pick<Where, "catalog" | "projects">,
): Promise<Result<SessionRow, string>> {
  if (prefix === undefined || prefix.trim() === "")
    return failed("Give a session id, or the first characters of one. List sessions with: codewright sessions list")
  const [first, ...more] = await withCatalog({ file, projects }, (catalog) => catalog.named(prefix.trim()))
  if (!first) return failed(`No session id starts with '${prefix}'. List sessions with: codewright sessions list --all`)
  if (more.length === 0) return ok(first)
  return failed(
    `${more.length + 1} session ids start with '${prefix}'. Give more characters:\n${[first, ...more].map((row) => sessionLine(row)).join("\n")}`,
  )
}

/** So many of the newest are looked at for a name. */
const mostNamed = 200

/** As the list of agents shows them: by id, or by the whole name of one of the newest. */
export async function pickByName(
  words: string | undefined,
  where: Pick<Where, "catalog" | "projects">,
): Promise<Result<SessionRow, string>> {
  const picked = await pickSession(words, where)
  const name = words?.trim().toLowerCase() ?? ""
  if (picked.ok || name === "") return picked
  const newest = await withCatalog({ ...where, file: where.catalog }, (catalog) => catalog.list({ limit: mostNamed }))
  const found = newest.filter((row) => nameOf(row).toLowerCase() === name)
  const [only] = found.length === 1 ? found : []
  return only ? ok(only) : picked
}
