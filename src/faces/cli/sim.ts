/** `codewright sim`: the simulated model as a server of its own. */

import { parseArguments } from "./flags/argv.ts"
import { type CommandHelp, commandHelp } from "./help/command-help.ts"
import type { Flag } from "./flags/flag.ts"
import type { Io } from "./io.ts"
import { readNumber } from "./flags/numbers.ts"
import { recordFlags } from "./sim-record.ts"

type Name = "port" | "scenario" | "window" | "no-strict" | "fault-rate" | "seed" | "help"

const table: readonly Flag<Name>[] = [
  { name: "port", kind: "value", takes: "n", about: "The port to listen on; 0 (the default) picks a free one." },
  {
    name: "scenario",
    kind: "value",
    takes: "file",
    about: "The scenario to play: a YAML or TypeScript file. Without one, the demo.",
  },
  {
    name: "window",
    kind: "value",
    takes: "tokens",
    about: "The context window of every model, such as 8192, for the prompt and its answer together.",
  },
  { name: "no-strict", kind: "switch", about: "Accept requests that the real API would reject." },
  {
    name: "fault-rate",
    kind: "value",
    takes: "0..1",
    about: "The share of requests that fail on purpose, from 0 to 1.",
  },
  { name: "seed", kind: "value", takes: "n", about: "The seed of the random faults." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright sim [options]", "codewright sim record [options]"],
  about: "Serves a simulated model on this machine until Ctrl+C.",
  verbs: [["record", "Forward requests to a real provider, and save its answers as a scenario."]],
  table,
  verbTables: { record: recordFlags },
  examples: [
    "codewright sim --scenario replies.yaml --fault-rate 0.2",
    "",
    "replies.yaml (each request gets the next reply):",
    "  replies:",
    "    - content:",
    "        - text: I read it first.",
    "        - { tool: Read, input: { file_path: a.txt } }",
    "    - content: That is all.",
    "      times: always",
  ],
}

export async function simCommand(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === "record") return (await import("./sim-record.ts")).simRecordCommand(argv.slice(1), io)
  const parsed = parseArguments(argv, table)
  if (!parsed.ok) return io.fail(`sim: ${parsed.failure.message}`)
  const args = parsed.value
  if (args.has("help")) {
    io.write(commandHelp(help))
    return 0
  }
  if (args.rest.length > 0)
    return io.fail(`sim takes record or options, not '${args.rest[0]}'. To play a file: --scenario <file>.`)

  const port = readNumber("--port", args.value("port") ?? "0", { least: 0, most: 65_535, whole: true })
  if (!port.ok) return io.fail(port.failure)
  const rate = readNumber("--fault-rate", args.value("fault-rate") ?? "0", { least: 0, most: 1, whole: false })
  if (!rate.ok) return io.fail(rate.failure)
  const seed = readNumber("--seed", args.value("seed") ?? "1", { least: 0, most: 2 ** 32, whole: true })
  if (!seed.ok) return io.fail(seed.failure)
  const windowText = args.value("window")
  const window =
    windowText === undefined ? undefined : readNumber("--window", windowText, { least: 1, most: 1e9, whole: true })
  if (window && !window.ok) return io.fail(window.failure)

  const { openSimulator } = await import("#sim/server.ts")
  const { loadScenario } = await import("#sim/load-scenario.ts")
  const file = args.value("scenario")
  const scenario = file === undefined ? undefined : await loadScenario(file)
  if (scenario && !scenario.ok) return io.fail(scenario.failure.message)
  const simulator = await openSimulator({
    port: port.value,
    faultRate: rate.value,
    seed: seed.value,
    strict: !args.has("no-strict"),
    keepRequests: "none",
    ...(scenario && { scenario: scenario.value }),
    ...(window && { window: window.value }),
  })
  if (!simulator.ok) return io.fail(simulator.failure.message)
  io.write(`The simulated model is listening at ${simulator.value.url}\n`)
  io.write(`Use it with: ANTHROPIC_BASE_URL=${simulator.value.url} ANTHROPIC_API_KEY=any codewright -p "hello"\n`)
  const code = await io.untilStopped()
  await simulator.value.close()
  return code
}
