/** What the program knows by name, from the tables that it reads itself; the guides may name nothing else. */

import { Glob } from "bun"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { commandHelp } from "#faces/cli/help/command-help.ts"
import { commands } from "#faces/cli/commands.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { foreignFlags } from "#faces/cli/flags/foreign-flags.ts"
import { terminalCommands } from "#faces/tui/commands.ts"
import { settingsJsonSchema } from "#ground/settings/schema.ts"
import { settingMeanings } from "#ground/settings/setting-meanings.ts"
import { bundledCommands } from "#kits/commands/builtin/all.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { slashTable } from "#session/slash/table.ts"

const root = resolve(import.meta.dir, "../../..")

export interface ProgramNames {
  /** What is wrong with the words after `codewright`; undefined if nothing is. */
  readonly callProblem: (words: readonly string[]) => string | undefined
  /** The same for code in a sentence. */
  readonly spanProblem: (text: string) => string | undefined
  readonly variableProblem: (name: string) => string | undefined
  readonly slashProblem: (name: string) => string | undefined
}

/** Flags of programs that the guides talk about beside ours. */
const othersFlags = new Set(["--security-opt", "--pre", "--output", "--ignore-scripts", "--omit"])

/** What the Agent SDK calls things that it does not pass on; its own suite compares the guide about it with its types. */
const sdkNames = new Set(
  ["debugFile enableFileCheckpointing loadTimeoutMs managedSettings pathToClaudeCodeExecutable permissionPrompts"]
    .concat("pluginDelivery resumeDropsTurn sessionStore sessionStoreFlush spawnClaudeCodeProcess verbatimPrompts")
    .concat("observerMessage executableArgs projectConfigRoot taskBudget onUserDialog supportedDialogKinds")
    .concat("perTaskStopAffordance watchPaths")
    .flatMap((line) => line.split(" ")),
)

/** Folders that begin with a slash as commands do. */
const folders =
  /^\/(?:api|healthz|readyz|metrics|tmp|proc|sys|dev|usr|etc|var|srv|home|path|plan|v1|v1beta|anthropic|opt|bin)?(?:\/|$|\b(?=[/:]))/

/** `made`: slash commands that the guides themselves define, in files that they show. */
export async function programNames(made: readonly string[] = []): Promise<ProgramNames> {
  const sources = ["src/**/*.{ts,tsx}", "deploy/*"].flatMap((files) =>
    [...new Glob(files).scanSync(root)].map((path) => readFileSync(join(root, path), "utf8")),
  )
  const words = new Set(
    sources.flatMap((text) => text.match(/[\w.-]+/g) ?? []).flatMap((word) => [word, ...word.split(".")]),
  )
  const installers = [...new Glob("scripts/release/*.sh").scanSync(root)].map((path) =>
    readFileSync(join(root, path), "utf8"),
  )
  const helps = new Map(
    await Promise.all(commands.map(async ({ name, help }) => [name, commandHelp(await help())] as const)),
  )
  const spelledIn = (text: string): readonly string[] => text.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? []
  const ownFlags = new Set([
    ...[...flags, ...foreignFlags].flatMap(({ name, also = [] }) => [`--${name}`, ...also]),
    ...[...helps.values(), ...installers].flatMap(spelledIn),
  ])
  const slashes = new Set([
    ...[...slashTable, ...terminalCommands].flatMap(({ name, aliases = [] }) => [name, ...aliases]),
    ...bundledCommands({ trailer: undefined }).map(({ name }) => name),
    ...made,
  ])
  const schema = settingsJsonSchema()

  const variableProblem = (name: string): string | undefined =>
    words.has(name) || /^(?:MY_|VERTEX_REGION_)/.test(name) ? undefined : `no such variable: ${name}`
  const slashProblem = (name: string): string | undefined =>
    slashes.has(name) || name.includes(":") ? undefined : `no such slash command: /${name}`

  const settingProblem = (key: string): string | undefined =>
    key in settingMeanings || isIn(schema, key.split(".")) ? undefined : `no such setting: ${key}`

  const callProblem = (argv: readonly string[]): string | undefined => {
    const [name = "", verb = "", key = ""] = argv
    if (name === "help") return verb === "" || helps.has(verb) ? undefined : `no such command: ${verb}`
    const help = helps.get(name)
    if (help === undefined) {
      const parsed = parseArguments(argv, flags)
      if (!parsed.ok) return parsed.failure.message
      const prompt = parsed.value.rest[0] ?? ""
      return prompt.startsWith("/") ? slashProblem(prompt.slice(1).split(" ", 1)[0] ?? "") : undefined
    }
    const command = commands.find((one) => one.name === name)
    const verbs = command?.takes.includes("|") && /^[a-z|-]+$/.test(command.takes) ? command.takes.split("|") : []
    if (verbs.length > 0 && verb !== "" && !verb.startsWith("-") && !verbs.includes(verb))
      return `codewright ${name} has no verb ${verb}`
    const until = argv.indexOf("--")
    const known = spelledIn(help)
    const unknown = argv
      .slice(1, until < 0 ? undefined : until)
      .map((word) => word.split("=", 1)[0] ?? "")
      .find((word) => /^--?[a-z]/i.test(word) && !known.includes(word))
    if (unknown !== undefined) return `codewright ${name} has no option ${unknown}`
    return name === "config" && ["get", "set", "explain"].includes(verb) && key !== "" ? settingProblem(key) : undefined
  }

  const fileProblem = (path: string): string | undefined => {
    const unknown = path
      .split("/")
      .slice(1)
      .filter((part) => part !== "" && !/[*<>{}…]/.test(part))
      .find((part) => !isExample(part) && !words.has(part) && !part.split(".").every((piece) => words.has(piece)))
    return unknown === undefined ? undefined : `${path}: nothing in the program names ${unknown}`
  }

  return {
    callProblem,
    variableProblem,
    slashProblem,
    spanProblem(text) {
      if (/^(?:codewright|cw) [^…]/.test(text)) return callProblem(shortWords(text))
      if (/^--[a-z][\w-]*(?:[ =].*)?$/.test(text)) {
        const spelled = text.split(/[ =]/, 1)[0] ?? ""
        return ownFlags.has(spelled) || othersFlags.has(spelled) ? undefined : `no such option: ${spelled}`
      }
      if (/^\/[a-z][a-z-]*(?: .*)?$/.test(text) && !folders.test(text) && text !== "/name")
        return slashProblem(text.slice(1).split(" ", 1)[0] ?? "")
      const variable = /^\$?\{?([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])\}?(?:=.*)?$/.exec(text)?.[1]
      if (variable !== undefined) return variableProblem(variable)
      if (/^(?:~\/)?\.(?:codewright|claude)\/\S+$/.test(text)) return fileProblem(text.replace(/^~\//, ""))
      const dotted = /^([a-z]\w*)\.[\w.]+$/.exec(text)
      if (dotted && isIn(schema, [dotted[1] ?? ""]) && !words.has(text)) return settingProblem(text)
      if (/^[a-z]+[A-Z]\w*$/.test(text) && !sdkNames.has(text))
        return words.has(text) ? undefined : `nothing in the program is called ${text}`
      return undefined
    },
  }
}

/** Names that a reader chooses. */
const isExample = (part: string): boolean => /^(?:reviewer|line\.sh|explore|check|release|greet)/.test(part)

/** Words of a command in a sentence, in which `[page]` and `<id>` stand for something. */
const shortWords = (text: string): readonly string[] =>
  (text.match(/"[^"]*"|'[^']*'|\S+/g) ?? [])
    .slice(1)
    .filter((word) => !/^[[<|(…]/.test(word) || word.startsWith("<("))
    .map((word) => word.replaceAll(/^["']|["']$/g, ""))
    .map((word) => (word.includes("|") ? (word.split("|", 1)[0] ?? "") : word))

function isIn(schema: JsonValue | undefined, path: readonly string[]): boolean {
  const [head, ...rest] = path
  if (head === undefined) return true
  if (!isObject(schema)) return false
  const { properties, additionalProperties, items } = schema
  if (isObject(properties) && head in properties) return isIn(properties[head], rest)
  if (isObject(additionalProperties)) return isIn(additionalProperties, rest)
  return isObject(items) ? isIn(items, path) : schema.type === "object" && properties === undefined
}
