/** `codewright config`: every setting, its value, and where that came from. */

import { themeNamed, themeNames } from "#faces/tui/screen/theme.ts"
import type { Explanation } from "#ground/settings/explain.ts"
import type { LoadedSettings } from "#ground/settings/load.ts"
import { type RuleFile, rulePlace } from "#ground/settings/save.ts"
import { settingsJsonSchema } from "#ground/settings/schema.ts"
import { settingMeanings } from "#ground/settings/setting-meanings.ts"
import { setSetting } from "#ground/settings/set.ts"
import type { JsonValue } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { parseArguments } from "./flags/argv.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "./help/command-help.ts"
import { type FlagName, flags } from "./flags/flags.ts"
import type { Io } from "./io.ts"
import { readSetting } from "./startup-context.ts"
import { whereWeAre } from "./where.ts"

const usage =
  "config takes list, get <key>, explain <key>, schema, or set <key> <value> [--to local|project|user], such as: codewright config set theme light"

export const help: CommandHelp = {
  usage: ["codewright config <verb> [--json]"],
  about: "Settings are JSON files; codewright docs settings lists every key.",
  verbs: [
    ["list", "List every value that is set, and the file it comes from."],
    ["get <key>", "Print one value."],
    ["explain <key>", "Print one value, and every file, line and column that sets it."],
    ["schema", "Print the JSON Schema of settings files, for editors."],
    [
      "set <key> <value> [--to local|project|user]",
      "Change a value for you everywhere (user, the default), for everyone in this project (project), or for you in this project (local). The value is JSON or plain text.",
    ],
  ],
  examples: ["codewright config set theme light", "codewright config explain permissions.allow"],
}

export async function configCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  if (argv[0] === "set") return set(argv.slice(1), io)
  if (argv[0] === "schema" && argv.length === 1) {
    io.write(`${JSON.stringify(settingsJsonSchema(), null, 2)}\n`)
    return 0
  }
  const none = parseArguments<FlagName>([], flags)
  const setting = none.ok ? await readSetting(none.value) : undefined
  if (!setting?.ok) return io.fail(setting?.failure.message ?? "the settings cannot be read")
  for (const warning of setting.value.warnings) io.warn(warning)
  return show(argv, setting.value.loaded, io)
}

function show(argv: readonly string[], loaded: LoadedSettings, io: Io): number {
  const asJson = argv.includes("--json")
  const [verb = "list", key, ...more] = argv.filter((word) => word !== "--json")
  const say = (value: unknown, text: string): number => {
    if (asJson) io.write(`${JSON.stringify(value, null, 2)}\n`)
    else io.say(text)
    return 0
  }
  if (more.length > 0) return io.fail(usage)
  switch (verb) {
    case "list": {
      if (key !== undefined) return io.fail(usage)
      const all = loaded.list()
      return say(all, all.map(line).join("\n"))
    }
    case "get":
    case "explain": {
      if (key === undefined) return io.fail(usage)
      const found = loaded.explain(key)
      if (found.value === undefined) return io.fail(unset(key))
      if (verb === "get")
        return say(found.value, typeof found.value === "string" ? found.value : JSON.stringify(found.value))
      return say(found, [line(found), ...found.from.map(origin)].join("\n"))
    }
    default:
      return io.fail(usage)
  }
}

function unset(key: string): string {
  if (Object.hasOwn(settingMeanings, key)) return `'${key}' is not set. List what is set with: codewright config list`
  const near = nearNames(key, Object.keys(settingMeanings), 1)[0]
  return `No value for '${key}'${near ? `; did you mean '${near}'?` : ". List what is set with: codewright config list"}`
}

const places: { readonly [word: string]: RuleFile } = {
  local: "local settings",
  project: "project settings",
  user: "user settings",
}

function set(argv: readonly string[], io: Io): number {
  const at = argv.indexOf("--to")
  const to = at < 0 ? "user" : (argv[at + 1] ?? "")
  const [key, text, ...more] = at < 0 ? argv : argv.toSpliced(at, 2)
  const place = Object.hasOwn(places, to) ? places[to] : undefined
  if (place === undefined) return io.fail(`--to takes local, project or user, not '${to}'.`)
  if (key === undefined || text === undefined || more.length > 0) return io.fail(usage)
  const value = valueIn(text)
  if (key === "theme" && (typeof value !== "string" || !themeNamed(value)))
    return io.fail(`There is no theme '${text}'. Choose one of ${themeNames.join(", ")}.`)
  const { cwd: root, state, home } = whereWeAre()
  const target = rulePlace(place, { root, state, home })
  const done = setSetting({ ...target, key, value })
  if (!done.ok) return io.fail(`${done.failure}${wayFor(key)}`)
  io.say(`${key} = ${JSON.stringify(value)} in ${target.file}`)
  return 0
}

function wayFor(key: string): string {
  const behavior = /^permissions\.(allow|ask|deny)$/.exec(key)?.[1]
  return behavior === undefined ? "" : ` To add one rule: codewright permissions add ${behavior} <rule>`
}

/** JSON if it parses, otherwise the text itself: nobody wants to quote quotes. */
function valueIn(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const line = ({ key, value, from }: Explanation): string =>
  `${key} = ${JSON.stringify(value)}  (${[...new Set(from.map(({ source }) => source))].join(", ")})`

function origin({ source, file, at, value }: Explanation["from"][number]): string {
  const place = file === undefined ? source : `${source}, ${file}${at ? `:${at.line}:${at.column}` : ""}`
  return `  ${JSON.stringify(value)} from ${place}`
}
