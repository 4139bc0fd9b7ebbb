/** Memory files for faces: which ones a note may be added to, and how. */

import { join } from "node:path"
import type { Workspace } from "#ground/workspace/workspace.ts"
import { say } from "#ground/workspace/failure.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { decode, encode, plainShape } from "#ground/workspace/text.ts"
import type { MemoryPlace } from "#kits/context/memory.ts"
import { type MemoryTarget, memoryTargets, withNote } from "#kits/context/remember.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { SessionOptions } from "#session/opening/options.ts"

export interface MemoryFiles {
  /** The writable ones; a missing file is created with its first note. */
  readonly files: () => Promise<readonly MemoryTarget[]>
  readonly add: (path: string, line: string) => Promise<Result<void, string>>
}

const largest = 4_000_000

/** The agent's own notes begin with this file. */
export const notesIndex = "MEMORY.md"
export const sessionMemoryFile = (sessionFolder: string): string => join(sessionFolder, "memory.md")

export function openMemoryFiles(
  { files }: Pick<Workspace, "files">,
  place: MemoryPlace,
  onNote: (path: string, line: string) => void,
  kept: readonly MemoryTarget[] = [],
): MemoryFiles {
  const exists = (path: string): boolean => files.stat(realPath(path)).ok
  const targets = (): readonly MemoryTarget[] => memoryTargets(place, exists)
  const never = new AbortController().signal

  return {
    files: () => Promise.resolve([...targets(), ...kept.filter(({ path }) => exists(path))]),
    async add(path, line) {
      if (!targets().some((target) => target.path === path)) return failed(`${path} is no memory file of this session.`)
      const real = realPath(path)
      const read = await files.read(real, largest, never)
      if (!read.ok && read.failure.kind !== "not_found") return failed(say(read.failure))
      const before = read.ok ? decode(read.value.bytes) : undefined
      if (before && !before.ok) return failed(`${path} is no text, so nothing was added.`)
      const after = withNote(before?.value.text ?? "", line)
      if (after === undefined) return failed("There is nothing to keep: write the note after the #.")
      const bytes = encode(after, before?.value ?? plainShape)
      if (!bytes.ok)
        return failed(`${path} cannot represent the character ${bytes.failure} in its encoding, so nothing was added.`)
      const written = await files.write(real, bytes.value, read.ok ? read.value.identity : "nothing", never)
      if (!written.ok) return failed(say(written.failure))
      onNote(path, line)
      return ok(undefined)
    },
  }
}

/** The files that the agent keeps, for `/memory`. */
export const keptMemories = (
  { memory }: Pick<SessionOptions, "memory">,
  sessionFolder: string,
): readonly MemoryTarget[] => [
  ...(memory?.session
    ? [{ label: "This session", path: sessionMemoryFile(sessionFolder), keptBy: "agent" as const }]
    : []),
  ...(memory?.notesFolder === undefined
    ? []
    : [{ label: "The agent's notes", path: join(memory.notesFolder, notesIndex), keptBy: "agent" as const }]),
]
