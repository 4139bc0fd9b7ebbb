/** `codewright permissions`: the rules in force, changes to them, and what would be decided about a call and why. */

import { type Behavior, type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import type { RuleText } from "#ground/settings/load.ts"
import type { SandboxSettings } from "#ground/settings/settings.ts"
import { removeRuleAt, type RuleFile, rulePlace, saveRule } from "#ground/settings/save.ts"
import { homeFolder, stateFolder } from "#ground/settings/state-folder.ts"
import { unsavable } from "#kits/permissions/rules/unsavable.ts"
import { serverNames } from "#kits/mcp/names.ts"
import { parseRules, type RuleProblem } from "#kits/permissions/rules/rule.ts"
import { knownTools } from "#kits/permissions/rules/tool-names.ts"
import { noWalls, type Walls } from "#kits/permissions/walls.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import type { Io } from "#faces/cli/io.ts"
import { serversHere } from "#faces/cli/extensions/mcp-here.ts"
import { openCaseJudge } from "./permission-cases.ts"

const usage =
  "permissions takes list, add|remove <allow|ask|deny> <rule> [--to local|project|user], or explain [--mode <mode>] <tool> <input>, " +
  "such as: codewright permissions explain Bash 'git push'. explain --json alone reads one JSON case per line."

export const help: CommandHelp = {
  usage: ["codewright permissions <verb>"],
  about: "deny > ask > allow, whatever the source.",
  verbs: [
    ["list [--json]", "List the active rules, and where each comes from."],
    [
      "add <allow|ask|deny> <rule> [--to local|project|user]",
      "Add a rule for you in this project (local, the default), for everyone in it (project), or for you everywhere (user).",
    ],
    ["remove <allow|ask|deny> <rule> [--to local|project|user]", "Remove a rule from that file."],
    [
      "explain [--mode <mode>] [--verbose] [--json] <tool> <input>",
      "Show what would be decided about a call, and why; --verbose lists every check. Nothing runs.",
    ],
    ["explain --json", "The same for cases on standard input, one JSON object per line."],
  ],
  examples: [
    "codewright permissions explain Bash 'git push'",
    "codewright permissions explain --mode plan Edit src/a.ts",
    "codewright permissions add allow 'Bash(npm test:*)'",
  ],
}

export async function permissionsCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const asJson = argv.includes("--json")
  const [verb = "list", ...words] = asJson ? argv.toSpliced(argv.indexOf("--json"), 1) : argv
  switch (verb) {
    case "list":
      return words.length > 0 ? io.fail(usage) : list(asJson, io)
    case "add":
    case "remove":
      return change(verb, words, io)
    case "explain":
      return asJson && words.length === 0 ? explainLines(io) : explainOne(words, asJson, io)
    default:
      return io.fail(usage)
  }
}

async function list(asJson: boolean, io: Io): Promise<number> {
  const { settingHere } = await import("#faces/cli/startup-context-here.ts")
  const setting = await settingHere(io)
  if (!setting) return 1
  const { rules } = setting.loaded
  const { problems } = parseRules(rules)
  const levels = new Map(problems.map(({ level, rule }) => [rule, level]))
  if (asJson) {
    io.write(`${JSON.stringify(rules.map((rule) => ({ ...rule, counts: levels.get(rule) !== "error" })))}\n`)
    return 0
  }
  const line = (rule: RuleText): string =>
    `${rule.behavior.padEnd(5)} ${rule.text}  (${rule.source}, ${rule.where})${marks[levels.get(rule) ?? "warning"]}`
  io.say(rules.length === 0 ? "No rules." : rules.map(line).join("\n"))
  for (const { message } of problems) io.warn(message)
  return 0
}

const marks: { readonly [level in RuleProblem["level"]]: string } = {
  error: "  not understood",
  wider: "  not understood, applied to more",
  warning: "",
}

const places: { readonly [word: string]: RuleFile } = {
  local: "local settings",
  project: "project settings",
  user: "user settings",
}

function change(verb: "add" | "remove", words: readonly string[], io: Io): number {
  const to = words.indexOf("--to")
  const word = to === -1 ? "local" : (words[to + 1] ?? "")
  const [behavior, rule, ...more] = to === -1 ? words : words.toSpliced(to, 2)
  const destination = places[word]
  if (!isBehavior(behavior) || rule === undefined || more.length > 0 || !destination) return io.fail(usage)
  const problem = parseRules([{ behavior, text: rule, source: destination }]).problems[0]
  const wrong = verb === "add" ? unsavable({ behavior, text: rule, source: destination }) : undefined
  if (wrong !== undefined) return io.fail(wrong)
  if (problem) io.warn(problem.message)
  const { state, cwd, home } = whereWeAre()
  const roots = { root: cwd, state, home }
  const place = rulePlace(destination, roots)
  const say = (outcome: string, file: string): void => io.writeForeign(`${outcome}: ${behavior} ${rule} (${file})\n`)
  if (verb === "add") {
    const saved = saveRule({ ...place, behavior, rule })
    if (!saved.ok) return io.fail(saved.failure)
    say(saved.value === "saved" ? "Added" : "Already there", place.file)
    return 0
  }
  const removed = removeRuleAt(destination, roots, { behavior, rule })
  if (!removed.ok) return io.fail(removed.failure)
  if (removed.value.length === 0)
    return io.fail(`${place.file} has no ${behavior} rule ${rule}. List all rules with: codewright permissions list`)
  for (const file of removed.value) say("Removed", file)
  return 0
}

const isBehavior = (word: string | undefined): word is Behavior => word === "allow" || word === "ask" || word === "deny"

async function explainOne(argv: readonly string[], asJson: boolean, io: Io): Promise<number> {
  const words = argv.filter((word) => word !== "--verbose")
  const isVerbose = words.length < argv.length
  const at = words.indexOf("--mode")
  const wanted = at === -1 ? undefined : (words[at + 1] ?? "")
  const [tool, text, ...more] = at === -1 ? words : words.toSpliced(at, 2)
  if (tool === undefined || more.length > 0) return io.fail(usage)
  const unknown = unknownTool(tool)
  if (unknown !== undefined) return io.fail(unknown)
  const input = readInput(tool, text)
  if (!input.ok) return io.fail(input.failure)
  const { settingHere } = await import("#faces/cli/startup-context-here.ts")
  const setting = await settingHere(io)
  if (!setting) return 1
  const { cwd, home, state, loaded } = setting
  const mode: PermissionMode | undefined = permissionModes.find(
    (each) => each === (wanted ?? loaded.settings.permissions.defaultMode),
  )
  if (!mode) return io.fail(`--mode must be one of ${permissionModes.join(", ")}.`)
  // Trying the sandbox takes as long as starting a program; the parser is loaded meanwhile.
  const [walls, cases] = await Promise.all([
    wallsOf(state, loaded.settings.sandbox),
    openCaseJudge({ cwd, home, state, path, walls: noWalls }),
  ])
  const decision = cases.within(walls).judge({
    mode,
    rules: loaded.rules,
    tool,
    input: input.value,
    cwd,
    added: loaded.additionalDirectories,
    isMarked: tool.startsWith("mcp__") && (await isOfMarked(tool, io)),
  })
  const { behavior, reason, trace, message } = decision
  if (asJson) io.write(`${JSON.stringify({ behavior, reason, message, trace })}\n`)
  else
    io.say(
      [
        `${behaviorWords[behavior]}: ${message}`,
        ...(isVerbose ? trace : deciding(trace)).map((line) => `  ${line}`),
      ].join("\n"),
    )
  return 0
}

const behaviorWords: { readonly [behavior in Behavior]: string } = { allow: "Allow", ask: "Ask", deny: "Deny" }

const deciding = (trace: readonly string[]): readonly string[] =>
  trace.filter((line) => !line.endsWith(": no decision"))

async function isOfMarked(tool: string, io: Io): Promise<boolean> {
  const { servers = [] } = (await serversHere(io)) ?? {}
  const names = serverNames(servers.map(({ name }) => name))
  return servers.some(({ name, readOnly }) => readOnly && tool.startsWith(`mcp__${names.get(name)}__`))
}

/** Tools of servers have names of their own. */
function unknownTool(tool: string): string | undefined {
  if (knownTools.includes(tool) || tool.startsWith("mcp__")) return undefined
  const near = nearNames(tool, knownTools, 1)[0]
  return `Unknown tool ${tool}${near ? `; did you mean ${near}?` : ". codewright docs tools lists them."}`
}

/** JSON, or the value of the tool's main field. */
function readInput(tool: string, text: string | undefined): Result<JsonObject, string> {
  if (text === undefined) return ok({})
  if (text.trimStart().startsWith("{") && tool !== "Bash") return readObject(text)
  const asObject = text.trimStart().startsWith('{"command"') ? readObject(text) : undefined
  if (asObject?.ok) return asObject
  const field = plainFields[tool] ?? (tool === "Bash" ? "command" : undefined)
  return field === undefined ? readObject(text) : ok({ [field]: text })
}

const plainFields: { readonly [tool: string]: string } = {
  Read: "file_path",
  Write: "file_path",
  Edit: "file_path",
  MultiEdit: "file_path",
  NotebookEdit: "notebook_path",
  NotebookRead: "notebook_path",
  LS: "path",
  Grep: "path",
  Glob: "pattern",
  WebFetch: "url",
}

function readObject(text: string): Result<JsonObject, string> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return ok(value)
  } catch {
    // The sentence below says it for a broken text and for another value alike.
  }
  return failed(`The input must be a JSON object, such as '{"file_path": "a.txt"}'.`)
}

const path = (): string | undefined => processEnvironment().PATH

/** One line in, one line out, in order; output is written in larger portions. */
async function explainLines(io: Io): Promise<number> {
  const here = whereWeAre()
  let cases = await openCaseJudge({ ...here, path, walls: noWalls })
  let isTried = false
  /** What confines commands here is found out for the first case that depends on it: that takes as long as starting a program. */
  async function judged(lines: readonly string[]): Promise<string> {
    let said = ""
    for (const line of lines) {
      if (line.trim() === "") continue
      if (!isTried && cases.dependsOnWalls(line)) {
        isTried = true
        cases = cases.within(await wallsOf(here.state))
      }
      said += `${JSON.stringify(cases.judgeLine(line))}\n`
    }
    return said
  }
  let rest = ""
  const decoder = new TextDecoder()
  for await (const chunk of Bun.stdin.stream()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    io.write(await judged(lines))
  }
  io.write(await judged([rest + decoder.decode()]))
  return 0
}

/** Most of it is the sandbox, which is loaded only where it is tried. */
async function wallsOf(state: string, settings?: SandboxSettings): Promise<Walls> {
  return (await import("./walls-here.ts")).wallsHere(state, settings)
}

function whereWeAre(): { readonly home: string; readonly state: string; readonly cwd: string } {
  const environment = readEnvironment(processEnvironment())
  const home = homeFolder(environment)
  return { home, state: stateFolder(environment, home), cwd: process.cwd() }
}
