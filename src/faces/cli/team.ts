/** `codewright team`: shared task lists, and who works on them. */

import { systemClock } from "#lib/clock.ts"
import { nearNames } from "#lib/near.ts"
import { printable } from "#lib/printable.ts"
import type { TeamLook } from "#agent/words/team.ts"
import { lookAtTeam, teamDot, teamNames } from "#team/look.ts"
import { shownTeam } from "#team/shown.ts"
import { taskLines } from "#team/task-words.ts"
import { parseArguments } from "./argv.ts"
import { type CommandHelp, commandHelp } from "./command-help.ts"
import type { Flag } from "./flag.ts"
import type { Io } from "./io.ts"
import { whereWeAre } from "./where.ts"

type TeamFlag = "json" | "dot" | "help"

const table: readonly Flag<TeamFlag>[] = [
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "dot", kind: "switch", about: "show: print the tasks as a graph for Graphviz." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

const help: CommandHelp = {
  usage: ["codewright team <verb> [options]"],
  about: "Task lists that several sessions share. A session joins one by name: CODEWRIGHT_TASK_LIST=release codewright",
  verbs: [
    ["list", "List the task lists."],
    ["show <name>", "Show the tasks of a list, who has them and what they wait for."],
  ],
  table,
  examples: ["codewright team show release", "codewright team show release --dot | dot -Tsvg > tasks.svg"],
}

export async function teamCommand(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseArguments(argv, table)
  if (!parsed.ok) return io.fail(parsed.failure.message)
  const args = parsed.value
  const [verb, name, ...more] = args.rest
  if (args.has("help") || verb === "help") {
    io.write(commandHelp(help))
    return 0
  }
  const { state } = whereWeAre()
  if (verb === "list" && name === undefined) return list(state, args.has("json"), io)
  if (verb === "show" && name !== undefined && more.length === 0)
    return show(state, name, args.has("json") ? "json" : args.has("dot") ? "dot" : "text", io)
  return io.fail("team takes list or show <name>. Run codewright team --help for details.")
}

async function list(state: string, asJson: boolean, io: Io): Promise<number> {
  const looks = await Promise.all(teamNames(state).map((name) => lookAtTeam(state, name, systemClock)))
  const teams = looks.filter((look) => look !== undefined)
  if (asJson) io.write(`${JSON.stringify(teams.map(shownTeam), null, 2)}\n`)
  else if (teams.length === 0) io.write("No task lists.\n")
  else io.write(`${printable(teams.map(summary).join("\n"))}\n`)
  return 0
}

async function show(state: string, name: string, form: "json" | "dot" | "text", io: Io): Promise<number> {
  const look = await lookAtTeam(state, name, systemClock)
  if (!look) {
    const [near] = nearNames(name, teamNames(state), 1)
    return io.fail(
      `No task list named ${name}. ${near === undefined ? "codewright team list shows all." : `Did you mean ${near}?`}`,
    )
  }
  if (form === "json") io.write(`${JSON.stringify(shownTeam(look), null, 2)}\n`)
  else if (form === "dot") io.write(`${printable(teamDot(look))}\n`)
  else io.write(`${printable(look.tasks.length === 0 ? "No tasks." : taskLines(look.tasks))}\n`)
  return 0
}

function summary({ name, tasks }: TeamLook): string {
  const done = tasks.filter(({ status }) => status === "completed").length
  return `${name}  ${done} of ${tasks.length} done`
}
