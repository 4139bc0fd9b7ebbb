/** Notes that the user saves with `#`: to which files, and how a line is added. */

import { join } from "node:path"
import type { MemoryPlace } from "./memory.ts"

export interface MemoryTarget {
  readonly label: string
  readonly path: string
  /** What the agent keeps: users open it, and notes of theirs go elsewhere. */
  readonly keptBy?: "agent"
}

/** The files that a note may be saved to; missing ones are created. Other people's files are not written. */
export function memoryTargets(
  { root, user }: Pick<MemoryPlace, "root" | "user">,
  exists: (path: string) => boolean,
): readonly MemoryTarget[] {
  const inProject = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", ".codewright/AGENTS.md"].map((name) =>
    join(root, name),
  )
  const shared = inProject.find(exists) ?? join(root, "AGENTS.md")
  const [own] = user
  return [
    { label: "This project, for everyone", path: shared },
    { label: "This project, only for me", path: join(root, "CLAUDE.local.md") },
    ...(own === undefined ? [] : [{ label: "All my projects", path: own }]),
  ]
}

/** The text with one more item at its end; undefined if there is nothing to note. */
export function withNote(text: string, note: string): string | undefined {
  const lines = note.trim().split(/\r?\n/)
  if (lines.length === 1 && lines[0] === "") return undefined
  const end = text.includes("\r\n") ? "\r\n" : "\n"
  const item = `- ${lines.map((line) => line.trimEnd()).join(`${end}  `)}${end}`
  if (text.trim() === "") return item
  const before = text.endsWith("\n") ? text : text + end
  // Continues a list; anything else is separated by an empty line.
  const isList = /(?:^|\n)\s*[-*+] [^\n]*\r?\n$/.test(before) || /\n\r?\n$/.test(before)
  return before + (isList ? "" : end) + item
}
