/** Conversations of this folder for the panel that lists them. */

import { join } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { saidText } from "#agent/words/prompt-text.ts"
import { type Catalog, type SessionRow as CatalogRow, withCatalog } from "#ground/transcript/catalog.ts"
import { lastSaidIn } from "#ground/transcript/last-said.ts"
import { openSessionLogs } from "#ground/transcript/session-logs.ts"
import { projectSlug } from "#ground/settings/state-folder.ts"
import type { SaidRow, SessionsPort } from "#faces/tui/panels/ports.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { NextConversation } from "#session/opening/program.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

const mostRows = 200
const lastSaid = 6

export function sessionsPort(
  { state, cwd }: Pick<StartupContext, "state" | "cwd">,
  open?: (next: NextConversation) => void,
): SessionsPort {
  const projects = join(state, "projects")
  const place = { file: join(state, "cache", "sessions.sqlite"), projects }
  // The catalogue is a database, and a disk can fail in more ways than it can foresee.
  const readRows = async (
    read: (catalog: Catalog) => Promise<readonly CatalogRow[]>,
  ): Promise<Result<readonly CatalogRow[], string>> => {
    try {
      return ok(await withCatalog(place, read))
    } catch (error) {
      return failed(
        `The list of conversations cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
  return {
    ...(open && { open }),
    async list(query) {
      const scope = { cwd, limit: mostRows }
      const rows = await readRows(async (catalog) =>
        query.trim() === "" ? catalog.list(scope) : titledFirst(await catalog.search(query, scope), query),
      )
      if (!rows.ok) return rows
      const shown = rows.value.map(({ id, title, firstPrompt, changed, branch, messages, costUsd }) => ({
        id,
        title,
        firstPrompt,
        changedAt: changed,
        branch: branch === "" ? undefined : branch,
        messages,
        costUsd,
      }))
      return ok(shown)
    },
    async preview(id) {
      const path = openSessionLogs({ projects, slug: projectSlug(cwd) }).find(id)
      return path === undefined ? [] : lastSaidIn(path, lastSaid).flatMap(saidIn)
    },
  }
}

/** A search for a name means the conversation with that title, not one that contains the words. */
export function titledFirst(rows: readonly CatalogRow[], query: string): readonly CatalogRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const isTitled = ({ title, firstPrompt }: CatalogRow): boolean => {
    const name = (title ?? firstPrompt).toLowerCase()
    return words.every((word) => name.includes(word))
  }
  return [...rows.filter(isTitled), ...rows.filter((row) => !isTitled(row))]
}

function saidIn(entry: Entry): readonly SaidRow[] {
  if (entry.kind === "prompt") return [{ by: "person", text: saidText(entry) }]
  return entry.kind === "reply" && entry.block.type === "text" ? [{ by: "agent", text: entry.block.text }] : []
}
