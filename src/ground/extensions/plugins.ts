/** A plugin: a folder of commands, skills, agents, output styles, hooks and servers that were written to be used together. */

import { readFileSync, realpathSync, statSync } from "node:fs"
import { basename, join, relative, resolve } from "node:path"
import { namedServers } from "#agent/words/named-servers.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** Where the files of a plugin are. Their names get the plugin's name in front. */
export interface PluginFolders {
  readonly name: string
  /** With links resolved. */
  readonly root: string
  /** Folders with Markdown files, or such files. */
  readonly commands: readonly string[]
  readonly agents: readonly string[]
  readonly styles: readonly string[]
  /** Folders of skills, or the folder of one. */
  readonly skills: readonly string[]
}

export interface Plugin extends PluginFolders {
  readonly version?: string
  readonly hooks: readonly { readonly file: string; readonly hooks: JsonObject }[]
  /** By their own names, as written. */
  readonly servers: JsonObject
  /** What is left out of it, and why, as sentences. */
  readonly problems: readonly string[]
}

const manifestFile = ".claude-plugin/plugin.json"
/** Nothing that has a meaning in a rule, a path or the name of a tool. */
const nameShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const largest = 1_000_000

/** The failure is a sentence that names the folder. What cannot be read of a plugin is left out of it. */
export function readPlugin(path: string): Result<Plugin, string> {
  const root = folderAt(path)
  if (root === undefined) return failed(`The plugin ${path} does not exist or is not a folder.`)
  const manifest = jsonAt(join(root, manifestFile), "optional")
  if (!manifest.ok) return failed(`The plugin ${path} cannot be used: ${manifest.failure}.`)
  const { name = basename(root), version, commands, agents, skills, outputStyles, hooks, mcpServers } = manifest.value
  if (typeof name !== "string" || !nameShape.test(name))
    return failed(
      `The plugin ${path} cannot be used: its name must be letters, digits, dots, - and _, not ${JSON.stringify(name)}.`,
    )
  const problems: string[] = []
  const say = (problem: string): void => void problems.push(`Plugin ${name}: ${problem}`)
  const within = openWithin(root, say)
  const folders = (field: string, usual: string, more: JsonValue | undefined): readonly string[] => {
    const all = [join(root, usual), ...textsIn(more).flatMap((written) => within(field, written) ?? [])]
    return [...new Set(all)].filter((one) => statSync(one, { throwIfNoEntry: false }) !== undefined)
  }
  const written = (field: string, usual: string, more: JsonValue | undefined): readonly WrittenJson[] =>
    [
      ...readUsual(join(root, usual), say),
      ...(isObject(more) ? [{ file: join(root, manifestFile), value: more }] : []),
      ...textsIn(more).flatMap((text) => readNamed(within(field, text), say)),
    ].filter(({ file }, index, all) => all.findIndex((other) => other.file === file) === index)
  return ok({
    name,
    root,
    ...optional("version", typeof version === "string" ? version : undefined),
    commands: folders("commands", "commands", commands),
    agents: folders("agents", "agents", agents),
    skills: folders("skills", "skills", skills),
    styles: folders("outputStyles", "output-styles", outputStyles),
    hooks: written("hooks", "hooks/hooks.json", hooks).map(({ file, value }) => ({ file, hooks: hooksIn(value) })),
    servers: Object.assign({}, ...written("mcpServers", ".mcp.json", mcpServers).map(serversIn(say))) as JsonObject,
    problems,
  })
}

/** By these the programs of a plugin find their files, and where they may keep something. */
export const pluginVariables = ({
  root,
  data,
}: {
  readonly root: string
  readonly data: string
}): { readonly [name: string]: string } => ({
  CLAUDE_PLUGIN_ROOT: root,
  CODEWRIGHT_PLUGIN_ROOT: root,
  CLAUDE_PLUGIN_DATA: data,
  CODEWRIGHT_PLUGIN_DATA: data,
})

interface WrittenJson {
  readonly file: string
  readonly value: JsonObject
}

/** A path of the manifest; undefined if it leads out of the plugin, which is said. */
const openWithin =
  (root: string, say: (problem: string) => void) =>
  (field: string, written: string): string | undefined => {
    const whole = resolve(root, written)
    const real = folderAt(whole) ?? realFile(whole)
    const isInside = [whole, real ?? whole].every((one) => !relative(root, one).startsWith(".."))
    if (!isInside) say(`${field} names ${written}, which is outside the plugin; it is left out.`)
    else if (real === undefined) say(`${field} names ${written}, which does not exist.`)
    return isInside && real !== undefined ? whole : undefined
  }

function readUsual(file: string, say: (problem: string) => void): readonly WrittenJson[] {
  const value = jsonAt(file, "optional")
  if (!value.ok) say(`${value.failure}; it is left out.`)
  return value.ok && Object.keys(value.value).length > 0 ? [{ file, value: value.value }] : []
}

function readNamed(file: string | undefined, say: (problem: string) => void): readonly WrittenJson[] {
  const value = file === undefined ? undefined : jsonAt(file, "needed")
  if (value && !value.ok) say(`${value.failure}; it is left out.`)
  return file !== undefined && value?.ok ? [{ file, value: value.value }] : []
}

/** A file has them under `hooks`, a manifest may have them directly. */
const hooksIn = ({ hooks, ...rest }: JsonObject): JsonObject => (isObject(hooks) ? hooks : rest)

const serversIn =
  (say: (problem: string) => void) =>
  ({ file, value }: WrittenJson): JsonObject => {
    const servers = namedServers(value)
    if (!servers) say(`${file} has no mcpServers; it is left out.`)
    return servers ?? {}
  }

const textsIn = (value: JsonValue | undefined): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string")

function folderAt(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined
  } catch {
    return undefined
  }
}

function realFile(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** The failure continues a sentence. */
function jsonAt(file: string, presence: "needed" | "optional"): Result<JsonObject, string> {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat && presence === "optional") return ok({})
    if (!stat?.isFile()) return failed(`${file} is not a file`)
    if (stat.size > largest) return failed(`${file} is larger than ${largest / 1e6} MB`)
    const value: unknown = JSON.parse(readFileSync(file, "utf8"))
    return isObject(value) ? ok(value) : failed(`${file} must hold an object`)
  } catch (error) {
    return failed(`${file} cannot be read (${error instanceof Error ? error.message : String(error)})`)
  }
}
