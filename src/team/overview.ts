/** A team as others see it: for `codewright team`, as data and as a drawing. */

import { existsSync, readdirSync } from "node:fs"
import type { TeamOverview, TeamStore } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { isTeamName, listLead, teamFile, teamsFolder } from "./place.ts"

export function teamNames(stateFolder: string): readonly string[] {
  const folder = teamsFolder(stateFolder)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => isTeamName(name) && existsSync(teamFile(stateFolder, name)))
    .toSorted()
}

export async function readTeamOverview(
  stateFolder: string,
  name: string,
  clock: Clock,
): Promise<TeamOverview | undefined> {
  if (!teamNames(stateFolder).includes(name)) return undefined
  const store: TeamStore = await openTeamStore({
    path: teamFile(stateFolder, name),
    about: { name, lead: listLead },
    clock,
  })
  try {
    return await teamOverview(store)
  } finally {
    await store.close()
  }
}

export async function teamOverview(store: Pick<TeamStore, "moment">): Promise<TeamOverview> {
  const { lead, ...moment } = await store.moment()
  return lead === listLead ? moment : { ...moment, lead }
}

/** For Graphviz. */
export function teamDot({ name, tasks }: TeamOverview): string {
  const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
  const colors = { pending: "white", in_progress: "lightblue", completed: "palegreen", deleted: "gray" }
  const nodes = tasks.map(
    ({ id, subject, status, owner }) =>
      `  ${id} [label=${quoted(`#${id} ${subject}${owner === undefined ? "" : ` (${owner})`}`)}, fillcolor=${colors[status]}]`,
  )
  const edges = tasks.flatMap(({ id, blocks }) => blocks.map((other) => `  ${id} -> ${other}`))
  return [`digraph ${quoted(name)} {`, "  node [shape=box, style=filled]", ...nodes, ...edges, "}"].join("\n")
}
