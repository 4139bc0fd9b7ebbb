/** `codewright sandbox`: what confined commands may do here and why, and a command run under it. */

import { childEnvironment } from "#ground/settings/child-environment.ts"
import { sandboxOverview } from "#session/adapters/sandbox-overview.ts"
import type { SandboxOverview } from "#session/port/sandbox-overview.ts"
import { sandboxText } from "#session/slash/sandbox-text.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import { type Confinement, confinementHere } from "./confinement-here.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import type { Io } from "#faces/cli/io.ts"
import { runConfined } from "./run-confined.ts"
import { sandboxHere } from "./sandbox-here.ts"
import { settingHere } from "#faces/cli/startup-context-here.ts"

type SandboxFlag = "command" | "json" | "help"

const table: readonly Flag<SandboxFlag>[] = [
  {
    name: "command",
    kind: "value",
    takes: "line",
    about: "explain: say whether this command would run in the sandbox.",
  },
  { name: "json", kind: "switch", about: "explain: print JSON." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright sandbox <verb> [options]"],
  about:
    "The sandbox limits which files commands can change and read, and which hosts they can reach. Turn it on with: codewright config set sandbox.enabled true",
  verbs: [
    ["explain", "Show what the sandbox enforces in this folder, with the reason for each line."],
    [
      "run [--] <command>",
      "Run a command in the sandbox. Exits with the code of the command, or with 125 if the sandbox does not work.",
    ],
  ],
  table,
  examples: [
    "codewright sandbox explain",
    'codewright sandbox explain --command "docker ps"',
    "codewright sandbox run -- npm test",
  ],
}

/** As for `env` and `docker run`: the command itself did not fail. */
const notConfined = 125

export async function sandboxCommand(argv: readonly string[], io: Io): Promise<number> {
  const [verb, ...words] = argv
  // What follows belongs to the command that is run, whatever it looks like.
  if (verb === "run" && !["--help", "-h"].includes(words[0] ?? "")) return run(words, io)
  const args = readCommand(argv, table, help, io)
  if (typeof args === "number") return args
  const [named, ...more] = args.rest
  if ((named !== undefined && named !== "explain") || more.length > 0)
    return io.fail("sandbox takes explain or run [--] <command>. Run codewright sandbox --help for details.")
  return explain(args.value("command"), args.has("json"), io)
}

async function explain(command: string | undefined, asJson: boolean, io: Io): Promise<number> {
  const setting = await settingHere(io)
  if (!setting) return 1
  await using here = sandboxHere(setting, { canAsk: true })
  const confinement = command === undefined ? undefined : await confinementHere(command, setting)
  const [check, policies] = [await here.sandbox.check(), await here.policies.now()]
  const overview = sandboxOverview({
    settings: setting.loaded.settings.sandbox,
    check,
    home: setting.home,
    policy: confinement?.boundary ? await here.policies.judged(confinement.boundary) : policies.workspace,
    notes: policies.notes,
  })
  if (asJson) io.write(`${JSON.stringify(explained(overview, confinement), null, 2)}\n`)
  else io.say([...commandLine(confinement), sandboxText(overview)].join("\n\n"))
  return 0
}

/** The shape that other programs rely on, and more. */
function explained(overview: SandboxOverview, command: Confinement | undefined): object {
  const { policy, backend, works, why, fix, enabled, notes } = overview
  const { network } = policy
  const hosts = network.mode === "off" ? { allowed: [], denied: [], because: network.because } : network
  const temp = { path: policy.temp.folder, because: "temporary files of the session" }
  return {
    backend,
    works,
    ...(why !== undefined && { why, fix }),
    writes: [...policy.writes, temp],
    deniedReads: policy.hidden,
    network: { ...hosts, mode: network.mode },
    ...(command && { command: { confined: command.confined, because: command.because } }),
    enabled,
    policy: policy.name,
    held: policy.held,
    shown: policy.shown ?? [],
    replaced: policy.replaced ?? [],
    limits: policy.limits,
    withoutVariables: policy.withoutVariables ?? { names: [], except: [] },
    credentials: policy.credentials ?? [],
    notes,
  }
}

function commandLine(command: Confinement | undefined): readonly string[] {
  if (command === undefined) return []
  const { behavior, confined, because } = command
  if (behavior === "deny") return [`The command would not run. ${because}.`]
  const where = `The command would run ${confined ? "in" : "outside"} the sandbox: ${because}.`
  return [behavior === "ask" ? `${where} You would be asked first.` : where]
}

async function run(words: readonly string[], io: Io): Promise<number> {
  const [name, ...argv] = words[0] === "--" ? words.slice(1) : words
  const usage = "sandbox run needs a command, such as: codewright sandbox run -- npm test"
  if (name === undefined) {
    io.fail(usage)
    return notConfined
  }
  const setting = await settingHere(io)
  if (!setting) return notConfined
  const { cwd, loaded } = setting
  const env = childEnvironment(loaded.env)
  const file = name.includes("/") ? name : Bun.which(name, { PATH: env.PATH ?? "", cwd })
  if (file === null) {
    io.fail(`The program ${name} was not found.`)
    return 127
  }
  await using here = sandboxHere(setting, { canAsk: false })
  const check = await here.sandbox.check()
  const { now, begin, takeNotes } = here.policies
  const { workspace } = await now()
  const end = begin(workspace)
  const done = check.works
    ? await runConfined(here.sandbox, { program: { file, argv, cwd, env }, policy: workspace })
    : { why: check.why, fix: check.fix }
  await end()
  for (const note of takeNotes()) io.warn(note)
  if (typeof done === "number") return done
  io.fail(`The command did not run, because the sandbox does not work: ${done.why}. ${done.fix}`)
  return notConfined
}
