/** The place in a conversation that `--resume-session-at` names: the end of the step that its message belongs to. */

import type { Entry } from "#agent/words/entry.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { openStoredLog } from "#ground/transcript/stored-log.ts"
import { ok, type Result } from "#lib/result.ts"
import { type StartFailure, wrong } from "#faces/cli/failure.ts"

export interface ResumePlace {
  /** A message, by its uuid. */
  readonly message: string
  /** The only prompt whose turn may be left out; any when absent. */
  readonly drops?: string
}

/** The entry to continue after. An answer is kept with the results of its calls: no provider takes one without them. */
export function resumeAt(path: string, { message, drops }: ResumePlace): Result<string, StartFailure> {
  const log = openStoredLog(path)
  if (!log.ok) return wrong(`The session cannot be read: ${path}.`)
  const entries = pathOf(log.value.list())
  const at = entries.findIndex((entry) => isNamed(entry, message))
  if (at < 0) return wrong(`--resume-session-at: this conversation has no message ${message}.`)
  const end = endOfStep(entries, at)
  const left = entries.slice(end + 1).flatMap((entry) => (entry.kind === "prompt" ? [entry] : []))
  const other = drops === undefined ? undefined : left.find((prompt) => !isNamed(prompt, drops))
  if (drops !== undefined && (other || left.length === 0)) return wrong(droppedWords(drops, left.length))
  return ok(entries[end]?.uuid ?? message)
}

const isNamed = (entry: Entry, name: string): boolean =>
  entry.uuid === name || (entry.kind === "prompt" && entry.promptId === name)

/** Everything up to the next answer or prompt. */
function endOfStep(entries: readonly Entry[], at: number): number {
  const first = entries[at]
  const next = entries.findIndex(
    (entry, index) =>
      index > at &&
      (entry.kind === "turn_start" ||
        entry.kind === "prompt" ||
        (entry.kind === "reply" && (first?.kind !== "reply" || first.messageId !== entry.messageId))),
  )
  return next < 0 ? entries.length - 1 : next - 1
}

function droppedWords(prompt: string, count: number): string {
  const why = count === 0 ? "no prompt comes after that message" : "another prompt than this one would be left out too"
  return `Resume rejected by --resume-drops-turn: ${why} (${prompt}).`
}
