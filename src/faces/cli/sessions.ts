/** `codewright sessions`: everything that can be done with sessions without opening one. */

import { permissionModes } from "#agent/words/permission.ts"
import { nearNames } from "#lib/near.ts"
import { parseArguments } from "./argv.ts"
import { type CommandHelp, commandHelp } from "./command-help.ts"
import type { Flag } from "./flags.ts"
import type { Io } from "./io.ts"
import { exportFormats, ruleTargets, type SessionsCall, type SessionsFlag } from "./sessions-call.ts"
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
  { name: "allow", kind: "switch", about: "answer: allow the call." },
  { name: "deny", kind: "switch", about: "answer: deny the call, or reject the plan." },
  { name: "message", also: ["-m"], kind: "value", takes: "text", about: "answer: with --deny, what to do instead." },
  { name: "approve", kind: "switch", about: "answer: approve the plan." },
  {
    name: "mode",
    kind: "value",
    takes: "mode",
    choices: permissionModes,
    about: "answer: the permission mode from then on, with --allow or --approve.",
  },
  {
    name: "wish",
    kind: "list",
    takes: "kind",
    about: "answer: with --approve, a kind of command that needs no question.",
  },
  { name: "choose", kind: "list", takes: "question=label", about: "answer: what is chosen, once for each question." },
  { name: "accept", kind: "value", takes: "json", about: "answer: what an MCP server asked for, as a JSON object." },
  { name: "decline", kind: "switch", about: "answer: tell an MCP server no." },
  { name: "rule", kind: "list", takes: "rule", about: "answer: with --allow, a rule that allows more from then on." },
  {
    name: "to",
    kind: "value",
    takes: "where",
    choices: ruleTargets,
    about: "answer: where rules are saved; session when it is not given.",
  },
  { name: "folder", kind: "list", takes: "path", about: "answer: with --allow, a folder to add to the workspace." },
  { name: "input", kind: "value", takes: "json", about: "answer: with --allow, the input to run with instead." },
  { name: "digest", kind: "value", takes: "digest", about: "answer: only if the question still has this digest." },
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
    name: "questions",
    takes: "<id>",
    about: "What a session that is not open waits for.",
    run: async (call) => (await import("./sessions-answer.ts")).showQuestions(call),
  },
  {
    name: "answer",
    takes: "<id> [<question>]",
    about: "Answers a question of a session that is not open; resuming it uses the answer.",
    run: async (call) => (await import("./sessions-answer.ts")).answerQuestion(call),
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
