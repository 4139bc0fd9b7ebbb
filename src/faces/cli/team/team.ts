/** `codewright team`: shared task lists, and who works on them. */

import { hostname } from "node:os"
import { systemClock } from "#lib/clock.ts"
import { nearNames } from "#lib/near.ts"
import { stripControls } from "#lib/printable.ts"
import type { Member, TeamOverview } from "#agent/words/team.ts"
import { isRunning, ownerOf } from "#ground/transcript/lock.ts"
import { readTeamOverview, teamDot, teamNames } from "#team/overview.ts"
import { shownState, shownTeam } from "#team/shown.ts"
import { taskLines } from "#team/task-words.ts"
import { removeTeam } from "#team/tidy.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import type { Io } from "#faces/cli/io.ts"
import { whereWeAre } from "#faces/cli/where.ts"

type TeamFlag = "json" | "dot" | "help"

const table: readonly Flag<TeamFlag>[] = [
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "dot", kind: "switch", about: "show: print the tasks as a graph for Graphviz." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright team <verb> [options]"],
  about: "Task lists that several sessions share. A session joins one by name: CODEWRIGHT_TASK_LIST=release codewright",
  verbs: [
    ["list", "List the task lists."],
    ["show <name>", "Show the tasks of a list, who has them and what they wait for."],
    ["delete <name>", "Delete a list or team that nobody uses, with its tasks and mail."],
  ],
  table,
  examples: ["codewright team show release", "codewright team show release --dot | dot -Tsvg > tasks.svg"],
}

export async function teamCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = readCommand(argv, table, help, io)
  if (typeof args === "number") return args
  const [verb, name, ...more] = args.rest
  const { state } = whereWeAre()
  if (verb === "list" && name === undefined) return list(state, args.has("json"), io)
  if (verb === "show" && name !== undefined && more.length === 0)
    return show(state, name, args.has("json") ? "json" : args.has("dot") ? "dot" : "text", io)
  if (verb === "delete" && name !== undefined && more.length === 0) return remove(state, name, io)
  return io.fail("team takes list, show <name> or delete <name>. Run codewright team --help for details.")
}

/** Of a process on another machine nothing is known here. */
const runs = (member: Member): boolean => member.host !== hostname() || isRunning(member, ownerOf(process.pid))

async function list(state: string, asJson: boolean, io: Io): Promise<number> {
  const overviews = await Promise.all(teamNames(state).map((name) => readTeamOverview(state, name, systemClock)))
  const teams = overviews.filter((overview) => overview !== undefined)
  if (asJson)
    io.write(
      `${JSON.stringify(
        teams.map((team) => shownTeam(team, runs)),
        null,
        2,
      )}\n`,
    )
  else if (teams.length === 0) io.write("No task lists.\n")
  else io.write(`${stripControls(teams.map(summary).join("\n"))}\n`)
  return 0
}

async function show(state: string, name: string, form: "json" | "dot" | "text", io: Io): Promise<number> {
  const overview = await readTeamOverview(state, name, systemClock)
  if (!overview) return io.fail(unknownWords(state, name))
  if (form === "json") io.write(`${JSON.stringify(shownTeam(overview, runs), null, 2)}\n`)
  else if (form === "dot") io.write(`${stripControls(teamDot(overview))}\n`)
  else
    io.write(
      `${stripControls([overview.tasks.length === 0 ? "No tasks." : taskLines(overview.tasks), ...memberLines(overview)].join("\n"))}\n`,
    )
  return 0
}

async function remove(state: string, name: string, io: Io): Promise<number> {
  const overview = await readTeamOverview(state, name, systemClock)
  if (!overview) return io.fail(unknownWords(state, name))
  const removed = removeTeam(state, overview, runs)
  if (!removed.ok) return io.fail(removed.failure)
  const open = overview.tasks.filter(({ status }) => status !== "completed").length
  io.write(`Deleted ${name}${open === 0 ? "" : ` with ${open} open ${open === 1 ? "task" : "tasks"}`}.\n`)
  return 0
}

function unknownWords(state: string, name: string): string {
  const [near] = nearNames(name, teamNames(state), 1)
  return `No task list named ${name}. ${near === undefined ? "codewright team list shows all." : `Did you mean ${near}?`}`
}

/** Those that are still in the team. */
const memberLines = ({ members }: TeamOverview): readonly string[] =>
  members.flatMap((member) => {
    const state = shownState(member, runs(member))
    return state === "gone" ? [] : [`${member.name}: ${state === "not_running" ? "not running" : state}`]
  })

function summary({ name, tasks }: TeamOverview): string {
  const done = tasks.filter(({ status }) => status === "completed").length
  return `${name}  ${done} of ${tasks.length} done`
}
