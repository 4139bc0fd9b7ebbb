/** A plugin: a folder of commands, skills, agents, output styles, hooks and servers that were written to be used together. */

import { basename, dirname, join } from "node:path"
import { namedServers } from "#agent/words/named-servers.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { isBelow } from "#lib/lies-in.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { folderAt, jsonIn, openWithin, type Say, type WrittenJson } from "./plugin-files.ts"
import { checkPortable, isPortable, portableServers } from "./portable-plugin.ts"
import { namesIn, statsOf } from "#lib/quietly.ts"

/** Where the files of a plugin are. Their names get the plugin's name in front. */
export interface PluginFolders {
  readonly name: string
  /** With links resolved. */
  readonly root: string
  /** Where it may keep something. */
  readonly data?: string
  /** Of all its files, where they were compared with those that were installed: the same as long as none is touched. */
  readonly states?: string
  /** Folders with Markdown files, or such files. */
  readonly commands: readonly string[]
  readonly agents: readonly string[]
  readonly styles: readonly string[]
  /** Folders of skills, or the folder of one. */
  readonly skills: readonly string[]
}

export interface PluginAbout {
  readonly version?: string
  readonly description?: string
  readonly author?: string
  readonly homepage?: string
  readonly repository?: string
  readonly license?: string
}

/** Another plugin that this one needs; of its own marketplace unless it says another. */
export interface PluginDependency {
  readonly name: string
  readonly marketplace?: string
}

export interface Plugin extends PluginFolders {
  /** `portable`: an Agent Plugin, whose configuration means exactly what it says. */
  readonly kind: "claude" | "portable"
  readonly about: PluginAbout
  readonly version?: string
  readonly hooks: readonly { readonly file: string; readonly hooks: JsonObject }[]
  /** By their own names, as written. */
  readonly servers: JsonObject
  /** The same for servers in the form of Agent Plugins. */
  readonly portableServers: JsonObject
  /** By language or any other name, as written. */
  readonly languageServers: JsonObject
  /** What it sets where the user does not: `agent` and `statusLine`. */
  readonly settings: JsonObject
  readonly dependencies: readonly PluginDependency[]
  /** What it asks for and nobody here follows, each a few words. */
  readonly notFollowed: readonly string[]
  /** What is left out of it, and why, as sentences. */
  readonly problems: readonly string[]
}

/** The first that exists counts. */
const manifestFiles: readonly string[] = [
  ".codewright-plugin/plugin.json",
  ".claude-plugin/plugin.json",
  "plugin.json",
  ".github/plugin/plugin.json",
  ".cursor-plugin/plugin.json",
  ".codex-plugin/plugin.json",
]
/** Nothing that has a meaning in a rule, a path or the name of a tool. */
const nameShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export interface PluginWish {
  /** The entry of a marketplace, which may add parts, or be all that is said about it. */
  readonly entry?: JsonObject
  /** For a plugin that does not say its name; the folder's otherwise. */
  readonly name?: string
}

/** The failure is a sentence that names the folder. What cannot be read of a plugin is left out of it. */
export function readPlugin(path: string, { entry = {}, name: usual }: PluginWish = {}): Result<Plugin, string> {
  const root = folderAt(path)
  if (root === undefined) return failed(`The plugin ${path} does not exist or is not a folder.`)
  const names = new Set(namesIn(root))
  const file = manifestFiles.find(
    (one) => names.has(one.split("/", 1)[0] ?? "") && statsOf(join(root, one)) !== undefined,
  )
  const read = file === undefined ? ok({}) : jsonIn(root, join(root, file), "needed")
  if (!read.ok) return failed(`The plugin ${path} cannot be used: ${read.failure}.`)
  const manifest: JsonObject = read.value
  const name = manifest.name ?? usual ?? basename(root)
  if (typeof name !== "string" || !nameShape.test(name))
    return failed(
      `The plugin ${path} cannot be used: its name must be letters, digits, dots, - and _, not ${JSON.stringify(name)}.`,
    )
  const problems: string[] = []
  const say: Say = (problem) => void problems.push(`Plugin ${name}: ${problem}`)
  const portable = isPortable(manifest) ? checkPortable(manifest, say) : undefined
  if (portable && !portable.ok) return failed(`The plugin ${path} cannot be used: ${portable.failure}.`)
  const parts = portable
    ? portableParts(root, names, portable.value, say)
    : claudeParts({ root, names, manifest, entry, file: join(root, file ?? ".claude-plugin/plugin.json"), say })
  const about = aboutOf({ ...entry, ...manifest })
  return ok({
    name,
    root,
    kind: portable ? "portable" : "claude",
    about,
    ...optional("version", about.version),
    ...parts,
    dependencies: dependenciesIn([...listOf(manifest.dependencies), ...listOf(entry.dependencies)]),
    problems,
  })
}

type PluginContent = Omit<Plugin, "name" | "root" | "kind" | "about" | "version" | "dependencies" | "problems">

const noParts: PluginContent = {
  commands: [],
  agents: [],
  skills: [],
  styles: [],
  hooks: [],
  servers: {},
  portableServers: {},
  languageServers: {},
  settings: {},
  notFollowed: [],
}

/** Exactly two places; folders of clients are theirs. */
function portableParts(root: string, names: ReadonlySet<string>, version: string, say: Say): PluginContent {
  const skills = join(root, "skills")
  const stat = statsOf(skills)
  const isUsable = stat !== undefined && openWithin(root, say)("skills", "./skills") !== undefined
  if (stat && !stat.isDirectory()) say("skills is not a folder; it is left out.")
  return {
    ...noParts,
    skills: isUsable && stat.isDirectory() ? [skills] : [],
    portableServers: portableServers(root, version, say),
    notFollowed: [...names].flatMap((name) =>
      clientFolder.test(name) ? [`${name}/, which is for another program`] : [],
    ),
  }
}

/** Domains written backwards. */
const clientFolder = /^(?:com|org|net|io|dev|ai|app|me)(?:\.[a-z0-9-]+)+$/

interface ClaudeFiles {
  readonly root: string
  /** What is directly in it: what is not there need not be looked for. */
  readonly names: ReadonlySet<string>
  readonly manifest: JsonObject
  readonly entry: JsonObject
  /** The manifest's own file. */
  readonly file: string
  readonly say: Say
}

function claudeParts({ root, names, manifest, entry, file, say }: ClaudeFiles): PluginContent {
  const within = openWithin(root, say)
  const named = (field: string): readonly JsonValue[] => [...listOf(manifest[field]), ...listOf(entry[field])]
  // Of a plugin that only its marketplace describes, what the entry names is all there is of that kind.
  const isWhole = (field: string): boolean => entry.strict === false && listOf(entry[field]).length > 0
  const folders = (field: string, usual: string): readonly string[] => {
    const isThere = !isWhole(field) && names.has(usual)
    const own = isThere ? (within(field, usual) ?? []) : []
    const more = textsOf(named(field)).flatMap((written) => within(field, written) ?? [])
    const all = [own, more].flat()
    const isListed = (one: string): boolean =>
      all.some((other) => other !== one && isBelow(one, other) && other !== root)
    return [...new Set(all)].filter((one) => (field === "skills" ? !all.includes(dirname(one)) : !isListed(one)))
  }
  const written = (field: string, usual: string): readonly WrittenJson[] => {
    const texts = textsOf(named(field)).flatMap((text) => within(field, text) ?? [])
    const isThere = !isWhole(field) && names.has(usual.split("/", 1)[0] ?? "")
    const own = !isThere ? [] : readJson(root, join(root, usual), "optional", say)
    const inline = named(field).flatMap((one) => (isObject(one) ? [{ file, value: one }] : []))
    const others = [...new Set(texts)].filter((one) => one !== join(root, usual))
    return [...own, ...inline, ...others.flatMap((one) => readJson(root, one, "needed", say))]
  }
  const settings = Object.assign({}, ...written("settings", "settings.json").map(({ value }) => value)) as JsonObject
  const { agent, statusLine, ...unfollowed } = settings
  return {
    commands: folders("commands", "commands"),
    agents: folders("agents", "agents"),
    skills: withOwnSkill(root, names, folders("skills", "skills")),
    styles: folders("outputStyles", "output-styles"),
    hooks: written("hooks", "hooks/hooks.json").map(({ file: from, value }) => ({ file: from, hooks: hooksIn(value) })),
    servers: Object.assign({}, ...written("mcpServers", ".mcp.json").map(serversIn(say))) as JsonObject,
    portableServers: {},
    languageServers: Object.assign({}, ...written("lspServers", ".lsp.json").map(languageServersIn)) as JsonObject,
    settings: { ...optional("agent", agent), ...optional("statusLine", statusLine) },
    notFollowed: [
      ...unfollowedParts(root, names, { ...entry, ...manifest }),
      ...Object.keys(unfollowed).flatMap((key) => (key === "$schema" ? [] : [`${key} in settings.json`])),
    ],
  }
}

/** A folder that is one skill and nothing more. */
const withOwnSkill = (root: string, names: ReadonlySet<string>, skills: readonly string[]): readonly string[] =>
  skills.length === 0 && names.has("SKILL.md") ? [root] : skills

const followed: ReadonlySet<string> = new Set([
  ..."$schema name version description author homepage repository license keywords source category tags strict".split(
    " ",
  ),
  ..."commands agents skills outputStyles hooks mcpServers lspServers settings dependencies".split(" "),
  ..."displayName icon logo support relevance interface publisher minVersion defaultEnabled autoUpdate".split(" "),
])

const unfollowedFolders: readonly string[] = ["workflows", "monitors", "bin", "themes"]

function unfollowedParts(root: string, names: ReadonlySet<string>, manifest: JsonObject): readonly string[] {
  return [
    ...Object.entries(manifest).flatMap(([key, value]) => {
      if (!followed.has(key)) return [key]
      return key === "commands" && isObject(value) ? ["commands given as an object"] : []
    }),
    ...unfollowedFolders
      .filter((name) => names.has(name) && !(name in manifest) && namesIn(join(root, name)).length > 0)
      .map((name) => `${name}/`),
  ]
}

function aboutOf({ version, description, author, homepage, repository, license }: JsonObject): PluginAbout {
  const text = (value: JsonValue | undefined): string | undefined => (typeof value === "string" ? value : undefined)
  const from = isObject(repository) ? repository.url : repository
  return {
    ...optional("version", text(version)),
    ...optional("description", text(description)),
    ...optional("author", isObject(author) ? text(author.name) : text(author)),
    ...optional("homepage", text(homepage)),
    ...optional("repository", text(from)),
    ...optional("license", text(license)),
  }
}

function dependenciesIn(values: readonly JsonValue[]): readonly PluginDependency[] {
  const found = values.flatMap((one): readonly PluginDependency[] => {
    const written = isObject(one) ? one.name : one
    if (typeof written !== "string") return []
    const [name = "", market] = written.split("@", 2)
    const marketplace = isObject(one) && typeof one.marketplace === "string" ? one.marketplace : market
    return nameShape.test(name) ? [{ name, ...optional("marketplace", marketplace) }] : []
  })
  return found.filter(({ name }, i) => found.findIndex((other) => other.name === name) === i)
}

function readJson(root: string, file: string, presence: "needed" | "optional", say: Say): readonly WrittenJson[] {
  const value = jsonIn(root, file, presence)
  if (!value.ok) say(`${value.failure}; it is left out.`)
  return value.ok && Object.keys(value.value).length > 0 ? [{ file, value: value.value }] : []
}

/** A file has them under `hooks`, a manifest may have them directly. */
const hooksIn = ({ hooks, description: _description, ...rest }: JsonObject): JsonObject =>
  isObject(hooks) ? hooks : rest

const serversIn =
  (say: Say) =>
  ({ file, value }: WrittenJson): JsonObject => {
    const servers = namedServers(value)
    if (!servers) say(`${file} has no mcpServers; it is left out.`)
    return servers ?? {}
  }

const languageServersIn = ({ value: { lspServers, $schema: _schema, ...rest } }: WrittenJson): JsonObject =>
  isObject(lspServers) ? lspServers : rest

const listOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

const textsOf = (values: readonly JsonValue[]): readonly string[] =>
  values.filter((one): one is string => typeof one === "string")
