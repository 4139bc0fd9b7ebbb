/** `codewright config`: every setting, its value, and where that came from. */

import type { Explanation } from "#ground/settings/explain.ts"
import type { LoadedSettings } from "#ground/settings/load.ts"
import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { type RuleFile, ruleFile } from "#ground/settings/save.ts"
import { setSetting } from "#ground/settings/set.ts"
import { homeFolder, stateFolder } from "#ground/settings/state-folder.ts"
import type { JsonValue } from "#lib/json.ts"
import { printable } from "#lib/printable.ts"
import { parseArguments } from "./argv.ts"
import { type FlagName, flags } from "./flags.ts"
import type { Io } from "./io.ts"
import { readSetting } from "./setting.ts"

const usage =
  "config takes list, get <key>, explain <key>, or set <key> <value> [--to local|project|user], such as: codewright config set theme light"

export async function configCommand(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === "set") return set(argv.slice(1), io)
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
    io.write(`${asJson ? JSON.stringify(value, null, 2) : printable(text)}\n`)
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
      if (found.value === undefined)
        return io.fail(`Nothing is set for '${key}'. codewright config list shows what is.`)
      if (verb === "get")
        return say(found.value, typeof found.value === "string" ? found.value : JSON.stringify(found.value))
      return say(found, [line(found), ...found.from.map(origin)].join("\n"))
    }
    default:
      return io.fail(usage)
  }
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
  const environment = readEnvironment(processEnvironment())
  const file = ruleFile(place, { root: process.cwd(), state: stateFolder(environment, homeFolder(environment)) })
  const done = setSetting({ file, key, value: valueIn(text) })
  if (!done.ok) return io.fail(done.failure)
  io.write(`${printable(`${key} = ${JSON.stringify(valueIn(text))} in ${file}`)}\n`)
  return 0
}

/** JSON where it is JSON, otherwise the words themselves: nobody wants to quote quotes. */
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
