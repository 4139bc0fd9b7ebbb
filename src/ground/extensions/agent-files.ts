/** The files that define agents: below the user's `agents` folder and, if the folder is trusted, the project's. */

import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { foldersUpTo } from "#lib/folders-up-to.ts"
import { liesIn } from "#lib/lies-in.ts"
import { statsOf } from "#lib/quietly.ts"
import { markdownAt, markdownBelow, realOf } from "./find.ts"
import type { PluginFolders } from "./plugins.ts"

export interface AgentFileFound {
  readonly source: "user" | "project" | "plugin"
  /** Stands before the names of a plugin's agents. */
  readonly prefix?: string
  readonly path: string
  readonly text: string
}

const skipped = "Skipped the agents in "
/** Whether a problem is that a project's agents are not read until its folder is trusted. */
export const namesUntrustedAgents = (problem: string): boolean => problem.startsWith(skipped)

export interface AgentFilesFound {
  /** The later one wins over another of the same name. */
  readonly files: readonly AgentFileFound[]
  /** What was left out, and why, as sentences. */
  readonly problems: readonly string[]
}

export interface AgentPlaces {
  readonly cwd: string
  readonly root: string
  readonly state: string
  readonly claudeFolder: string
  /** Project files say what an agent does, so they only count once the user trusts the folder. */
  readonly trusted: boolean
  /** All sources when absent. */
  readonly chosen?: readonly ("user" | "project" | "local")[]
}

const largest = 256_000
const most = 500

/** Changes whenever one of the files does. */
export function agentFilesStamp(places: AgentPlaces, plugins: readonly PluginFolders[]): string {
  const { user, project } = foldersOf(places)
  const files = [...new Set(user), ...(places.trusted ? project : [])].flatMap((folder) => markdownBelow(folder))
  const brought = plugins.flatMap(({ agents }) => agents.flatMap(markdownAt))
  return [...files, ...brought]
    .map(({ path }) => {
      const stat = statsOf(path)
      return `${path} ${stat?.mtimeMs ?? ""} ${stat?.ino ?? ""} ${stat?.size ?? ""}`
    })
    .join("\n")
}

/** The strongest last. */
function foldersOf({ cwd, root, state, claudeFolder, chosen }: AgentPlaces) {
  const isChosen = (source: "user" | "project"): boolean => chosen?.includes(source) ?? true
  // In one place ours is stronger than the ecosystem's, and the nearest place is the strongest.
  const own = [claudeFolder, state].map((folder) => join(folder, "agents"))
  const user = isChosen("user") ? own : []
  const project = (isChosen("project") ? foldersUpTo(cwd, root).toReversed() : [])
    .flatMap((folder) => [".claude", ".codewright"].map((name) => join(folder, name, "agents")))
    // Whoever works at home finds their own folders on the way up.
    .filter((folder) => !own.includes(folder))
  return { user, project }
}

export function findAgentFiles(places: AgentPlaces): AgentFilesFound {
  const { user, project } = foldersOf(places)
  const files: AgentFileFound[] = []
  const problems: string[] = []
  const read = (source: AgentFileFound["source"], folder: string): void => {
    const found = markdownBelow(folder)
    if (found.length > most) problems.push(`${folder}: only the first ${most} of ${found.length} agents are read.`)
    for (const { path } of found.slice(0, most)) {
      const text = textOf(path)
      if (typeof text === "string") files.push({ source, path, text })
      else problems.push(`${path}: this agent is left out: ${text.why}.`)
    }
  }
  for (const folder of new Set(user)) read("user", folder)
  if (places.trusted) for (const folder of project) read("project", folder)
  else {
    const unread = project.filter((folder) => markdownBelow(folder).length > 0)
    if (unread.length > 0) problems.push(`${skipped}${unread.join(" and ")}: this folder is not trusted.`)
  }
  return { files, problems }
}

/** The agents of plugins, in which the plugin's folder has its name. */
export function pluginAgentFiles(plugins: readonly PluginFolders[]): AgentFilesFound {
  const files: AgentFileFound[] = []
  const problems: string[] = []
  for (const { name, root, data, agents } of plugins)
    for (const { path } of agents.flatMap(markdownAt).slice(0, most)) {
      const text = liesIn(realOf(path) ?? "", root) ? textOf(path) : { why: "it is outside the plugin" }
      if (typeof text === "string")
        files.push({ source: "plugin", prefix: `${name}:`, path, text: placed(text, { root, data }) })
      else problems.push(`${path}: this agent is left out: ${text.why}.`)
    }
  return { files, problems }
}

const placed = (text: string, place: { readonly root: string; readonly data: string | undefined }): string =>
  text.replace(placeVariable, (written, which) => (which === "ROOT" ? place.root : (place.data ?? written)))

const placeVariable = /\$\{(?:CLAUDE|CODEWRIGHT)_PLUGIN_(ROOT|DATA)\}/g

/** Reading a pipe would block, and a huge file would go into every request. */
function textOf(path: string): string | { readonly why: string } {
  try {
    const stat = statSync(path)
    if (!stat.isFile()) return { why: "it is not a regular file" }
    if (stat.size > largest) return { why: `it is larger than ${largest / 1000} kB` }
    const text = readFileSync(path, "utf8")
    return text.includes("\0") ? { why: "it is not text" } : text
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}
