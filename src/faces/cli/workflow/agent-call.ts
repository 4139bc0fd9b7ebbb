/** One call of a workflow's script: a background session with an id of its own, started once, and its answer. */

import type { Entry } from "#agent/words/entry.ts"
import { openJobs } from "#fleet/background/jobs.ts"
import { hasPrompt, type LogProgress, progressOf } from "#fleet/background/progress.ts"
import { withCatalog } from "#ground/transcript/catalog.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { systemClock } from "#lib/clock.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { statsOf } from "#lib/quietly.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { handOver } from "#faces/cli/background/hand-over.ts"
import { logsOf } from "#faces/cli/background/job-places.ts"
import { restartHost, startHost } from "#faces/cli/background/start-host.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"
import type { Where } from "#faces/cli/where.ts"
import { enterWorktree } from "#faces/cli/worktree/enter-worktree.ts"

export interface AgentOptions {
  /** A name for people. */
  readonly label?: string
  /** The agent to play. */
  readonly agent?: string
  readonly model?: string
  readonly effort?: string
  /** The permission mode. */
  readonly mode?: string
  /** A JSON Schema: the answer is an object that fits it. */
  readonly schema?: JsonObject
  /** The name of a worktree to work in. */
  readonly worktree?: string
  readonly budgetUsd?: number
}

const kinds: { readonly [option in keyof AgentOptions]-?: "text" | "object" | "number" } = {
  label: "text",
  agent: "text",
  model: "text",
  effort: "text",
  mode: "text",
  schema: "object",
  worktree: "text",
  budgetUsd: "number",
}

/** The failure is a sentence with the name of what is wrong. */
export function readOptions(options: JsonObject): Result<AgentOptions, string> {
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name as keyof AgentOptions] : undefined
    if (kind === undefined) return failed(`agent has no option ${name}. Its options: ${Object.keys(kinds).join(", ")}.`)
    const is = { text: typeof value === "string", object: isObject(value), number: typeof value === "number" }
    if (!is[kind]) return failed(`The option ${name} of agent must be ${kind === "object" ? "an" : "a"} ${kind}.`)
  }
  return ok(options as AgentOptions)
}

export interface AgentCall {
  readonly id: string
  readonly prompt: string
  readonly options: AgentOptions
  readonly budgetUsd: number | undefined
}

export interface CallParts {
  readonly setting: StartupContext
  readonly where: Where
  /** Those of the whole run. */
  readonly flags: readonly string[]
  /** Called when somebody has to answer something for it to go on. */
  readonly onQuestion: (title: string) => void
  readonly signal: AbortSignal
}

export interface AgentEnd {
  readonly costUsd: number
  readonly value: Result<JsonValue, string>
}

export async function callAgent(call: AgentCall, parts: CallParts): Promise<AgentEnd> {
  const begun = await begin(call, parts)
  if (!begun.ok) return { costUsd: 0, value: begun }
  const ended = await untilEnd(call, begun.value, parts)
  const costUsd = await costOf(call.id, parts.where)
  if (ended.ok) openJobs(parts.where.state, process.pid).remove(call.id)
  return { costUsd, value: ended.ok ? answerOf(call, ended.value) : ended }
}

/** The folder it works in. Whatever was begun before is not begun again. */
async function begin(call: AgentCall, { setting, flags: common }: CallParts): Promise<Result<string, string>> {
  const { id, prompt, options } = call
  const { state } = setting
  const jobs = openJobs(state, process.pid)
  const job = jobs.get(id)
  if (job) {
    // Whoever resumes a run wants what was stopped in it.
    for (const mark of ["stopped", "problem"] as const) jobs.unmark(id, mark)
    const started = await startHost(state)
    return started.ok ? ok(job.cwd) : started
  }
  const parsed = parseArguments<FlagName>([...common, ...flagsOf(call)], flags)
  if (!parsed.ok) return failed(parsed.failure.message)
  const placed = await placeFor(parsed.value, setting, prompt)
  if (!placed.ok) return placed
  const log = logOf(id, placed.value)
  if (log && hasPrompt(log, promptIdOf(id))) return ok(placed.value.cwd)
  const text = { id: promptIdOf(id), text: prompt }
  const handover = await handOver({ id, args: parsed.value, setting: placed.value, prompt: text })
  return handover.ok ? ok(placed.value.cwd) : handover

  async function placeFor(
    args: Parameters<typeof enterWorktree>[0] & Parameters<typeof readSetting>[0],
    here: StartupContext,
    words: string,
  ): Promise<Result<StartupContext, string>> {
    if (options.worktree === undefined) return ok(here)
    const entered = await enterWorktree(args, here, words)
    if (!entered.ok) return failed(entered.failure.message)
    const there = await readSetting(args, entered.value.folder)
    return there.ok ? there : failed(there.failure.message)
  }
}

const promptIdOf = (id: string): string => `${id}-call`

function flagsOf({ options, budgetUsd }: AgentCall): readonly string[] {
  const least = [options.budgetUsd, budgetUsd].filter((amount) => amount !== undefined)
  const pairs: readonly (readonly [FlagName, string | undefined])[] = [
    ["name", options.label],
    ["agent", options.agent],
    ["model", options.model],
    ["effort", options.effort],
    ["permission-mode", options.mode],
    ["worktree", options.worktree],
    ["json-schema", options.schema && JSON.stringify(options.schema)],
    ["max-budget-usd", least.length === 0 ? undefined : String(Math.min(...least))],
  ]
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]))
}

function logOf(id: string, { state, cwd }: Pick<StartupContext, "state" | "cwd">): readonly Entry[] | undefined {
  const path = logsOf(state, cwd).find(id)
  const loaded = path === undefined ? undefined : loadTail(path, { torn: "leave" })
  return loaded?.ok ? loaded.value.entries : undefined
}

interface Ended {
  readonly entries: readonly Entry[]
  readonly progress: LogProgress
}

const lookMs = 200
/** A host that was killed is started again by whoever notices. */
const hostLookMs = 2_000

async function untilEnd(call: AgentCall, cwd: string, parts: CallParts): Promise<Result<Ended, string>> {
  const { state } = parts.where
  const jobs = openJobs(state, process.pid)
  const asked = new Set<string>()
  let [size, since] = [-1, 0]
  while (!parts.signal.aborted) {
    const problem = jobs.marked(call.id, "problem")
    if (problem) return failed(problem.text)
    if (jobs.marked(call.id, "stopped")) return failed("It was stopped.")
    const path = logsOf(state, cwd).find(call.id)
    const now = path === undefined ? -1 : (statsOf(path)?.size ?? -1)
    if (now !== size) {
      size = now
      const entries = logOf(call.id, { state, cwd }) ?? []
      const progress = progressOf(entries)
      const isEnded = progress.state === "done" || progress.state === "failed" || progress.state === "stopped"
      if (isEnded && hasPrompt(entries, promptIdOf(call.id))) return ok({ entries, progress })
      for (const { id, ask } of progress.questions) if (!asked.has(id) && asked.add(id)) parts.onQuestion(ask.kind)
    }
    if (systemClock.now() - since > hostLookMs) {
      since = systemClock.now()
      await restartHost(state)
    }
    await systemClock.sleep(lookMs, parts.signal).catch(() => {})
  }
  return failed("It was interrupted.")
}

function answerOf({ options }: AgentCall, { entries, progress }: Ended): Result<JsonValue, string> {
  const { end } = progress
  if (end?.reason !== "completed") return failed(end?.message ?? `It ended with ${end?.reason ?? "nothing"}.`)
  if (options.schema === undefined) return ok(lastText(entries))
  return end.output === undefined ? failed("It gave no answer of the wanted shape.") : ok(end.output)
}

/** The text of its last message. */
function lastText(entries: readonly Entry[]): string {
  const last = entries.findLast((entry) => entry.kind === "reply" && entry.block.type === "text")
  const message = last?.kind === "reply" ? last.messageId : ""
  return entries
    .flatMap((entry) =>
      entry.kind === "reply" && entry.messageId === message && entry.block.type === "text" ? [entry.block.text] : [],
    )
    .join("")
}

const costOf = async (id: string, { catalog: file, projects }: Where): Promise<number> =>
  withCatalog({ file, projects }, async (catalog) => (await catalog.named(id)).at(0)?.costUsd ?? 0)
