/** Finds the one session that is meant. */

import { type SessionRow, withCatalog } from "#ground/transcript/catalog.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { sessionLine } from "./session-line.ts"
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
