/** The list of sessions as text. */

import { ageText } from "#lib/age.ts"
import { tilde } from "#lib/tilde.ts"
import { money } from "#faces/cli/sessions/session-line.ts"
import { type ListedSession, type ListedState, listedStates } from "./session-list.ts"

export const stateWords: { readonly [state in ListedState]: string } = {
  waiting: "waiting for you",
  working: "working",
  open: "open",
  failed: "failed",
  done: "done",
  stopped: "stopped",
}

export interface ListTextParts {
  readonly home: string
  readonly now: number
}

export function listText(sessions: readonly ListedSession[], parts: ListTextParts): string {
  if (sessions.length === 0) return 'No sessions. Start one in the background: codewright --bg "your task"'
  return [
    summary(sessions),
    ...listedStates.flatMap((state) => {
      const some = sessions.filter((one) => one.state === state)
      return some.length === 0 ? [] : ["", stateWords[state], ...some.flatMap((one) => rowsOf(one, parts))]
    }),
  ].join("\n")
}

export function summary(sessions: readonly ListedSession[]): string {
  const counts = listedStates.flatMap((state) => {
    const count = sessions.filter((one) => one.state === state).length
    return count === 0 ? [] : [`${count} ${stateWords[state]}`]
  })
  return counts.join(", ")
}

function rowsOf(one: ListedSession, { home, now }: ListTextParts): readonly string[] {
  const cost = one.costUsd > 0 ? money(one.costUsd) : ""
  const facts = [placeOf(one, home), cost, ageText(Math.max(0, now - one.changedAt))].filter((fact) => fact !== "")
  return [
    `  ${one.id.slice(0, 8)}  ${one.name}`,
    `            ${facts.join(" · ")}`,
    ...(one.last === "" ? [] : [`            ${cut(one.last)}`]),
  ]
}

export const placeOf = ({ cwd, branch }: Pick<ListedSession, "cwd" | "branch">, home: string): string =>
  `${tilde(cwd, home)}${branch === "" ? "" : ` (${branch})`}`

const mostLast = 100

const cut = (text: string): string => (text.length > mostLast ? `${text.slice(0, mostLast - 3)}...` : text)
