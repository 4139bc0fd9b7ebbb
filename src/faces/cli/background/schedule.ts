/** `codewright schedule`: runs of later and again, in the host of background sessions. */

import { openJobs } from "#fleet/background/jobs.ts"
import {
  atRule,
  cronRule,
  everyRule,
  localTime,
  nextOf,
  ruleText,
  type ScheduleRule,
} from "#fleet/background/schedule-rule.ts"
import type { Schedule } from "#fleet/background/schedules.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { forConsent } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import type { Io } from "#faces/cli/io.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { whereWeAre } from "#faces/cli/where.ts"
import { problemOf } from "./bg.ts"
import { openingOf } from "./hand-over.ts"
import { schedulesHere } from "./schedules-here.ts"
import { startHost } from "./start-host.ts"

type ScheduleFlag = "at" | "every" | "cron" | "json" | "help"

const own: readonly Flag<ScheduleFlag>[] = [
  { name: "at", kind: "value", takes: "time", about: "Run once: 14:30, 2h (from now) or 2026-11-20T09:00." },
  { name: "every", kind: "value", takes: "interval", about: "Run again and again: 30m, 2h, 1d." },
  {
    name: "cron",
    kind: "value",
    takes: "expression",
    about: 'Run by five fields in local time, minute hour day month weekday: "0 9 * * 1-5".',
  },
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: [
    'codewright schedule add --at <time> [options] "prompt"',
    'codewright schedule add --every <interval> [options] "prompt"',
    'codewright schedule add --cron <expression> [options] "prompt"',
    "codewright schedule list [--json]",
    "codewright schedule remove <id>",
    "codewright schedule run <id>",
  ],
  about:
    "Starts sessions later, or again and again, in the background of this folder. add takes the options of a session, such as --model, --goal and --permission-mode. If the machine was off, a missed time runs once when Codewright is next started.",
  table: own,
}

export async function scheduleCommand(argv: readonly string[], io: Io): Promise<number> {
  const [act = "", ...words] = argv
  switch (act) {
    case "add":
      return add(words, io)
    case "list":
    case "ls":
    case "":
      return list(words, io)
    case "remove":
    case "rm":
      return one(words, io, (schedules, id) => (schedules.remove(id) ? "Removed." : undefined))
    case "run":
      return run(words, io)
    default:
      if (act !== "--help" && act !== "-h")
        return io.fail(`There is no codewright schedule ${act}. It takes add, list, remove or run.`)
      io.write(commandHelp(help))
      return 0
  }
}

async function add(argv: readonly string[], io: Io): Promise<number> {
  const shared = flags.filter(({ name }) => !own.some((flag) => flag.name === name))
  const parsed = parseArguments<FlagName | ScheduleFlag>(argv, [...own, ...shared])
  if (!parsed.ok) return io.fail(parsed.failure.message)
  const args = parsed.value
  if (args.has("help")) {
    io.write(commandHelp(help))
    return 0
  }
  const now = systemClock.now()
  const rule = ruleOf(args, now)
  if (!rule.ok) return io.fail(rule.failure)
  const prompt = args.rest.join(" ").trim()
  if (prompt === "")
    return io.fail('Write what is to be done: codewright schedule add --every 1d "look for outdated dependencies"')
  const setting = await readSetting(args)
  if (!setting.ok) return io.fail(setting.failure.message)
  const problem = await problemOf(args, setting.value)
  if (!problem.ok) return io.fail(problem.failure.message)
  const { state } = setting.value
  const nextAt = nextOf(rule.value, rule.value.kind === "at" ? now - 1 : now)
  if (nextAt === undefined) return io.fail("That time never comes.")
  const schedule: Schedule = {
    id: systemIds.uuid().slice(0, 8),
    rule: rule.value,
    prompt,
    ...openingOf(args, setting.value),
    createdAt: now,
    nextAt,
    runs: 0,
  }
  schedulesHere(state, openJobs(state, process.pid)).put(schedule)
  const started = await startHost(state)
  if (!started.ok) return io.fail(started.failure)
  if (args.has("json")) io.write(`${JSON.stringify(shown(schedule))}\n`)
  else
    io.say(
      `Scheduled ${schedule.id}: ${ruleText(schedule.rule)}, next ${localTime(nextAt)}.\nIt appears in codewright agents when it runs. Remove it with: codewright schedule remove ${schedule.id}`,
    )
  return 0
}

function ruleOf(
  args: { readonly value: (name: ScheduleFlag) => string | undefined },
  now: number,
): Result<ScheduleRule, string> {
  const timingFlags = (["at", "every", "cron"] as const).flatMap((name) => {
    const value = args.value(name)
    return value === undefined ? [] : [{ name, value }]
  })
  const [first, ...more] = timingFlags
  if (!first || more.length > 0) return failed("Say when with one of --at, --every and --cron.")
  const read = { at: atRule, every: everyRule, cron: cronRule }[first.name]
  return read(first.value, now)
}

function list(argv: readonly string[], io: Io): number {
  const parsed = parseArguments(argv, own)
  if (!parsed.ok) return io.fail(parsed.failure.message)
  const { state } = whereWeAre()
  const all = schedulesHere(state, openJobs(state, process.pid)).list()
  if (parsed.value.has("json")) io.write(`${JSON.stringify(all.map(shown))}\n`)
  else if (all.length === 0)
    io.say('Nothing is scheduled. Add something with: codewright schedule add --every 1d "prompt"')
  else io.say(all.map(lineOf).join("\n"))
  return 0
}

const lineOf = ({ id, rule, nextAt, runs, prompt, cwd }: Schedule): string =>
  [
    id,
    ruleText(rule),
    nextAt === undefined ? "done" : `next ${localTime(nextAt)}`,
    `${runs} ${runs === 1 ? "run" : "runs"}`,
    forConsent(cwd),
    forConsent(prompt.split("\n")[0] ?? ""),
  ].join("  ")

const shown = ({ id, rule, nextAt, runs, prompt, cwd, last }: Schedule): object => ({
  id,
  rule,
  prompt,
  cwd,
  runs,
  ...(nextAt !== undefined && { next: nextAt }),
  ...(last && { last: { session: last.sessionId, at: last.at } }),
})

function one(
  argv: readonly string[],
  io: Io,
  act: (schedules: ReturnType<typeof schedulesHere>, id: string) => string | undefined,
): number {
  const { state } = whereWeAre()
  const schedules = schedulesHere(state, openJobs(state, process.pid))
  const found = named(argv, schedules.list())
  if (!found.ok) return io.fail(found.failure)
  const said = act(schedules, found.value.id)
  if (said === undefined) return io.fail("It is gone already.")
  io.say(said)
  return 0
}

async function run(argv: readonly string[], io: Io): Promise<number> {
  const done = one(argv, io, (schedules, id) =>
    schedules.runNow(id, systemClock.now()) ? "It starts now: codewright agents shows it." : undefined,
  )
  if (done !== 0) return done
  const started = await startHost(whereWeAre().state)
  return started.ok ? 0 : io.fail(started.failure)
}

function named([id = "", ...more]: readonly string[], all: readonly Schedule[]): Result<Schedule, string> {
  const found = id === "" || more.length > 0 ? [] : all.filter((schedule) => schedule.id.startsWith(id))
  const [only] = found
  if (only && found.length === 1) return ok(only)
  return failed(
    id === "" ? "Name the schedule by its id: codewright schedule list shows them." : `There is no schedule ${id}.`,
  )
}
