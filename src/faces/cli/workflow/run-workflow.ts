/** Runs a workflow, or the rest of one: every call of its script is answered once, from its session or from the record. */

import { join } from "node:path"
import { openKeys, openRunRecord, type RunRecord, sessionIdOf, type WorkflowRun } from "#fleet/workflow/run-record.ts"
import { openLimits } from "#fleet/workflow/limits.ts"
import { runScript } from "#fleet/workflow/run-script.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { takeLock } from "#ground/transcript/lock.ts"
import { counted, costText } from "#lib/figures.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { stripControls } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { bareBun } from "#faces/cli/own-program.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { Where } from "#faces/cli/where.ts"
import { callAgent, readOptions } from "./agent-call.ts"

export interface WorkflowParts {
  readonly run: WorkflowRun
  readonly setting: StartupContext
  readonly where: Where
  readonly most: number
  readonly budgetUsd: number | undefined
  /** A line for people. */
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

export interface WorkflowEnd {
  readonly result: Result<JsonValue, string>
  readonly costUsd: number
  readonly calls: number
}

/** The failure is a sentence: the run did not begin. */
export async function runWorkflow(parts: WorkflowParts): Promise<Result<WorkflowEnd, string>> {
  const { run, setting, where } = parts
  const record = openRunRecord(where.state, run.id)
  record.put({ ...run })
  const lock = takeLock(join(record.folder, "run.lock"), process.pid)
  if (!lock.ok) return failed(`The run ${run.id} is under way in another process.`)
  try {
    const calls = openCalls(parts, record)
    const result = await runScript({
      // In an executable of our own, Bun is inside it.
      bun: [process.execPath, ...bareBun],
      env: { ...childEnvironment(setting.loaded.env), BUN_BE_BUN: "1" },
      cwd: run.cwd,
      file: run.file,
      input: run.input,
      agent: calls.agent,
      log: (text) => parts.say(stripControls(text)),
      signal: parts.signal,
    })
    if (!parts.signal.aborted)
      record.put({ ...run, end: result.ok ? { ok: true, result: result.value } : { ok: false, why: result.failure } })
    return ok({ result, costUsd: calls.spent(), calls: calls.count() })
  } finally {
    lock.value()
  }
}

interface ScriptCalls {
  readonly agent: (prompt: string, options: JsonObject) => Promise<Result<JsonValue, string>>
  readonly spent: () => number
  readonly count: () => number
}

function openCalls(parts: WorkflowParts, record: RunRecord): ScriptCalls {
  const { run, say } = parts
  const known = record.answers()
  const keyOf = openKeys()
  const limits = openLimits({
    most: parts.most,
    budgetUsd: parts.budgetUsd,
    spent: [...known.values()].reduce((sum, { costUsd }) => sum + costUsd, 0),
  })
  let [begun, done] = [0, 0]
  return {
    spent: limits.spent,
    count: () => begun,
    async agent(prompt, options) {
      const read = readOptions(options)
      if (!read.ok) return read
      const key = keyOf(prompt, options)
      begun++
      const before = known.get(key)
      if (before) {
        done++
        return ok(before.value)
      }
      const place = await limits.enter()
      if (!place.ok) return place
      const id = sessionIdOf(run.id, key)
      const name = stripControls(read.value.label ?? prompt.split("\n")[0]?.slice(0, 60) ?? "")
      const { costUsd, value } = await callAgent(
        { id, prompt, options: read.value, budgetUsd: place.value },
        {
          ...parts,
          flags: run.flags,
          onQuestion: () => say(`${name} needs you: codewright attach ${id.slice(0, 8)}`),
        },
      )
      limits.leave(costUsd)
      if (value.ok) record.add({ key, sessionId: id, costUsd, value: value.value })
      if (!parts.signal.aborted) {
        done++
        say(
          `${value.ok ? "Done" : "Failed"}: ${name} (${done} of ${counted(begun, "call")}, ${costText(limits.spent())})${value.ok ? "" : `: ${stripControls(value.failure)}`}`,
        )
      }
      return value.ok ? value : failed(`${name}: ${value.failure}`)
    },
  }
}
