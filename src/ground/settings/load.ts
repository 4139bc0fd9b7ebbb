/**
 * Loads the settings of a session: finds the sources, leaves out what may not count, merges the rest and remembers
 * where each value came from.
 * See decision 9.
 */

import { relative, resolve } from "node:path"
import type { Behavior, RuleSource } from "#agent/words/permission.ts"
import { foldersUpTo } from "#lib/folders-up-to.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { addedFolderProblem } from "./added-folder.ts"
import { isLendable } from "./child-environment.ts"
import { type RawEnvironment, readEnvironment } from "./environment.ts"
import { type Explanation, explainAll, explainKey, type Layer } from "./explain.ts"
import { hooksIn, hooksOff, type HookText } from "./hooks.ts"
import type { Position } from "./jsonc.ts"
import { deepFreeze, mergeLayers } from "./merge.ts"
import { isEntry, type KeepLine, type ProjectLine, serverLines } from "./project-lines.ts"
import { readProjectServers } from "./project-servers.ts"
import { decodeSource, readSource, type SettingsProblem, type SourceText, type SourceValues } from "./read-source.ts"
import { type SandboxText, sandboxIn } from "./sandbox.ts"
import { admit, type LeftOut } from "./scope.ts"
import { defaultSettings, type Settings, type SettingsFile } from "./settings.ts"
import { isProjectSource, type SettingsPlaces, type SourceName, sourcesOf } from "./sources.ts"
import type { Trust } from "./trust.ts"

export interface LoadRequest extends SettingsPlaces {
  readonly home: string
  /**
   * The root of the repository: `.mcp.json` files in the folders up to it count too. Only the working folder when
   * absent.
   */
  readonly top?: string
  readonly env: RawEnvironment
  readonly trust: Trust
  /** Looks up the user's answers about the project's servers; called only if there are any. */
  readonly approvals?: () => Promise<(name: string, value: JsonValue) => boolean | undefined>
  /**
   * For a trusted project, what may count: what was there when it was trusted. Everything except secrets when
   * absent.
   */
  readonly trusts?: KeepLine | undefined
  /** Command-line flags as settings: `--model`, `--permission-mode`, `--allowed-tools`, `--add-dir`. */
  readonly flags?: SettingsFile
}

/** A permission rule as written, with what is needed to interpret it. */
export interface RuleText {
  readonly behavior: Behavior
  readonly text: string
  readonly source: RuleSource
  /** What a pattern with a single leading slash is relative to. */
  readonly base: string
  /** Its location, for an error about it. */
  readonly where: string
}

export interface ProjectServer {
  readonly name: string
  readonly value: JsonValue
  /** Whether the user approved it: with the folder, by itself, or by name in their own settings. */
  readonly isApproved: boolean
  /** Variables whose values it would send away without the user's approval. */
  readonly withheld: readonly string[]
}

export interface LoadedSettings {
  readonly settings: Settings
  readonly rules: readonly RuleText[]
  /** Every hook that counts, by source, strongest first. */
  readonly hooks: readonly HookText[]
  /** Whether hooks of a source count nowhere, in whichever file they are. */
  readonly hooksOff: (source: SourceName) => boolean
  /** What each source says about the sandbox, strongest first. */
  readonly sandbox: readonly SandboxText[]
  /** Absolute paths. */
  readonly additionalDirectories: readonly string[]
  /** The same with the strongest source that names each. */
  readonly folders: readonly { readonly path: string; readonly source: SourceName }[]
  /** What each source sets, as far as it counts, strongest first. */
  readonly layers: readonly Layer[]
  /** The environment with the settings' `env`: managed and command line override it, files do not. */
  readonly env: RawEnvironment
  /** Everything in the project's files that would run or permit something, whether it counts or not. */
  readonly lines: readonly ProjectLine[]
  readonly servers: readonly ProjectServer[]
  /** Whether a variable contains a secret that the user could lend. */
  readonly isSecret: (name: string) => boolean
  readonly leftOut: readonly LeftOut[]
  readonly problems: readonly SettingsProblem[]
  readonly explain: (key: string) => Explanation
  readonly list: () => readonly Explanation[]
}

export async function loadSettings(request: LoadRequest): Promise<LoadedSettings> {
  const problems: SettingsProblem[] = []
  const leftOut: LeftOut[] = []
  const lines: ProjectLine[] = []
  const sources = await readSources(request, problems)
  const own = { ...ownVariables(sources), ...request.env }
  const isLent = (name: string): boolean => isLendable(name, own[name])
  const files = sources.map((read): BasedLayer => {
    const { name, file, base } = read.source
    const { trust, trusts, root } = request
    const shownFile = relative(root, file)
    const admitted = admit(read.value, { name, file, shownFile, trust, trusts, isSecret: isLent })
    leftOut.push(...admitted.leftOut)
    lines.push(...admitted.lines)
    return { name, file, value: admitted.value, positionOf: read.positionOf, base }
  })
  const layers = layersOf(files, request, leftOut)
  const settings = deepFreeze(finish(mergeLayers(layers.map(({ value }) => value))))
  const found = await projectServers({ ...request, env: own }, settings, isLent)
  leftOut.push(...found.leftOut)
  problems.push(...found.problems)
  const report = (problem: SettingsProblem): void => void problems.push(problem)
  const folders = layers.flatMap((layer) =>
    foldersOf(layer, request.home, report).map((path) => ({ path, source: layer.name })),
  )
  return {
    settings,
    layers,
    folders: folders.filter(({ path }, i) => folders.findIndex((other) => other.path === path) === i),
    lines: [...lines, ...found.lines],
    servers: found.servers,
    rules: layers.flatMap(rulesOf),
    hooks: hooksIn(layers),
    hooksOff: hooksOff(layers),
    isSecret: isLent,
    sandbox: sandboxIn(layers),
    additionalDirectories: [...new Set(folders.map(({ path }) => path))],
    env: environmentOf(layers, request.env),
    leftOut,
    problems,
    explain: (key) => explainKey(layers, key),
    list: () => explainAll(layers),
  }
}

type Servers = Pick<LoadedSettings, "servers" | "lines" | "leftOut" | "problems">

async function projectServers(
  { root, top = root, env, trust, trusts = isEntry, approvals, chosen }: LoadRequest,
  { enableAllProjectMcpServers, enabledMcpjsonServers = [] }: Settings,
  isLent: (name: string) => boolean,
): Promise<Servers> {
  if (chosen && !chosen.includes("project")) return { servers: [], lines: [], leftOut: [], problems: [] }
  const read = foldersUpTo(root, top).map(readProjectServers)
  const problems = read.flatMap((one) => one.problems)
  // Of one name the nearest counts.
  const servers = [
    ...new Map(
      read
        .toReversed()
        .flatMap((one) => one.servers.map((server) => [server.name, { ...server, file: one.file }] as const)),
    ).values(),
  ]
  const leftOut: LeftOut[] = []
  const lines: ProjectLine[] = []
  const saidOf = trust === "untrusted" || servers.length === 0 ? undefined : await approvals?.()
  const found = servers.map(({ name, value, file }): ProjectServer => {
    const { line, secrets } = serverLines({ file: relative(root, file), isSecret: isLent }, name, value)
    const said = saidOf?.(name, value)
    const isNamed = enableAllProjectMcpServers === true || enabledMcpjsonServers.includes(name) || said === true
    const isApproved = trust !== "untrusted" && (isNamed || trusts(line))
    // What was answered elsewhere is not asked about with the folder.
    if (said === undefined && !(isApproved && isNamed)) lines.push(line)
    lines.push(...secrets.map((secret) => secret.line))
    const withheld = secrets.filter((secret) => !trusts(secret.line)).map((secret) => secret.name)
    const leave = (key: string, why: LeftOut["why"]): void => void leftOut.push({ file, key, count: 1, why })
    if (!isApproved && said !== false) leave(`mcpServers.${name}`, trust === "untrusted" ? "untrusted" : "changed")
    const withheldSecrets = trust === "untrusted" ? [] : withheld.filter((variable) => env[variable])
    for (const variable of withheldSecrets) leave(`mcpServers.${name}: your ${variable}`, "secret")
    return { name, value, isApproved, withheld }
  })
  return { servers: found, lines, leftOut, problems }
}

interface BasedLayer extends Layer {
  readonly base: string
}

async function readSources(request: LoadRequest, problems: SettingsProblem[]): Promise<readonly SourceValues[]> {
  const texts: SourceText[] = []
  for (const source of sourcesOf(request)) {
    const read = readSource(source)
    if (read === undefined) continue
    if ("level" in read) problems.push(read)
    else texts.push(read)
  }
  if (texts.length === 0) return []
  // In the home folder the project's file is the user's file: it counts once, as the user's.
  const userFiles = texts.flatMap(({ source, realFile }) => (source.name === "user settings" ? [realFile] : []))
  const once = texts.filter(
    ({ source, realFile }) =>
      source.name !== "project settings" || realFile === undefined || !userFiles.includes(realFile),
  )
  const { checkSettings } = await import("./schema.ts")
  return once.flatMap((text) => {
    const decoded = decodeSource(text, checkSettings)
    problems.push(...decoded.problems)
    return decoded.values ? [decoded.values] : []
  })
}

const ownVariables = (sources: readonly SourceValues[]): RawEnvironment =>
  Object.fromEntries(
    sources.flatMap(({ source, value }) =>
      isProjectSource(source.name) || !isObject(value.env)
        ? []
        : Object.entries(value.env).map(([name, text]) => [name, String(text)]),
    ),
  )

/** When the managed policy only wants its own allow rules, the others do not count. Rules that restrict always do. */
function managedRulesOnly(layers: readonly BasedLayer[], leftOut: LeftOut[]): readonly BasedLayer[] {
  if (!layers.some(({ name, value }) => name === "managed" && value.allowManagedPermissionRulesOnly === true))
    return layers
  return layers.map((layer) => {
    const { permissions } = layer.value
    if (layer.name === "managed" || !isObject(permissions) || permissions.allow === undefined) return layer
    const { allow, ...rest } = permissions
    const count = Array.isArray(allow) ? allow.length : 1
    leftOut.push({ file: layer.file ?? layer.name, key: "permissions.allow", count, why: "managed only" })
    return { ...layer, value: { ...layer.value, permissions: rest } }
  })
}

/** Files, flags, environment and defaults, strongest first. */
function layersOf(files: readonly BasedLayer[], request: LoadRequest, leftOut: LeftOut[]): readonly BasedLayer[] {
  const { root: base, flags } = request
  const rank = (layer: BasedLayer): number => strengths.indexOf(layer.name)
  // The sort is stable: a single flag stays stronger than a file given by another.
  const flagLayers: readonly BasedLayer[] = flags
    ? [{ name: "command line", file: "the command line", value: json(flags), base }]
    : []
  const said = managedRulesOnly(
    [...flagLayers, ...files].sort((a, b) => rank(a) - rank(b)),
    leftOut,
  )
  const environment = environmentLayer(environmentOf(said, request.env), base)
  const standard: BasedLayer = { name: "default", value: json(defaultSettings), base }
  return [...said, ...environment, standard].sort((a, b) => rank(a) - rank(b))
}

const strengths: readonly SourceName[] = [
  "managed",
  "command line",
  "environment",
  "local settings",
  "project settings",
  "user settings",
  "default",
]

function environmentLayer(env: RawEnvironment, base: string): readonly BasedLayer[] {
  const { model, disableAutoCompact, disableCompact } = readEnvironment(env)
  const value: JsonObject = {
    ...(model !== undefined && { model }),
    ...((disableAutoCompact || disableCompact) && { autoCompact: false }),
  }
  return Object.keys(value).length === 0 ? [] : [{ name: "environment", file: "the environment", value, base }]
}

/** The environment ranks between the stronger and the weaker sources. */
function environmentOf(layers: readonly Layer[], env: RawEnvironment): RawEnvironment {
  const strong: { [name: string]: string } = {}
  const weak: { [name: string]: string } = {}
  for (const { name, value } of layers) {
    const into = name === "managed" || name === "command line" ? strong : weak
    for (const [variable, text] of Object.entries(isObject(value.env) ? value.env : {})) into[variable] ??= String(text)
  }
  return { ...weak, ...env, ...strong }
}

const behaviors: readonly Behavior[] = ["deny", "ask", "allow"]

function rulesOf({ name, file, value, positionOf, base }: BasedLayer): readonly RuleText[] {
  if (name === "default" || name === "environment") return []
  return behaviors.flatMap((behavior) =>
    textsAt(value, behavior).map((text, i) => {
      const place = positionOf?.(["permissions", behavior, i])
      return { behavior, text, source: name, base, where: whereOf(file ?? name, place) }
    }),
  )
}

const whereOf = (file: string, at: Position | undefined): string => (at ? `${file}:${at.line}:${at.column}` : file)

/**
 * A folder that cannot be used is reported and left out, unless it was given on the command line: whoever typed it is
 * there to read an error.
 */
function foldersOf(
  { name, file = name, value, base, positionOf }: BasedLayer,
  home: string,
  report: (problem: SettingsProblem) => void,
): readonly string[] {
  return textsAt(value, "additionalDirectories")
    .filter((written, i) => {
      if (name === "command line") return true
      const problem = addedFolderProblem(folderAt(written, base, home), { home, source: name, shown: written })
      if (problem === undefined) return true
      const at = positionOf?.(["permissions", "additionalDirectories", i])
      const message = `${problem} It is ignored.`
      report({ level: "warning", kind: "wrong_value", source: name, file, ...(at && { at }), message })
      return false
    })
    .map((written) => folderAt(written, base, home))
}

const folderAt = (written: string, base: string, home: string): string =>
  written === "~" || written.startsWith("~/") ? resolve(home, written.slice(2)) : resolve(base, written)

function textsAt({ permissions }: JsonObject, key: string): readonly string[] {
  const list = isObject(permissions) ? permissions[key] : undefined
  return Array.isArray(list) ? list.filter((text: JsonValue) => typeof text === "string") : []
}

/** Settings are plain JSON; the type is narrower than JSON's. */
const json = (settings: SettingsFile): JsonObject => settings as JsonObject

/** The merged layers have every default and were validated one by one, so the result is valid. */
function finish(merged: JsonObject): Settings {
  const settings = merged as unknown as Settings
  const { permissions } = merged
  const mode = isObject(permissions) ? permissions.defaultMode : undefined
  const env = Object.fromEntries(Object.entries(settings.env).map(([name, value]) => [name, String(value)]))
  return {
    ...settings,
    env,
    permissions: { ...settings.permissions, ...(mode === "manual" && { defaultMode: "default" as const }) },
  }
}
