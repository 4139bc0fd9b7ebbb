/** `codewright sessions`: everything that can be done with sessions without opening one. */

import { permissionModes } from "#agent/words/permission.ts"
import { nearNames } from "#lib/near.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import type { Io } from "#faces/cli/io.ts"
import { exportFormats, ruleTargets, type SessionsCall, type SessionsFlag } from "./sessions-call.ts"
import { whereWeAre } from "#faces/cli/where.ts"

const table: readonly Flag<SessionsFlag>[] = [
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "all", also: ["-a"], kind: "switch", about: "All folders, not only this one." },
  { name: "limit", also: ["-n"], kind: "value", takes: "n", about: "Show at most this many; 20 by default." },
  { name: "days", kind: "value", takes: "n", about: "stats: the last days to count; 30 by default." },
  { name: "requests", kind: "switch", about: "show: print every request as it was sent." },
  { name: "connections", kind: "switch", about: "show: list the machines it contacted, and why." },
  {
    name: "format",
    also: ["-f"],
    kind: "value",
    takes: "format",
    choices: exportFormats,
    about:
      "export: Markdown, JSON, one HTML file, the changes as a patch, the trace for OpenTelemetry, or a trajectory (ATIF).",
  },
  { name: "html", kind: "switch", about: "export: same as --format html." },
  { name: "patch", kind: "switch", about: "export: same as --format patch." },
  { name: "otlp", kind: "switch", about: "export: same as --format otlp." },
  {
    name: "atif",
    kind: "switch",
    about: "export: same as --format atif, for Harbor and other readers of trajectories.",
  },
  {
    name: "output",
    also: ["-o"],
    kind: "value",
    takes: "file",
    about: "export: write to this file, which must not exist yet.",
  },
  { name: "yes", also: ["-y"], kind: "switch", about: "delete: do not ask for confirmation." },
  { name: "allow", kind: "switch", about: "answer: allow the call." },
  { name: "deny", kind: "switch", about: "answer: deny the call, or reject the plan." },
  {
    name: "message",
    also: ["-m"],
    kind: "value",
    takes: "text",
    about: "answer: tell the model what to do instead, or what to know with a yes.",
  },
  { name: "keep", kind: "switch", about: "answer: with --deny in a review of new files, leave them where they are." },
  { name: "approve", kind: "switch", about: "answer: approve the plan." },
  {
    name: "mode",
    kind: "value",
    takes: "mode",
    choices: permissionModes,
    about: "answer: with --allow or --approve, the permission mode to continue in.",
  },
  {
    name: "wish",
    kind: "list",
    takes: "kind",
    about: "answer: with --approve, a kind of command to run without asking.",
  },
  { name: "choose", kind: "list", takes: "question=label", about: "answer: your choice, once for each question." },
  {
    name: "accept",
    kind: "value",
    takes: "json",
    about: "answer: the values an MCP server asked for, as a JSON object.",
  },
  { name: "decline", kind: "switch", about: "answer: decline an MCP server's request." },
  { name: "rule", kind: "list", takes: "rule", about: "answer: with --allow, an allow rule to add." },
  {
    name: "to",
    kind: "value",
    takes: "where",
    choices: ruleTargets,
    about: "answer: where to save rules; session by default.",
  },
  { name: "folder", kind: "list", takes: "path", about: "answer: with --allow, a folder to add to the workspace." },
  { name: "input", kind: "value", takes: "json", about: "answer: with --allow, run the tool with this input instead." },
  { name: "digest", kind: "value", takes: "digest", about: "answer: only if the question still has this digest." },
  {
    name: "server",
    kind: "value",
    takes: "url",
    about:
      "list: the sessions of this server (codewright serve), with the token in CODEWRIGHT_TOKEN. delete: erase sessions there, with log, files and approvals.",
  },
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
    about: "List the sessions of this folder, newest first.",
    run: async (call) => (await import("./sessions-list.ts")).listSessions(call),
  },
  {
    name: "search",
    takes: "<words>",
    about: "Find sessions with all of these words in prompts, answers, commands, paths or titles.",
    run: async (call) => (await import("./sessions-list.ts")).searchSessions(call),
  },
  {
    name: "show",
    takes: "<id>",
    about: "Print one session as plain text, with its branches.",
    run: async (call) => (await import("./sessions-show.ts")).showSession(call),
  },
  {
    name: "export",
    takes: "<id>",
    about: "Export one session as a document.",
    run: async (call) => (await import("./sessions-export.ts")).exportSession(call),
  },
  {
    name: "questions",
    takes: "<id>",
    about: "List the open questions of a session that is not running.",
    run: async (call) => (await import("./sessions-answer.ts")).showQuestions(call),
  },
  {
    name: "answer",
    takes: "<id> [<question>]",
    about:
      "Answer a question of a session that is not running. One in the background continues at once, others when you resume them.",
    run: async (call) => (await import("./sessions-answer.ts")).answerQuestion(call),
  },
  {
    name: "rename",
    takes: "<id> <title>",
    about: "Rename a session that is not running.",
    run: async (call) => (await import("./sessions-change.ts")).renameOne(call),
  },
  {
    name: "delete",
    takes: "<id>...",
    about: "Delete sessions that are not running.",
    run: async (call) => (await import("./sessions-change.ts")).deleteSessions(call),
  },
  {
    name: "du",
    takes: "",
    about: "Show how much disk space sessions take, and what the daily clean-up would free.",
    run: async (call) => (await import("./sessions-du.ts")).showUse(call),
  },
  {
    name: "stats",
    takes: "",
    about: "Show usage and cost, per model and per day.",
    run: async (call) => (await import("./sessions-stats.ts")).showStats(call),
  },
]

export const help: CommandHelp = {
  usage: ["codewright sessions <verb> [options]"],
  about: "The first characters of an id are enough if only one session matches.",
  verbs: verbs.map(({ name, takes, about }) => [`${name} ${takes}`.trim(), about]),
  table,
}

export async function sessionsCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = readCommand(argv, table, help, io)
  if (typeof args === "number") return args
  const [name = "list", ...words] = args.rest
  const verb = verbs.find((one) => one.name === name)
  if (!verb) {
    const names = verbs.map((one) => one.name)
    const near = nearNames(name, names, 1)[0]
    return io.fail(
      `sessions takes ${names.join(", ")}, not '${name}'. ${near ? `Did you mean ${near}?` : "Run codewright sessions --help for details."}`,
    )
  }
  const call: SessionsCall = { args, words, where: whereWeAre(), io }
  const server = args.value("server")
  if (server === undefined || verb.name === "delete") return verb.run(call)
  if (verb.name !== "list" || words.length > 0)
    return io.fail(
      "With --server, sessions can be listed and deleted. To open one: codewright --resume <id> --server <url>",
    )
  return (await import("#faces/cli/fleet/remote-list.ts")).listRemote(call, server)
}
