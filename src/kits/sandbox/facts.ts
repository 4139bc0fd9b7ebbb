/** The inputs of a policy, as values; the disk is read through a port. */

import type { PermissionMode, RuleSource } from "#agent/words/permission.ts"
import type { PolicyLine } from "#ground/sandbox/policy.ts"
import type { SandboxSettings } from "#ground/settings/settings.ts"

/** The disk as it is now. Never throws. */
export interface Disk {
  /** What is at a path, following links; undefined if nothing is. */
  readonly kindOf: (path: string) => "file" | "folder" | "other" | undefined
  readonly isLink: (path: string) => boolean
  /** The path with links resolved as far as it exists. */
  readonly real: (path: string) => string
  /** The names in a folder; empty if it cannot be read. */
  readonly list: (folder: string) => readonly Named[]
  /** The content of a short file; undefined if it is long or cannot be read. */
  readonly text: (path: string) => string | undefined
}

export interface Named {
  readonly name: string
  /** Never true for a link. */
  readonly isFolder: boolean
  readonly isLink?: boolean
}

export interface SandboxPlace {
  readonly root: string
  readonly added: readonly string[]
  readonly home: string
  /** The account's home, if the environment names another one. */
  readonly accountHome?: string
  readonly state: string
  /** This project's part of the state folder: its sessions, its notes. */
  readonly ownState: readonly string[]
  /** The user folder of Claude Code, `~/.claude` or its replacement. */
  readonly claudeFolder: string
  readonly temp: string
  /** Where programs are searched for; nowhere when absent. */
  readonly programFolders?: readonly string[]
  /** What variables of toolchains name, such as `RUSTUP_HOME`; nothing when absent. */
  readonly toolchainFolders?: readonly string[]
  readonly platform: string
  readonly uid: number | undefined
  readonly memoryBytes: number
}

/** What one settings file says about the sandbox, without what a project may not set. */
export interface SandboxSource {
  readonly file: string
  /** What its relative paths are relative to. */
  readonly base: string
  readonly value: SandboxValues
}

export type SandboxValues = Pick<
  SandboxSettings,
  "caches" | "limits" | "allowEnv" | "credentials" | "filesystem" | "network"
>

/** A deny rule about files: of Read and its family, or of Edit and its family. */
export interface PathDenial {
  /** As written: `Read(./secrets/**)`. */
  readonly text: string
  readonly source: RuleSource
  readonly access: "read" | "write"
  /** Where it begins, by every name of the folder, and what must follow. Empty: every path. */
  readonly areas: readonly Area[]
}

export interface Area {
  readonly folder: string
  readonly steps: readonly AreaStep[]
}

export type AreaStep =
  | { readonly kind: "folders" }
  | { readonly kind: "name"; readonly plain?: string; readonly fits: (name: string) => boolean }

export interface HostRule {
  readonly text: string
  readonly behavior: "allow" | "ask" | "deny"
  readonly source: RuleSource
  /** `example.com`, `*.example.com`, or `*` for all. */
  readonly host: string
}

export interface PolicyFacts {
  readonly settings: readonly SandboxSource[]
  readonly paths: readonly PathDenial[]
  readonly hosts: readonly HostRule[]
  readonly mode: PermissionMode
  readonly canAsk: boolean
  readonly place: SandboxPlace
  readonly disk: Disk
  readonly surroundings: Surroundings
  /** Git folders that confined commands made; none when absent. */
  readonly made?: ReadonlySet<string>
}

/** The result of a walk through the writable folders. It takes a while, so it is cached for some time. */
export interface Surroundings {
  /** Git folders below, whatever their name, and files that point to one. */
  readonly repositories: readonly string[]
  /** What each rule with a wildcard matches now, by its text. */
  readonly matches: ReadonlyMap<string, readonly string[]>
  readonly secrets: readonly PolicyLine[]
  /** Rules for which the walk was incomplete. */
  readonly unfinished: ReadonlySet<string>
  /** Where repositories may be that were not found, as messages; none when absent. */
  readonly unwalked?: readonly string[]
}
