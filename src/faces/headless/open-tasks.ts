/** Tasks of a team that nobody did by the end of a run. */

import { isOpen, type TeamTask } from "#agent/words/team.ts"
import { forConsent } from "#lib/printable.ts"
import type { Session } from "#session/port/session.ts"

export type OpenTask = Pick<TeamTask, "id" | "subject" | "status" | "owner">

export async function openTasksOf({ ask }: Pick<Session, "ask">): Promise<readonly OpenTask[]> {
  const team = await ask({ type: "team" })
  return (team?.tasks ?? []).filter(isOpen).map(({ id, subject, status, owner }) => ({
    id,
    subject,
    status,
    ...(owner !== undefined && { owner }),
  }))
}

const mostNamed = 5

export function openTaskWords(tasks: readonly OpenTask[]): string {
  const named = tasks.slice(0, mostNamed).map(({ id, subject }) => `#${id} ${forConsent(subject)}`)
  const more = tasks.length > mostNamed ? ` and ${tasks.length - mostNamed} more` : ""
  const count = tasks.length === 1 ? "1 task of the team is" : `${tasks.length} tasks of the team are`
  return `${count} still open: ${named.join(", ")}${more}.`
}
