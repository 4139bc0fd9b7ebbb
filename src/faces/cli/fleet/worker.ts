/** `codewright worker`: takes sessions of a fleet from a database and runs them here. */

import { systemClock } from "#lib/clock.ts"
import { splitList } from "#lib/split-list.ts"
import { makePrivateFolder } from "#ground/settings/state-folder.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { databaseHere, openFleetHere } from "./fleet-here.ts"
import type { Io } from "#faces/cli/io.ts"
import { fleetConfinement, confinementWarning } from "./fleet-confinement.ts"
import { modelWarning } from "./model-warning.ts"
import { hideVariables, ownEnvironment, secretsFlag, warnOfPassword } from "./own-environment.ts"
import { secretVariablesOf } from "./server-secrets.ts"
import { readNumber } from "#faces/cli/flags/numbers.ts"
import { logFlag, withLog } from "./server-log.ts"
import { settingHere } from "#faces/cli/startup-context-here.ts"
import { startWorkerHere } from "./worker-here.ts"

type WorkerFlag = "database" | "secrets" | "slots" | "labels" | "workplaces" | "log-format" | "json" | "help"

const table: readonly Flag<WorkerFlag>[] = [
  { name: "database", kind: "value", takes: "postgres://…", about: "The Postgres database that the sessions are in." },
  secretsFlag,
  { name: "slots", kind: "value", takes: "n", about: "How many sessions it runs at a time (default: 4)." },
  {
    name: "labels",
    kind: "value",
    takes: "a,b",
    about: "What this machine offers. A session with labels goes to workers that have all of them.",
  },
  {
    name: "workplaces",
    kind: "value",
    takes: "folder",
    about:
      "Where sessions have their folders, the same on every machine (default: server.workplaces of the settings, else ~/.local/share/codewright/fleet).",
  },
  logFlag,
  { name: "json", kind: "switch", about: "Print one line of JSON when the worker is ready, and nothing else." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright worker --database postgres://… [options]"],
  about:
    "Runs sessions that were started with codewright serve on another machine, until Ctrl+C. A session that waits for an answer takes no slot.",
  table,
  examples: ["codewright worker --database postgres://db.example/codewright --slots 8"],
}

export async function workerCommand(argv: readonly string[], plainIo: Io): Promise<number> {
  const parsed = parseArguments(argv, table)
  if (!parsed.ok) return plainIo.fail(`worker: ${parsed.failure.message}`)
  const args = parsed.value
  const io = withLog(plainIo, { format: args.value("log-format"), program: "worker", clock: systemClock })
  if (args.has("help") || args.rest[0] === "help") {
    io.write(commandHelp(help))
    return 0
  }
  if (args.rest.length > 0)
    return io.fail(`worker takes only options, not '${args.rest[0]}'. See codewright worker --help.`)
  const own = ownEnvironment(args.value("secrets"), io)
  if (!own.ok) return io.fail(own.failure)
  const { env } = own.value
  warnOfPassword(args.value("database"), io)
  const slots = readNumber("--slots", args.value("slots") ?? "4", { least: 1, most: 1000, whole: true })
  if (!slots.ok) return io.fail(slots.failure)
  const labels = splitList(args.value("labels") ?? "")
  const setting = await settingHere(io, env)
  if (!setting) return 1
  const state = makePrivateFolder(setting.state)
  if (!state.ok) return io.fail(state.failure)
  hideVariables(secretVariablesOf(setting.loaded.settings.server ?? {}))
  const database = await databaseHere(args.value("database"), env, setting)
  if (!database.ok) return io.fail(database.failure)
  if (database.value === undefined)
    return io.fail(
      "worker needs --database postgres://… (or CODEWRIGHT_DATABASE), or server.database in the settings, because only codewright serve can use the embedded database.",
    )
  const fleet = await openFleetHere(setting.state, database.value, io.warn)
  if (!fleet.ok) return io.fail(fleet.failure)
  const stopped = io.untilStopped()
  const confinement = await fleetConfinement(setting, own.value.secretFiles)
  const warning = confinementWarning(confinement)
  if (warning !== undefined) io.warn(warning)
  const modelless = modelWarning(setting)
  if (modelless !== undefined) io.warn(modelless)
  const { store } = fleet.value
  const settings = setting.loaded.settings.server ?? {}
  const worker = await startWorkerHere({
    store,
    where: setting,
    slots: slots.value,
    labels,
    settings,
    workplaces: args.value("workplaces"),
    report: io.warn,
    env,
    confinement,
    network: setting.network,
  })
  const ready = { type: "ready", worker: worker.id, pid: process.pid }
  io.write(args.has("json") ? `${JSON.stringify(ready)}\n` : `Worker ${worker.id} is ready. Ctrl+C to stop.\n`)
  const code = await stopped
  await worker.close()
  await fleet.value.close()
  return code
}
