/** `codewright hooks`: what is configured, and what it does at a moment that is only pretended. */

import { type HookEvent, hookEvents } from "#kits/hooks/moments.ts"
import { type ConfiguredHook, type HookConfiguration, readHooks } from "#kits/hooks/config.ts"
import type { Fired, HookBody } from "#kits/hooks/dispatch.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { ruleProblem } from "#session/adapters/hook-ground.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { findPlugins } from "./plugins.ts"
import type { Io } from "#faces/cli/io.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"

type HooksFlag = "tool" | "input" | "json" | "trust" | "help"

const table: readonly Flag<HooksFlag>[] = [
  { name: "tool", kind: "value", takes: "name", about: "test: the tool of the event; Bash by default." },
  {
    name: "input",
    kind: "value",
    takes: "json",
    about: "test: the tool's input; for other events, fields that replace the sample values.",
  },
  { name: "json", kind: "switch", about: "Print JSON." },
  {
    name: "trust",
    kind: "switch",
    about: "Include the project's own hooks this time, even if the folder is not trusted.",
  },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright hooks <verb> [options]"],
  about: "Hooks are your own commands, run at set points in a session. Configure them under hooks in settings.",
  verbs: [
    ["list", "List the active hooks, the file each comes from, and problems with others."],
    ["test <event>", "Run the hooks of an event with sample input and show their answers. The commands really run."],
  ],
  table,
  examples: [
    "codewright hooks list",
    `codewright hooks test PreToolUse --tool Bash --input '{"command": "git push"}'`,
    "codewright hooks test Stop",
  ],
}

export async function hooksCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = readCommand(argv, table, help, io)
  if (typeof args === "number") return args
  const [verb = "list", ...words] = args.rest
  if (verb !== "list" && verb !== "test")
    return io.fail(`hooks takes list or test <event>, not '${verb}'. Run codewright hooks --help for details.`)
  const setting = await settingHere(args.has("trust"), io)
  if (!setting) return 1
  const plugins = await findPlugins({ list: () => [] }, setting)
  const configuration = readHooks([...setting.loaded.hooks, ...plugins.hooks], { ruleProblem })
  const asJson = args.has("json")
  if (verb === "list")
    return words.length > 0 ? io.fail("hooks list takes no arguments.") : list(configuration, asJson, io)
  const event = eventNamed(words)
  if (!event.ok) return io.fail(event.failure)
  const input = inputGiven(args.value("input"))
  if (!input.ok) return io.fail(input.failure)
  const { tryHooks } = await import("./try-hooks.ts")
  const moment = { event: event.value, tool: args.value("tool") ?? "Bash", input: input.value }
  const tried = await tryHooks({ setting, configuration, warn: io.warn }, moment)
  if (!tried.ok) return io.fail(tried.failure)
  if (asJson) io.write(`${JSON.stringify(tried.value)}\n`)
  else io.say(shown(tried.value, event.value))
  return 0
}

function list({ hooks, problems }: HookConfiguration, asJson: boolean, io: Io): number {
  if (asJson) {
    io.write(`${JSON.stringify(hooks.map(({ matches: _matches, ...hook }) => hook))}\n`)
  } else {
    io.say(hooks.length === 0 ? "No hooks." : hooks.map(line).join("\n"))
  }
  for (const problem of problems) io.warn(problem)
  return 0
}

const line = ({ event, matcher, name, source, file, required, isAsync }: ConfiguredHook): string =>
  `${event}${matcher === "" ? "" : ` (${matcher})`}  ${name}  ${source}, ${file}${required ? "  required" : ""}${isAsync ? "  async" : ""}`

function shown({ runs, verdict, reason, by, contexts, stop, updatedInput }: Fired, event: HookEvent): string {
  if (runs.length === 0) return `No hook runs at ${event} with this input.`
  const together = [
    ...(verdict === undefined ? [] : [`Decision: ${verdict}, by ${by}${reason === undefined ? "" : `: ${reason}`}`]),
    ...(updatedInput === undefined ? [] : [`Input changed to: ${JSON.stringify(updatedInput)}`]),
    ...contexts.map((context) => `For the model: ${context}`),
    ...(stop === undefined ? [] : [`Stops the turn: ${stop}`]),
  ]
  return [...runs.map(runLine), ...(together.length === 0 ? ["No decision."] : together)].join("\n")
}

const runLine = ({ matcher, name, source, exit, ms, decision, failure }: HookBody): string =>
  [
    `${name}  (${source}${matcher === "" ? "" : `, matcher ${matcher}`})`,
    `  exit ${exit ?? "none"}, ${ms} ms${decision === undefined ? "" : `, ${decision}`}${failure === undefined ? "" : `; ${failure}`}`,
  ].join("\n")

function eventNamed([name, ...more]: readonly string[]): Result<HookEvent, string> {
  if (name === undefined || more.length > 0)
    return failed("hooks test takes one event, such as: codewright hooks test PreToolUse")
  const found = hookEvents.find((event) => event.toLowerCase() === name.toLowerCase())
  if (found) return ok(found)
  const near = nearNames(name, hookEvents, 1)[0]
  return failed(`Unknown event ${name}${near ? `; did you mean ${near}?` : `. Events: ${hookEvents.join(", ")}.`}`)
}

function inputGiven(text: string | undefined): Result<JsonObject, string> {
  if (text === undefined) return ok({})
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return ok(value)
  } catch {
    // The sentence below serves a broken text and a strange one alike.
  }
  return failed('--input must be a JSON object, such as \'{"command": "git push"}\'.')
}

async function settingHere(trusts: boolean, io: Io): Promise<StartupContext | undefined> {
  const none = parseArguments<FlagName>(trusts ? ["--trust"] : [], flags)
  const setting = none.ok ? await readSetting(none.value) : undefined
  if (setting?.ok) {
    for (const warning of setting.value.warnings) io.warn(warning)
    return setting.value
  }
  io.fail(setting?.failure.message ?? "The settings cannot be read.")
  return undefined
}
