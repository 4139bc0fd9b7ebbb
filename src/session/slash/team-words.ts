/** What is said of the members, tasks and mail of a team, in words for the user. */

import type { Mail, Member, TaskStatus, TeamOverview, TeamTask } from "#agent/words/team.ts"
import { costText, counted, durationText, tokensText } from "#lib/figures.ts"
import { firstLine } from "#lib/rows.ts"

const taskMarks: { readonly [status in TaskStatus]: string } = {
  pending: "☐",
  in_progress: "◐",
  completed: "☑",
  deleted: "☒",
}

export const idList = (ids: readonly string[]): string => ids.map((id) => `#${id}`).join(", ")

/** While somebody works on it, what they are doing. */
export const taskTitle = ({ id, subject, activeForm, status }: TeamTask): string =>
  `${taskMarks[status]} #${id} ${firstLine(status === "in_progress" ? (activeForm ?? subject) : subject)}`

/** What can be read from the task alone comes last, because it may be cut. */
export function taskFacts({ owner, attempts, status }: TeamTask, waitsFor: readonly string[]): string {
  const isOpen = status !== "completed"
  return [
    ...(owner === undefined ? [] : [status === "pending" ? `for ${owner}` : owner]),
    ...(status === "pending" && waitsFor.length > 0 ? [`waits for ${idList(waitsFor)}`] : []),
    ...(isOpen && attempts > 0 ? [counted(attempts, "failed attempt")] : []),
  ].join(" · ")
}

/** Current activity comes last, because it may be cut. */
export function memberFacts(member: Member, tasks: readonly TeamTask[], now: number): string {
  const { state, activity, tokens, costUsd, joinedAt } = member
  const task = tasks.find(({ owner, status }) => owner === member.name && status === "in_progress")
  if (state === "gone") return [`left`, ...spentWords(tokens, costUsd)].join(" · ")
  return [
    ...(state === "idle" ? ["idle"] : []),
    durationText(Math.max(0, now - joinedAt)),
    ...spentWords(tokens, costUsd),
    ...(task ? [`#${task.id}`] : []),
    ...(state === "idle" ? [] : [activity === undefined || activity === "" ? "working" : activity]),
  ].join(" · ")
}

/** With what all of them cost together, and how many questions wait for the user. */
export function teamTitle({ name, lead, members, waiting = 0 }: TeamOverview): string {
  const costUsd = members.reduce((sum, member) => sum + member.costUsd, 0)
  return [
    name,
    ...(lead === undefined ? [] : [lead === "lead" ? "you are the lead" : `led by ${lead}`]),
    ...(costUsd > 0 ? [`${costText(costUsd)} in total`] : []),
    ...(waiting === 0 ? [] : [`${counted(waiting, "question")} for you`]),
  ].join(" · ")
}

const spentWords = (tokens: number, costUsd: number): readonly string[] => [
  ...(tokens > 0 ? [tokensText(tokens)] : []),
  ...(costUsd > 0 ? [costText(costUsd)] : []),
]

const colors = ["blue", "green", "magenta", "yellow", "cyan", "red"] as const

/** Those that its agent brings along, and otherwise one for each in turn; the lead has none. */
export const memberColors = ({ members, lead }: TeamOverview): ReadonlyMap<string, string> =>
  new Map(
    members
      .filter(({ name }) => name !== lead)
      .map(({ name, color }, i) => [name, color ?? colors[i % colors.length] ?? "blue"]),
  )

export const doneWords = (tasks: TeamOverview["tasks"]): string =>
  `${tasks.filter(({ status }) => status === "completed").length} of ${tasks.length} done`

const mailKinds: { readonly [type in Mail["type"]]?: string } = {
  shutdown_request: "asks to stop",
  shutdown_response: "answers a request to stop",
  plan_approval_request: "asks for approval of a plan",
  plan_approval_response: "answers about a plan",
}

export const mailTitle = ({ from, to, meantFor }: Mail): string =>
  `${from} → ${meantFor === undefined ? to : `${meantFor} (${to})`}`

export function mailFacts(mail: Mail): string {
  const kind = mailKinds[mail.type]
  return [
    ...(mail.deliveredAt === undefined ? ["unread"] : []),
    ...(kind === undefined ? [] : [kind]),
    firstLine(mail.summary ?? mail.text),
  ].join(" · ")
}

/** Of tasks that are not shown one by one. */
export function foldedWords({ status, count }: { readonly status: TaskStatus; readonly count: number }): string {
  const mark = taskMarks[status]
  if (status === "completed") return `${mark} ${count} completed`
  return `${mark} … ${count} more ${status === "in_progress" ? "in progress" : "pending"}`
}
