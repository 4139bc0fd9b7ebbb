/** What a policy is computed from, as values; the disk is asked through a port. */

import type { PermissionMode, RuleSource } from "#agent/words/permission.ts"
import type { PolicyLine } from "#ground/sandbox/policy.ts"
import type { SandboxSettings } from "#ground/settings/settings.ts"

/** The disk as it is now. Nothing throws. */
export interface Disk {
  /** What lies at a path, links followed; undefined when nothing does. */
  readonly kindOf: (path: string) => "file" | "folder" | "other" | undefined
  readonly isLink: (path: string) => boolean
  /** The path with links followed as far as it exists. */
  readonly real: (path: string) => string
  /** The names in a folder; none when it cannot be read. */
  readonly list: (folder: string) => readonly Named[]
  /** What a short file holds; undefined when it is long or cannot be read. */
  readonly text: (path: string) => string | undefined
}

export interface Named {
  readonly name: string
  /** A link is never one. */
  readonly isFolder: boolean
}

export interface Place {
  /** The working folder. */
  readonly root: string
  readonly added: readonly string[]
  readonly home: string
  /** The home of the account, where the environment names another one. */
  readonly accountHome?: string
  readonly state: string
  /** What in the state folder belongs to this project: its sessions, its notes. */
  readonly ownState: readonly string[]
  /** The user folder of the ecosystem, `~/.claude` or what replaces it. */
  readonly claudeFolder: string
  /** The temporary folder of the session. */
  readonly temp: string
  readonly platform: string
  readonly uid: number | undefined
  /** How much memory the machine has. */
  readonly memoryBytes: number
}

/** What one settings file says about the sandbox, with what a project may not say left out already. */
export interface SandboxSource {
  /** As people are shown it: `~/.codewright/settings.json`. */
  readonly file: string
  /** What relative paths in it are relative to. */
  readonly base: string
  readonly value: SandboxValues
}

/** Of the settings, what a policy is made from. */
export type SandboxValues = Pick<SandboxSettings, "caches" | "limits" | "allowEnv" | "filesystem" | "network">

/** A deny rule about files: of Read and its family, or of Edit and its family. */
export interface PathRule {
  /** As it is written: `Read(./secrets/**)`. */
  readonly text: string
  readonly source: RuleSource
  readonly access: "read" | "write"
  /** Where it begins, by every name of the folder, and what must follow. None: it means every path. */
  readonly areas: readonly Area[]
}

export interface Area {
  readonly folder: string
  readonly steps: readonly Step[]
}

export type Step =
  | { readonly kind: "folders" }
  | { readonly kind: "name"; readonly plain?: string; readonly fits: (name: string) => boolean }

/** A rule of WebFetch about a host. */
export interface HostRule {
  readonly text: string
  readonly behavior: "allow" | "ask" | "deny"
  readonly source: RuleSource
  /** `example.com`, `*.example.com`, or `*` for all. */
  readonly host: string
}

export interface PolicyFacts {
  /** Strongest first. */
  readonly settings: readonly SandboxSource[]
  readonly paths: readonly PathRule[]
  readonly hosts: readonly HostRule[]
  readonly mode: PermissionMode
  /** Whether a person can be asked about a host. */
  readonly canAsk: boolean
  readonly place: Place
  readonly disk: Disk
  readonly surroundings: Surroundings
  /** Folders of worktrees that confined commands made; none when absent. */
  readonly made?: ReadonlySet<string>
}

/** What a walk through the folders that can be written found. It takes a while, so it is kept for some time. */
export interface Surroundings {
  /** Folders of git repositories below, and files that say where such a folder is. */
  readonly repositories: readonly string[]
  /** What each rule with a wildcard means now, by its text. */
  readonly matches: ReadonlyMap<string, readonly string[]>
  /** Where secrets lie. */
  readonly secrets: readonly PolicyLine[]
  /** Rules for which not everything was looked at. */
  readonly unfinished: ReadonlySet<string>
  /** Where repositories may lie that were not found, as sentences; none when absent. */
  readonly unwalked?: readonly string[]
}
