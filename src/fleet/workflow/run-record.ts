/**
 * A run of a workflow, as files of the state folder: what was asked of it, and the answer to each call. The session of a call has an id that follows
 * from the run and the call, so that a run that was killed anywhere finds it again.
 */

import { appendFileSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digestOf } from "#lib/digest.ts"
import { systemIds } from "#lib/ids.ts"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { textOfFile } from "#lib/quietly.ts"

export interface WorkflowRun {
  readonly id: string
  readonly file: string
  readonly cwd: string
  readonly input: JsonValue
  /** The flags that its agents are started with. */
  readonly flags: readonly string[]
  readonly startedAt: number
  /** Absent while it has not ended. */
  readonly end?: { readonly ok: true; readonly result: JsonValue } | { readonly ok: false; readonly why: string }
}

export interface CallAnswer {
  readonly key: string
  readonly sessionId: string
  readonly costUsd: number
  readonly value: JsonValue
}

export interface RunRecord {
  readonly folder: string
  readonly run: () => WorkflowRun | undefined
  readonly put: (run: WorkflowRun) => void
  readonly answers: () => ReadonlyMap<string, CallAnswer>
  readonly add: (answer: CallAnswer) => void
}

/** Short, because people type it. */
export const newRunId = (): string => `wf-${systemIds.uuid().slice(0, 8)}`

export const isRunId = (text: string): boolean => /^wf-[0-9a-f]{8}$/.test(text)

const runsFolder = (state: string): string => join(state, "workflows")

export function openRunRecord(state: string, id: string): RunRecord {
  const folder = join(runsFolder(state), id)
  const [file, answers] = [join(folder, "run.json"), join(folder, "answers.jsonl")]
  return {
    folder,
    run: () => decodeRun(textOfFile(file) ?? ""),
    put(run) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(`${file}.new`, JSON.stringify(run), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
    answers: () =>
      new Map(
        (textOfFile(answers) ?? "")
          .split("\n")
          .flatMap((line) => decodeAnswer(line) ?? [])
          .map((answer) => [answer.key, answer]),
      ),
    add: (answer) => appendFileSync(answers, `${JSON.stringify(answer)}\n`, { mode: 0o600 }),
  }
}

export function listRuns(state: string): readonly WorkflowRun[] {
  let ids: readonly string[]
  try {
    ids = readdirSync(runsFolder(state))
  } catch {
    return []
  }
  return ids.flatMap((id) => openRunRecord(state, id).run() ?? []).toSorted((a, b) => b.startedAt - a.startedAt)
}

/** Equal calls of one run are told apart by their number, in the order in which the script makes them. */
export function openKeys(): (prompt: string, options: JsonObject) => string {
  const times = new Map<string, number>()
  return (prompt, options) => {
    const same = digestOf([prompt, options])
    const before = times.get(same) ?? 0
    times.set(same, before + 1)
    return `${same}.${before}`
  }
}

/** The same for the same run and call, whoever computes it. */
export function sessionIdOf(runId: string, key: string): string {
  const hex = digestOf([runId, key])
    .replaceAll(/[^0-9a-f]/g, "")
    .padEnd(32, "0")
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function decodeRun(text: string): WorkflowRun | undefined {
  const value = objectIn(text)
  if (typeof value?.id !== "string" || typeof value.file !== "string" || typeof value.cwd !== "string") return undefined
  // Written by this program to a private folder of the user.
  return value as unknown as WorkflowRun
}

/** A line that was cut off by a kill is none. */
function decodeAnswer(line: string): CallAnswer | undefined {
  const value = objectIn(line)
  if (typeof value?.key !== "string" || !isObject(value) || !("value" in value)) return undefined
  return value as unknown as CallAnswer
}
