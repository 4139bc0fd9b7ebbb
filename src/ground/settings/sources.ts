/** Where settings come from, strongest first. */

import { dirname, join, resolve } from "node:path"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** The names that rules can come from are those of `RuleSource`. */
export type SourceName =
  "managed" | "command line" | "environment" | "local settings" | "project settings" | "user settings" | "default"

/** Whether a source is in the project, where the author of the repository could have written it. */
export const isProjectSource = (name: SourceName): boolean => name === "local settings" || name === "project settings"

/** The file sources that `--setting-sources` can choose from. */
export const settingSources = ["user", "project", "local"] as const
export type SettingSource = (typeof settingSources)[number]

export interface Source {
  readonly name: SourceName
  /** The file, or the flag that gave the text. */
  readonly file: string
  /** Set when the text was given directly. */
  readonly text?: string
  /** What `/path` and relative folders in it are relative to. */
  readonly base: string
  /** A missing file is an error. */
  readonly required: boolean
}

export interface SettingsPlaces {
  readonly root: string
  readonly state: string
  /** The ecosystem's own user folder, `~/.claude` or what replaces it. */
  readonly claudeFolder: string
  readonly managedFile: string
  /** The value of `--settings`: a path, or the settings themselves. */
  readonly settingsFlag?: string
  /** The value of `--managed-settings`: policy set by a program that drives us. */
  readonly managedFlag?: string
  /** All file sources when absent. */
  readonly chosen?: readonly SettingSource[]
}

export function managedSettingsFile(platform: string): string {
  if (platform === "darwin") return "/Library/Application Support/Codewright/managed-settings.json"
  return "/etc/codewright/managed-settings.json"
}

/** Strongest first. At the same level ours is stronger than the ecosystem's. */
export function sourcesOf(places: SettingsPlaces): readonly Source[] {
  const { root, state, claudeFolder, managedFile, settingsFlag, managedFlag } = places
  const chosen = (source: SettingSource): boolean => places.chosen?.includes(source) ?? true
  const file = (name: SourceName, path: string, base: string): Source => ({ name, file: path, base, required: false })
  const inProject = (name: SourceName, leaf: string): readonly Source[] =>
    [".codewright", ".claude"].map((folder) => file(name, join(root, folder, leaf), root))
  const users = [...new Set([state, claudeFolder])].map((folder) =>
    file("user settings", join(folder, "settings.json"), folder),
  )
  return [
    file("managed", managedFile, dirname(managedFile)),
    ...(managedFlag === undefined ? [] : [flagSource("managed", "--managed-settings", managedFlag, root)]),
    ...(settingsFlag === undefined ? [] : [flagSource("command line", "--settings", settingsFlag, root)]),
    ...(chosen("local") ? inProject("local settings", "settings.local.json") : []),
    ...(chosen("project") ? inProject("project settings", "settings.json") : []),
    ...(chosen("user") ? users : []),
  ]
}

/** An empty value chooses none. */
export function parseSettingSources(value: string): Result<readonly SettingSource[], string> {
  const names = value.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]))
  const unknown = names.find((name) => !isSettingSource(name))
  if (unknown === undefined) return ok(names.filter(isSettingSource))
  const near = nearNames(unknown, settingSources, 1)[0]
  const hint = near ? `did you mean ${near}?` : `choose among ${settingSources.join(", ")}.`
  return failed(`--setting-sources: there is no source "${unknown}"; ${hint}`)
}

function flagSource(name: SourceName, flag: string, value: string, root: string): Source {
  if (value.trimStart().startsWith("{")) return { name, file: flag, text: value, base: root, required: true }
  const path = resolve(root, value)
  return { name, file: path, base: dirname(path), required: true }
}

const isSettingSource = (name: string): name is SettingSource => settingSources.some((source) => source === name)
