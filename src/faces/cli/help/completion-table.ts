/** What a shell can complete: every command with its verbs and flags, and where their values come from. */

import { gateNames } from "#agent/words/gates.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { bundledDocuments } from "#ground/bundled/documents.ts"
import { listedModels } from "#ground/models/anthropic/prices.ts"
import { anthropicName } from "#ground/models/anthropic/releases.ts"
import { knownServers } from "#ground/models/servers.ts"
import { settingMeanings } from "#ground/settings/setting-meanings.ts"
import { hookEvents } from "#kits/hooks/moments.ts"
import { knownTools } from "#kits/permissions/rules/tool-names.ts"
import { type CommandHelp, type DescribedCommand, withHelp } from "./command-help.ts"
import type { Flag, FlagKind } from "#faces/cli/flags/flag.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import type { HelpRow } from "./help-rows.ts"

/** A list of words, or what the shell has to look up. */
export type OfferedValues = readonly string[] | "files" | "folders" | "sessions" | "anything"

export interface CompletedFlag {
  /** As they are typed: `--model`, `-m`. */
  readonly spellings: readonly string[]
  readonly about: string
  readonly kind: FlagKind
  readonly values: OfferedValues
}

/** What follows a command or a verb; `repeats`: the last of them any number of times. */
export interface CompletedWords {
  readonly words: readonly OfferedValues[]
  readonly repeats: boolean
}

export interface CompletedVerb extends CompletedWords {
  readonly name: string
  readonly about: string
}

/** Its own words are those of a command without verbs. */
export interface CompletedCommand extends CompletedWords {
  /** Empty for the program itself. */
  readonly name: string
  readonly about: string
  readonly flags: readonly CompletedFlag[]
  readonly verbs: readonly CompletedVerb[]
}

/** The program itself comes first. */
export async function completionTable(
  commands: readonly DescribedCommand[],
  flags: readonly Flag[],
): Promise<readonly CompletedCommand[]> {
  const known = await knownValues()
  const own = { name: "", about: "", flags: completedFlags(flags, known), verbs: [], ...noWords }
  const others = commands.map(async ({ name, about, help }) => completedCommand(name, about, await help(), known))
  return [own, ...(await Promise.all(others))]
}

type ByPlaceholder = { readonly [placeholder: string]: OfferedValues }

/** By the word that stands for a value in help: `<file>`, `[id or words]`. */
async function knownValues(): Promise<ByPlaceholder> {
  return {
    file: "files",
    "file or JSON": "files",
    "files or JSON": "files",
    folder: "folders",
    folders: "folders",
    path: "folders",
    session: "sessions",
    id: "sessions",
    "id or words": "sessions",
    model: ["default", "opus", "sonnet", "haiku", "opusplan", "sim", ...listedModels.filter(isPlain)],
    provider: [anthropicName, ...Object.keys(knownServers)].filter(isPlain),
    mode: permissionModes,
    key: Object.keys(settingMeanings).filter(isPlain),
    event: hookEvents,
    tool: knownTools,
    page: (await bundledDocuments()).map(({ name }) => name).filter(isPlain),
  }
}

/** A shell reads it as one word, whatever its quoting. */
const isPlain = (word: string): boolean => /^[\w.][\w.-]*$/.test(word)

/** Where a list has names that are not checked as choices. */
const suggestions: { readonly [name in FlagName]?: readonly string[] } = {
  gates: gateNames,
  "open-gates": gateNames,
  tools: knownTools,
  "allowed-tools": knownTools,
  "disallowed-tools": knownTools,
  "permission-prompt-tool": ["stdio"],
  "setting-sources": ["user", "project", "local"],
}

function completedCommand(name: string, about: string, help: CommandHelp, known: ByPlaceholder): CompletedCommand {
  const { usage, verbs = [], table = [], verbTables = {} } = help
  const written = [...usage, ...verbs.map(([text]) => text)].flatMap((text) => flagsIn(text))
  const flags = withHelp([...table, ...Object.values(verbTables).flat(), ...written])
  return {
    name,
    about,
    flags: completedFlags(flags, known),
    verbs: completedVerbs(verbs, known),
    ...(verbs.length > 0 ? noWords : wordsIn((usage[0] ?? "").replace(/^codewright \S+/, ""), known)),
  }
}

const noWords: CompletedWords = { words: [], repeats: false }

/** The first of each name counts: the table knows more than a line of usage. */
function completedFlags(flags: readonly Flag[], known: ByPlaceholder): readonly CompletedFlag[] {
  return flags
    .filter(({ name, hidden }, at) => !hidden && flags.findIndex((other) => other.name === name) === at)
    .map(({ name, also = [], kind, takes = "", choices, about }) => ({
      spellings: [`--${name}`, ...also],
      about,
      kind,
      values: choices ?? Object.entries(suggestions).find(([flag]) => flag === name)?.[1] ?? known[takes] ?? "anything",
    }))
}

/** A verb may have several rows, one for each way to use it. */
function completedVerbs(rows: readonly HelpRow[], known: ByPlaceholder): readonly CompletedVerb[] {
  const nameIn = (text: string): string => text.split(" ", 1)[0] ?? ""
  return rows
    .filter(([text], at) => rows.findIndex(([other]) => nameIn(other) === nameIn(text)) === at)
    .map(([text, about]) => ({ name: nameIn(text), about, ...wordsIn(text.slice(nameIn(text).length), known) }))
}

const writtenFlag = /--([a-z][a-z-]*)(?: (?:<([^<>]+)>|([a-z]+(?:\|[a-z]+)+)))?/g

/** Flags that only a line of usage names: `[--to local|project|user]`. */
function flagsIn(text: string): readonly Flag[] {
  return [...text.matchAll(writtenFlag)].map(([, name = "", takes, choices]) => ({
    name,
    about: "",
    kind: takes === undefined && choices === undefined ? "switch" : "value",
    ...(takes !== undefined && { takes }),
    ...(choices !== undefined && { choices: choices.split("|") }),
  }))
}

/** The placeholders of a line of usage, in order: `<allow|ask|deny> <rule>`. What follows `--` belongs to another program. */
function wordsIn(text: string, known: ByPlaceholder): CompletedWords {
  const [own = ""] = text.replaceAll(writtenFlag, "").split(/(?:^|\s)\[?--\]?(?=\s|$)/, 1)
  const words = [...own.matchAll(/<([^<>]+)>|\[([^[\]<>]+)\]/g)]
    .map(([, needed, optional]) => needed ?? optional ?? "")
    .filter((word) => word !== "options" && word !== "verb" && word.trim() !== "")
    .map((word) => known[word] ?? (word.includes("|") ? word.split("|") : "anything"))
  return { words, repeats: own.endsWith("...") }
}
