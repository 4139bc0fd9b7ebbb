/** What is installed, pinned, and known of marketplaces: one file of ours, and a folder for each plugin. */

import { lstatSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { replaceFile } from "#lib/state-file.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { isMissing } from "#lib/error-code.ts"
import { linkStatsOf } from "#lib/quietly.ts"
import type { Pin } from "./obtain.ts"
import { isSource, type MarketplaceSource, type PluginSource } from "./source.ts"
import { fileDigest, type FileDigests } from "./tree.ts"

/** Something that a plugin starts or permits, as it is shown. */
export interface PluginRun {
  readonly kind: string
  readonly what: string
}

export interface Installed {
  readonly name: string
  readonly marketplace?: string
  readonly source: PluginSource
  readonly pin: Pin
  /** Of all its files. */
  readonly digest: string
  /** Below the folder of plugins. */
  readonly folder: string
  readonly version?: string
  /** Whether the user agreed to what it runs; a plugin that runs something is not used before. */
  readonly isApproved: boolean
  readonly runs: readonly PluginRun[]
  readonly promptTokens: number
  readonly files: FileDigests
  /** As long as it is the same, its files need not be read. */
  readonly stamp: string
  /** The entry of its marketplace, which may add to it. */
  readonly entry?: JsonObject
  /** Others that were installed for it. */
  readonly dependencies?: readonly string[]
  /** Only because another needs it. */
  readonly isDependency?: true
}

export interface KnownMarketplace {
  readonly source: MarketplaceSource
  readonly pin: Pin
  /** As it was when it was last updated. */
  readonly written: JsonObject
}

export interface PluginRecords {
  readonly marketplaces: { readonly [name: string]: KnownMarketplace }
  /** By `name@marketplace`, or the name alone. */
  readonly plugins: { readonly [id: string]: Installed }
}

const nothing: PluginRecords = { marketplaces: {}, plugins: {} }

export const pluginsFolder = (state: string): string => join(state, "plugins")
export const recordsFile = (state: string): string => join(pluginsFolder(state), "plugins.json")

export const idOf = ({ name, marketplace }: Pick<Installed, "name" | "marketplace">): string =>
  marketplace === undefined ? name : `${name}@${marketplace}`

export function readRecords(state: string): Result<PluginRecords, string> {
  const file = recordsFile(state)
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"))
    if (!isObject(value)) return failed(`${file} must hold an object.`)
    return ok({
      marketplaces: entriesOf(value.marketplaces, knownOf),
      plugins: entriesOf(value.plugins, installedOf),
    })
  } catch (error) {
    if (isMissing(error)) return ok(nothing)
    return failed(`${file} cannot be read (${error instanceof Error ? error.message : String(error)}).`)
  }
}

export function writeRecords(state: string, records: PluginRecords): Result<void, string> {
  return replaceFile(recordsFile(state), `${JSON.stringify({ version: 1, ...records }, null, 1)}\n`, { isSynced: true })
}

function entriesOf<T>(
  value: JsonValue | undefined,
  read: (one: JsonObject) => T | undefined,
): { readonly [name: string]: T } {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      const made = isObject(one) ? read(one) : undefined
      return made === undefined ? [] : [[name, made] as const]
    }),
  )
}

const knownOf = ({ source, pin, written }: JsonObject): KnownMarketplace | undefined =>
  isSource(source) && isObject(written)
    ? { source: source as unknown as MarketplaceSource, pin: pinOf(isObject(pin) ? pin : {}), written }
    : undefined

function installedOf(one: JsonObject): Installed | undefined {
  const { name, marketplace, source, pin, digest, folder, version, runs, promptTokens, files, entry, dependencies } =
    one
  const { stamp } = one
  if (typeof name !== "string" || typeof digest !== "string" || typeof folder !== "string") return undefined
  // Our own record, but whoever could write to it must not make us read elsewhere.
  if (!isSource(source) || !isObject(files) || folder.split("/").includes("..") || folder.startsWith("/"))
    return undefined
  return {
    name,
    ...optional("marketplace", typeof marketplace === "string" ? marketplace : undefined),
    source: source as unknown as PluginSource,
    pin: pinOf(isObject(pin) ? pin : {}),
    digest,
    folder,
    ...optional("version", typeof version === "string" ? version : undefined),
    runs: Array.isArray(runs) ? runs.flatMap(runOf) : [],
    isApproved: one.isApproved === true,
    promptTokens: typeof promptTokens === "number" ? promptTokens : 0,
    files: files as FileDigests,
    stamp: typeof stamp === "string" ? stamp : "",
    ...optional("entry", isObject(entry) ? entry : undefined),
    ...optional(
      "dependencies",
      Array.isArray(dependencies) ? dependencies.filter((id) => typeof id === "string") : undefined,
    ),
    ...(one.isDependency === true && { isDependency: true }),
  }
}

/** What a record keeps of a pin. */
const pinOf = ({ commit, sha256, version }: JsonObject): Pin => ({
  ...optional("commit", typeof commit === "string" ? commit : undefined),
  ...optional("sha256", typeof sha256 === "string" ? sha256 : undefined),
  ...optional("version", typeof version === "string" ? version : undefined),
})

const runOf = (one: JsonValue): readonly PluginRun[] =>
  isObject(one) && typeof one.kind === "string" && typeof one.what === "string"
    ? [{ kind: one.kind, what: one.what }]
    : []

/** The first file that is not as it was installed; undefined if all are. What a plugin added for itself is not looked at. */
export const changedFile = (folder: string, files: FileDigests): string | undefined =>
  Object.keys(files).find((path) => {
    const whole = join(folder, path)
    try {
      const stat = lstatSync(whole)
      if (!stat.isFile()) return true
      return fileDigest(readFileSync(whole), (stat.mode & 0o111) !== 0) !== files[path]
    } catch {
      return true
    }
  })

/**
 * Of sizes and times of all files and of the folders they are in: as long as it is the same, nothing was changed, added or
 * removed. A program can set the time of a file's last change back, but not the time of that.
 */
export function stampOf(folder: string, files: FileDigests): string {
  const facts = stampedPaths(files).map((path) => {
    const stat = linkStatsOf(`${folder}/${path}`)
    return `${path}\0${stat?.ino}\0${stat?.mode}\0${stat?.size}\0${stat?.mtimeMs}\0${stat?.ctimeMs}`
  })
  return new Bun.CryptoHasher("sha256").update(facts.join("\0")).digest("hex")
}

/** The files and every folder that leads to one: a folder that is added changes the one it is in. */
export function stampedPaths(files: FileDigests): readonly string[] {
  const folders = new Set([""])
  for (const path of Object.keys(files))
    for (let at = path.lastIndexOf("/"); at > 0 && !folders.has(path.slice(0, at)); at = path.lastIndexOf("/", at - 1))
      folders.add(path.slice(0, at))
  return [...folders, ...Object.keys(files)]
}
