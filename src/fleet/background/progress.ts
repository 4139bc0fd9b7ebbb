/** How far a session is, by its log alone: whether it works, waits, has ended, or has something to do that nobody does. */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Loop } from "#agent/words/loop.ts"
import type { Question } from "#agent/words/question.ts"
import { askedIn } from "#session/journal/asked.ts"
import { restatedEntries } from "#session/journal/journal.ts"
import { leftOpenIn } from "#session/journal/left-open.ts"
import { stageIn } from "#session/journal/stage.ts"
import { waitingIn } from "#session/port/answer-kept.ts"

export interface LogProgress {
  readonly state: "new" | "working" | "waiting" | "done" | "failed" | "stopped"
  /** What it asks. */
  readonly questions: readonly Question[]
  /** How the last turn ended. */
  readonly end: End | undefined
  /** Whether there is something to do for whoever opens it, without anybody saying more. */
  readonly isDue: boolean
  /** What it repeats, unless it waits for an answer. */
  readonly loop: Loop | undefined
  /** What it said or did last. */
  readonly last: string
  /** When it last began to do something, in milliseconds since the epoch; 0 if it has not. */
  readonly begunAt: number
}

/** A turn that was cut off continues with a prompt of this id: once for each turn. */
export const continueId = (turnId: string): string => `continue-${turnId}`

export const isCutOff = (end: End | undefined): boolean => end?.cause === "program_ended" || end?.cause === "log"

/** From a whole log, or from its last compaction on. */
export function progressOf(entries: readonly Entry[]): LogProgress {
  const all = [...restatedEntries(entries), ...entries]
  const { turn } = stageIn(entries)
  const questions = waitingIn(entries).map(({ question }) => question)
  const { waiting } = leftOpenIn(all)
  const common = {
    questions,
    end: turn?.end,
    loop: questions.length > 0 ? undefined : loopIn(all),
    last: lastOf(all),
    begunAt: entries.findLast(({ kind }) => kind === "turn_start")?.at ?? 0,
  }
  if (!turn) return { ...common, state: waiting.size > 0 ? "working" : "new", isDue: waiting.size > 0 }
  if (!turn.end)
    return questions.length > 0
      ? { ...common, state: "waiting", isDue: hasUnusedAnswer(all) }
      : { ...common, state: "working", isDue: true }
  const continues = isCutOff(turn.end) && !hasPrompt(all, continueId(turn.id))
  if (continues || waiting.size > 0) return { ...common, state: "working", isDue: true }
  return { ...common, state: stateAfter(turn.end), isDue: false }
}

function stateAfter({ reason, cause }: End): LogProgress["state"] {
  if (reason === "completed") return "done"
  return reason === "aborted" && cause !== "program_ended" ? "stopped" : "failed"
}

/** An answer to a call that has not begun since. */
function hasUnusedAnswer(entries: readonly Entry[]): boolean {
  const begun = new Set(
    entries.flatMap((entry) => (entry.kind === "intent" || entry.kind === "result" ? entry.callId : [])),
  )
  return [...askedIn(entries).values()].some(({ question, answer }) => answer && !begun.has(question.ask.callId))
}

export const hasPrompt = (entries: readonly Entry[], promptId: string): boolean =>
  entries.some((entry) => promptIdOf(entry) === promptId)

/** The id of the prompt that an entry has received, sent or refused. */
export const promptIdOf = (entry: Entry): string | undefined =>
  entry.kind === "prompt" || entry.kind === "queued" || entry.kind === "command" || entry.kind === "unsent"
    ? entry.promptId
    : undefined

/** When a session that repeats something is to be opened for it. A clock that was set back must not silence it for as long as that. */
export function loopDueAt({ loop }: Pick<LogProgress, "loop">, now: number): number {
  if (!loop) return Infinity
  return loop.nextAt - now > loop.everyMs ? now : loop.nextAt
}

function loopIn(entries: readonly Entry[]): Loop | undefined {
  const last = entries.findLast((entry) => entry.kind === "loop")
  return last?.stopped ? undefined : last
}

function lastOf(entries: readonly Entry[]): string {
  for (const entry of entries.toReversed()) {
    if (entry.kind === "reply" && entry.block.type === "text" && entry.block.text.trim() !== "")
      return entry.block.text.trim().split("\n").at(-1) ?? ""
    if (entry.kind === "intent") return entry.title
  }
  return ""
}
