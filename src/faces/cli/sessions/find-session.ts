/** Finds the session that a person means by the beginning of its id, its title, or words in it. */

import { join } from "node:path"
import { type Catalog, type SessionRow, withCatalog } from "#ground/transcript/catalog.ts"
import { ok, type Result } from "#lib/result.ts"
import { type StartFailure, wrong } from "#faces/cli/failure.ts"
import { sessionLine } from "./session-line.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

const mostShown = 10

export async function findSession(
  words: string,
  { state, cwd }: Pick<StartupContext, "state" | "cwd">,
): Promise<Result<{ readonly id: string; readonly path: string }, StartFailure>> {
  const found = await allMeant(words, { state, cwd })
  const [first, ...more] = found
  if (!first)
    return wrong(
      /\s/.test(words)
        ? `No conversation has all of these words: ${words}`
        : `No conversation found with session ID: ${words}`,
    )
  if (more.length === 0) return ok(first)
  const lines = found.slice(0, mostShown).map((row) => sessionLine(row, { withFolder: row.cwd !== cwd }))
  const rest = found.length > mostShown ? ["..."] : []
  return wrong(
    [`Several conversations match '${words}'. Give the id of one to --resume:`, ...lines, ...rest].join("\n"),
  )
}

export const areSeveral = async (words: string, where: Pick<StartupContext, "state" | "cwd">): Promise<boolean> =>
  (await allMeant(words, where)).length > 1

async function allMeant(
  words: string,
  { state, cwd }: Pick<StartupContext, "state" | "cwd">,
): Promise<readonly SessionRow[]> {
  const place = { file: join(state, "cache", "sessions.sqlite"), projects: join(state, "projects") }
  return withCatalog(place, (catalog) => meant(catalog, words, cwd))
}

/** By id, else by title, else by words in this folder, else by words anywhere. */
async function meant(catalog: Catalog, words: string, cwd: string): Promise<readonly SessionRow[]> {
  const scope = { limit: mostShown + 1 }
  const ways: readonly (() => Promise<readonly SessionRow[]>)[] = [
    async () => (words.length >= 4 ? catalog.named(words) : []),
    () => catalog.titled(words, cwd),
    () => catalog.search(words, { ...scope, cwd }),
    () => catalog.search(words, scope),
  ]
  for (const way of ways) {
    const found = await way()
    if (found.length > 0) return found
  }
  return []
}
