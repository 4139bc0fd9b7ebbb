/** The files that define agents: `agents/*.md` of the user and, where the folder is trusted, of the project. */

import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { SettingSource } from "./sources.ts"

export interface AgentFileFound {
  readonly source: "user" | "project"
  readonly path: string
  readonly text: string
}

export interface AgentFilesFound {
  /** The later wins over one of the same name. */
  readonly files: readonly AgentFileFound[]
  /** What was left out, and why, as sentences. */
  readonly problems: readonly string[]
}

export interface AgentPlaces {
  readonly root: string
  readonly state: string
  readonly claudeFolder: string
  /** Those of a project say what an agent does there, so they count only after the person trusts the folder. */
  readonly trusted: boolean
  /** Which sources are read; all when absent. */
  readonly chosen?: readonly SettingSource[]
}

const largest = 256_000
const most = 200

export function findAgentFiles({ root, state, claudeFolder, trusted, chosen }: AgentPlaces): AgentFilesFound {
  const isChosen = (source: SettingSource): boolean => chosen?.includes(source) ?? true
  // In one place ours is stronger than the ecosystem's.
  const user = isChosen("user") ? [claudeFolder, state].map((folder) => join(folder, "agents")) : []
  const project = isChosen("project") ? [".claude", ".codewright"].map((name) => join(root, name, "agents")) : []
  const files: AgentFileFound[] = []
  const problems: string[] = []
  const read = (source: AgentFileFound["source"], folder: string): void => {
    const names = markdownIn(folder)
    if (names.length > most) problems.push(`${folder}: only the first ${most} of ${names.length} agents are read.`)
    for (const name of names.slice(0, most)) {
      const path = join(folder, name)
      const text = textOf(path)
      if (typeof text === "string") files.push({ source, path, text })
      else problems.push(`${path}: this agent is left out: ${text.why}.`)
    }
  }
  for (const folder of new Set(user)) read("user", folder)
  if (trusted) for (const folder of project) read("project", folder)
  else {
    const unread = project.filter((folder) => markdownIn(folder).length > 0)
    if (unread.length > 0)
      problems.push(`The agents of ${unread.join(" and ")} are left out, because this folder is not trusted.`)
  }
  return { files, problems }
}

function markdownIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".md"))
      .toSorted()
  } catch {
    return []
  }
}

/** A pipe would hold us, and a huge file would go into every request. */
function textOf(path: string): string | { readonly why: string } {
  try {
    const stat = statSync(path)
    if (!stat.isFile()) return { why: "it is no plain file" }
    if (stat.size > largest) return { why: `it is larger than ${largest / 1000} kB` }
    const text = readFileSync(path, "utf8")
    return text.includes("\0") ? { why: "it is no text" } : text
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}
