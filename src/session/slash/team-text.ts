/** The team as text: who works on what, the tasks as a graph, and the newest mail. */

import type { TeamOverview } from "#agent/words/team.ts"
import { forConsent } from "#lib/printable.ts"
import { aligned } from "#lib/rows.ts"
import { taskGraph, type GraphRow } from "./task-graph.ts"
import {
  doneWords,
  foldedWords,
  mailFacts,
  mailTitle,
  memberFacts,
  taskFacts,
  taskTitle,
  teamTitle,
} from "./team-words.ts"

const mostTasks = 24
const mostMail = 5

export const noTeam = "There is no team. Ask the model for one: it splits the work into tasks and starts members."

export function teamText(overview: TeamOverview | null, now: number): string {
  if (!overview) return noTeam
  const { members, tasks, mail } = overview
  const title = teamTitle(overview)
  const parts: readonly (readonly [heading: string, rows: readonly (readonly string[])[]])[] = [
    [title, members.map((member) => [member.name, memberFacts(member, tasks, now)])],
    [`Tasks · ${doneWords(tasks)}`, taskGraph(tasks, mostTasks).map(graphCells)],
    [
      "Mail",
      mail
        .toReversed()
        .slice(0, mostMail)
        .map((letter) => [mailTitle(letter), mailFacts(letter)]),
    ],
  ]
  return parts
    .flatMap(([heading, rows]) =>
      rows.length === 0 && heading !== title ? [] : [heading, ...aligned(rows).map((row) => `  ${row}`)],
    )
    .map(forConsent)
    .join("\n")
}

const graphCells = (row: GraphRow): readonly string[] =>
  row.kind === "folded"
    ? [foldedWords(row)]
    : [`${row.branch}${taskTitle(row.task)}`, taskFacts(row.task, row.waitsFor)]
