/** Finds the one session that is meant. */

import { type SessionRow, withCatalog } from "#ground/transcript/catalog.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { sessionLine } from "./session-line.ts"
import type { Where } from "./where.ts"

/** By its id or the beginning of it; the failure is for the person. */
export async function pickSession(
  prefix: string | undefined,
  { catalog: file, projects }: Pick<Where, "catalog" | "projects">,
): Promise<Result<SessionRow, string>> {
  if (prefix === undefined || prefix.trim() === "")
    return failed("Say which session: its id, or the beginning of it. codewright sessions list shows them.")
  const [first, ...more] = await withCatalog({ file, projects }, (catalog) => catalog.named(prefix.trim()))
  if (!first)
    return failed(`No session has an id that begins with '${prefix}'. codewright sessions list --all shows them.`)
  if (more.length === 0) return ok(first)
  return failed(
    `${more.length + 1} sessions have an id that begins with '${prefix}'. Give more of it:\n${[first, ...more].map((row) => sessionLine(row)).join("\n")}`,
  )
}
