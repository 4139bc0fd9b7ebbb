/** `codewright sessions`: everything that can be done with sessions without opening one. */

import { nearNames } from "#lib/near.ts"
import { parseArguments } from "./argv.ts"
import { type CommandHelp, commandHelp } from "./command-help.ts"
import type { Flag } from "./flags.ts"
import type { Io } from "./io.ts"
import { exportFormats, type SessionsCall, type SessionsFlag } from "./sessions-call.ts"
import { whereWeAre } from "./where.ts"

const table: readonly Flag<SessionsFlag>[] = [
  { name: "json", kind: "switch", about: "Write JSON." },
  { name: "all", also: ["-a"], kind: "switch", about: "Of all folders, not only this one." },
  { name: "limit", also: ["-n"], kind: "value", takes: "n", about: "At most so many; 20 when it is not given." },
  { name: "days", kind: "value", takes: "n", about: "stats: of the last so many days; 30 when it is not given." },
  { name: "requests", kind: "switch", about: "show: every request as it was sent." },
  {
    name: "format",
    also: ["-f"],
    kind: "value",
    takes: "format",
    choices: exportFormats,
    about: "export: as Markdown, JSON, one HTML file, or what was changed as a patch.",
  },
  { name: "patch", kind: "switch", about: "export: the same as --format patch." },
  {
    name: "output",
    also: ["-o"],
    kind: "value",
    takes: "file",
    about: "export: into this file, which must not exist.",
  },
  { name: "yes", also: ["-y"], kind: "switch", about: "delete: without asking." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

interface Verb {
  readonly name: string
  readonly takes: string
  readonly about: string
  readonly run: (call: SessionsCall) => Promise<number>
}

const verbs: readonly Verb[] = [
  {
    name: "list",
    takes: "",
    about: "The sessions of this folder, newest first.",
    run: async (call) => (await import("./sessions-list.ts")).listSessions(call),
  },
  {
    name: "search",
    takes: "<words>",
    about: "Sessions with all of these words in prompts, answers, commands, paths or titles.",
    run: async (call) => (await import("./sessions-list.ts")).searchSessions(call),
  },
  {
    name: "show",
    takes: "<id>",
    about: "One session as lines, with its branches.",
    run: async (call) => (await import("./sessions-show.ts")).showSession(call),
  },
  {
    name: "export",
    takes: "<id>",
    about: "One session as a document.",
    run: async (call) => (await import("./sessions-export.ts")).exportSession(call),
  },
  {
    name: "rename",
    takes: "<id> <title>",
    about: "Gives a session that is not open another title.",
    run: async (call) => (await import("./sessions-change.ts")).renameOne(call),
  },
  {
    name: "delete",
    takes: "<id>...",
    about: "Removes sessions that are not open.",
    run: async (call) => (await import("./sessions-change.ts")).deleteSessions(call),
  },
  {
    name: "stats",
    takes: "",
    about: "What was spent, per model and per day.",
    run: async (call) => (await import("./sessions-stats.ts")).showStats(call),
  },
]

const help: CommandHelp = {
  usage: ["codewright sessions <verb> [options]"],
  about: "An id may be given as its beginning, as long as only one session has it.",
  verbs: verbs.map(({ name, takes, about }) => [`${name} ${takes}`.trim(), about]),
  table,
}

export async function sessionsCommand(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseArguments(argv, table)
  if (!parsed.ok) return io.fail(parsed.failure.message)
  const [name = "list", ...words] = parsed.value.rest
  if (parsed.value.has("help") || name === "help") {
    io.write(commandHelp(help))
    return 0
  }
  const verb = verbs.find((one) => one.name === name)
  if (!verb) {
    const names = verbs.map((one) => one.name)
    const near = nearNames(name, names, 1)[0]
    return io.fail(
      `sessions takes ${names.join(", ")}, not '${name}'. ${near ? `Did you mean ${near}?` : "codewright sessions --help says more."}`,
    )
  }
  return verb.run({ args: parsed.value, words, where: whereWeAre(), io })
}
