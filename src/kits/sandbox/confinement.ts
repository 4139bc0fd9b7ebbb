/** Whether a command runs confined, under which policy, and why. */

import type { PermissionMode } from "#agent/words/permission.ts"

/** A pattern of `sandbox.excludedCommands`. */
export interface Exclusion {
  /** As it is written. */
  readonly text: string
  /** The file that says it, as people are shown it. */
  readonly file: string
}

/** A command of a line: its words as the program gets them. */
export interface CommandPart {
  readonly words: readonly string[]
  /** Whether the words say all: none is only known to the shell, and nothing set before them changes what runs. */
  readonly isPlain: boolean
}

export interface CommandFacts {
  readonly enabled: boolean
  readonly mode: PermissionMode
  /** Whether it was judged to only read. */
  readonly onlyReads: boolean
  /** All commands of the line; undefined when it is not understood. */
  readonly parts: readonly CommandPart[] | undefined
  readonly excluded: readonly Exclusion[]
}

export interface Confinement {
  readonly confined: boolean
  readonly policy?: "reader" | "workspace"
  readonly because: string
}

export function confinementOf({ enabled, mode, onlyReads, parts, excluded }: CommandFacts): Confinement {
  if (onlyReads) return { confined: true, policy: "reader", because: "the command only reads" }
  if (mode === "plan") return { confined: true, policy: "reader", because: "plan mode only reads" }
  if (!enabled) return { confined: false, because: "the sandbox is off (sandbox.enabled)" }
  const by = excludedBy(parts, excluded)
  if (by) return { confined: false, because: `"${by.text}" of sandbox.excludedCommands in ${by.file}` }
  return { confined: true, policy: "workspace", because: "the sandbox is on" }
}

/** The pattern that excludes the last command of a line, if each of its commands is excluded by some pattern. */
export function excludedBy(
  parts: readonly CommandPart[] | undefined,
  excluded: readonly Exclusion[],
): Exclusion | undefined {
  if (parts === undefined || parts.length === 0) return undefined
  const found = parts.map((part) => excluded.find(({ text }) => part.isPlain && covers(text, part.words)))
  return found.every((each) => each !== undefined) ? found.at(-1) : undefined
}

/** `docker *` and `docker:*` cover all that begins so, and one bare word any arguments; several words are meant exactly. */
function covers(pattern: string, words: readonly string[]): boolean {
  const trimmed = pattern.trim()
  const named = trimmed
    .replace(/(?::|\s+)\*$/, "")
    .trim()
    .split(/\s+/)
  if (named.some((word) => word === "" || word.includes("*"))) return false
  const isOpen = /(?::|\s)\*$/.test(trimmed) || named.length === 1
  return (isOpen || words.length === named.length) && named.every((word, i) => words[i] === word)
}
