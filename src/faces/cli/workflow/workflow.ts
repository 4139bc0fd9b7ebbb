/** `codewright workflow`: scripts of a repository that let many agents work, and remember what each of them has answered. */

import { isRunId, listRuns, newRunId, openRunRecord, type WorkflowRun } from "#fleet/workflow/run-record.ts"
import { systemClock } from "#lib/clock.ts"
import { counted, costText } from "#lib/figures.ts"
import type { JsonValue } from "#lib/json.ts"
import { stripControls } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Arguments, parseArguments } from "#faces/cli/flags/argv.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import type { Io } from "#faces/cli/io.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { whereWeAre } from "#faces/cli/where.ts"
import { unknownWorkflow, workflowNamed, workflowsIn } from "./find-workflow.ts"
import { runWorkflow } from "./run-workflow.ts"

type WorkflowFlag = "id" | "tell" | "input" | "concurrency" | "max-budget-usd" | "resume" | "json" | "help" | PassedFlag

/** What its agents are started with. */
const passed = ["model", "effort", "permission-mode", "allowed-tools", "disallowed-tools", "add-dir", "trust"] as const
type PassedFlag = (typeof passed)[number]

const table: readonly Flag<WorkflowFlag>[] = [
  { name: "id", kind: "value", takes: "run", hidden: true, about: "run: the id of the new run." },
  { name: "tell", kind: "value", takes: "session", hidden: true, about: "run: the session that hears how it ends." },
  { name: "input", kind: "value", takes: "JSON", about: "run: what the script gets as input." },
  { name: "concurrency", kind: "value", takes: "n", about: "run: how many agents work at once (4)." },
  { name: "max-budget-usd", kind: "value", takes: "amount", about: "run: start no agent once this much is spent." },
  {
    name: "resume",
    kind: "value",
    takes: "run",
    about: "run: continue this run; what has been answered is not asked again.",
  },
  ...flags.filter((flag): flag is Flag<PassedFlag> => (passed as readonly string[]).includes(flag.name)),
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright workflow <verb> [options]"],
  about:
    "Scripts in .codewright/workflows that let many agents work. A run that was killed continues where it was: every agent works once.",
  verbs: [
    ["list", "List the workflows of this repository."],
    ["run <name or file>", "Run one. Its agents are background sessions: see codewright agents."],
    ["runs", "List the runs of this folder, and how they ended."],
  ],
  table,
  examples: ["codewright workflow run audit --max-budget-usd 2", "codewright workflow run --resume wf-3fa85f64"],
}

const usualConcurrency = 4

export async function workflowCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = readCommand(argv, table, help, io)
  if (typeof args === "number") return args
  const [verb, name, ...more] = args.rest
  if (verb === "list" && name === undefined) return list(args.has("json"), io)
  if (verb === "runs" && name === undefined) return runs(args.has("json"), io)
  if (verb === "run" && more.length === 0 && (name === undefined) === args.has("resume")) return run(args, name, io)
  return io.fail(
    "workflow takes list, runs, run <name> or run --resume <run>. Run codewright workflow --help for details.",
  )
}

function list(asJson: boolean, io: Io): number {
  const all = workflowsIn(whereWeAre().cwd)
  if (asJson) io.write(`${JSON.stringify({ workflows: all }, null, 2)}\n`)
  else if (all.length === 0) io.write("No workflows. Put a script into .codewright/workflows.\n")
  else for (const { name, file } of all) io.say(`${name}  ${file}`)
  return 0
}

function runs(asJson: boolean, io: Io): number {
  const { state, cwd } = whereWeAre()
  const all = listRuns(state).filter((one) => one.cwd === cwd)
  if (asJson) io.write(`${JSON.stringify({ runs: all }, null, 2)}\n`)
  else if (all.length === 0) io.write("No runs of workflows in this folder.\n")
  else for (const one of all) io.say(`${one.id}  ${one.file}  ${endWords(one)}`)
  return 0
}

const endWords = ({ end }: WorkflowRun): string =>
  end === undefined ? "not ended" : end.ok ? "done" : `failed: ${end.why}`

async function run(args: Arguments<WorkflowFlag>, name: string | undefined, io: Io): Promise<number> {
  const asked = await askedRun(args, name)
  if (!asked.ok) return io.fail(asked.failure)
  const most = Number(args.value("concurrency") ?? usualConcurrency)
  if (!Number.isInteger(most) || most < 1) return io.fail("--concurrency takes a whole number from 1 on.")
  const budget = args.value("max-budget-usd")
  const budgetUsd = budget === undefined ? undefined : Number(budget)
  if (budgetUsd !== undefined && !(budgetUsd > 0)) return io.fail("--max-budget-usd takes an amount above 0.")
  const started = parseArguments<FlagName>(asked.value.flags, flags)
  if (!started.ok) return io.fail(started.failure.message)
  const setting = await readSetting(started.value, asked.value.cwd)
  if (!setting.ok) return io.fail(setting.failure.message)
  const stop = new AbortController()
  void io.untilStopped().then(() => stop.abort())
  io.warn(`Run ${asked.value.id}`)
  const ended = await runWorkflow({
    run: asked.value,
    setting: setting.value,
    where: whereWeAre(),
    most,
    budgetUsd,
    say: io.warn,
    signal: stop.signal,
  })
  if (!ended.ok) return io.fail(ended.failure)
  const listener = args.value("tell")
  if (listener !== undefined)
    await (await import("#faces/cli/background/other-sessions.ts")).ring(listener, whereWeAre().state)
  const { result, costUsd, calls } = ended.value
  if (args.has("json"))
    io.write(
      `${JSON.stringify({
        run: asked.value.id,
        ok: result.ok,
        ...(result.ok ? { result: result.value } : { error: result.failure }),
        calls,
        costUsd,
      })}\n`,
    )
  else if (result.ok)
    io.write(`${typeof result.value === "string" ? result.value : JSON.stringify(result.value, null, 2)}\n`)
  io.warn(`${counted(calls, "call")}, ${costText(costUsd)}`)
  if (result.ok) return 0
  const again = stop.signal.aborted ? ` Continue with: codewright workflow run --resume ${asked.value.id}` : ""
  return io.fail(`${stripControls(result.failure)}${again}`)
}

/** A new run, or the one to continue. The failure is a sentence. */
async function askedRun(args: Arguments<WorkflowFlag>, name: string | undefined): Promise<Result<WorkflowRun, string>> {
  const { state, cwd } = whereWeAre()
  const id = args.value("resume")
  if (id !== undefined) {
    const before = isRunId(id) ? openRunRecord(state, id).run() : undefined
    if (!before) return failed(`No run ${id}. codewright workflow runs shows all.`)
    const { end: _, ...rest } = before
    return ok(rest)
  }
  const wanted = args.value("id")
  if (wanted !== undefined && (!isRunId(wanted) || openRunRecord(state, wanted).run()))
    return failed(`${wanted} cannot be the id of a new run.`)
  const file = workflowNamed(name ?? "", cwd)
  if (!file) return failed(unknownWorkflow(name ?? "", cwd))
  const input = readInput(args.value("input"))
  if (!input.ok) return input
  return ok({
    id: args.value("id") ?? newRunId(),
    file: file.file,
    cwd,
    input: input.value,
    flags: passed.flatMap((flag) =>
      args.has(flag) ? args.list(flag).map((value) => (value === "" ? `--${flag}` : `--${flag}=${value}`)) : [],
    ),
    startedAt: systemClock.now(),
  })
}

function readInput(text: string | undefined): Result<JsonValue, string> {
  if (text === undefined) return ok(null)
  try {
    return ok(JSON.parse(text) as JsonValue)
  } catch {
    return failed(`--input takes JSON, such as '{"folder":"src"}' or '"text"'.`)
  }
}
