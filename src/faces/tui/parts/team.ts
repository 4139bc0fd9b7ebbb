/** The team above the prompt, while there is one: who does what, in few rows. */

import type { Member, TeamOverview } from "#agent/words/team.ts"
import { colourNamed, dim } from "#faces/tui/screen/style.ts"
import { fitted, widthOf } from "#faces/tui/screen/width.ts"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { doneWords, memberColors, memberFacts } from "#session/slash/team-words.ts"

const mostMembers = 6

/** While nobody works, only how far the work is. */
export function teamRows(team: TeamOverview | null, columns: number, now: number): string[] {
  if (!team) return []
  const others = team.members.filter(({ name, state }) => name !== team.lead && state !== "gone")
  const isAtWork = others.some(({ state }) => state === "working")
  const head = dim(fitted(`  ${headWords(team, others)} · /teams to open`, columns))
  if (!isAtWork) return ["", head]
  const shown = others.slice(0, mostMembers)
  const widest = Math.max(...shown.map(({ name }) => widthOf(forConsent(name))))
  const colors = memberColors(team)
  const rest = others.length - shown.length
  return [
    "",
    head,
    ...shown.map((member) => memberRow(member, team, { widest, columns, now, color: colors.get(member.name) })),
    ...(rest > 0 ? [dim(`  … ${rest} more`)] : []),
  ]
}

function headWords({ name, tasks }: TeamOverview, others: readonly Member[]): string {
  return forConsent(
    `${name} · ${counted(others.length, "member")}${tasks.length === 0 ? "" : ` · ${doneWords(tasks)}`}`,
  )
}

interface RowParts {
  readonly widest: number
  readonly columns: number
  readonly now: number
  readonly color: string | undefined
}

function memberRow(member: Member, { tasks }: TeamOverview, { widest, columns, now, color }: RowParts): string {
  const name = forConsent(member.name)
  const facts = dim(forConsent(memberFacts(member, tasks, now)))
  return fitted(`  ${colourNamed(color)(name)}${" ".repeat(widest - widthOf(name))}  ${facts}`, columns)
}
