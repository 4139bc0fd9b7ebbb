/** The difference between two states of the same paths, with the lines added and removed. */

import { type LineDiff, lineDiff } from "#lib/diff.ts"
import { ok, type Result } from "#lib/result.ts"
import type { SnapshotFailure } from "./failure.ts"
import { hasReadContent, isSameContent, type PathState } from "./state.ts"

export interface PathChange {
  readonly path: string
  readonly before: PathState
  readonly after: PathState
}

export type ChangeKind = "created" | "modified" | "removed" | "mode"

export interface ChangeFigures {
  readonly kind: ChangeKind
  readonly added: number
  readonly removed: number
  /** Its lines cannot be counted. */
  readonly binary: boolean
}

export type ReadContent = (hash: string) => Result<Uint8Array, SnapshotFailure>

const hasContent = ({ kind }: PathState): boolean => kind === "file" || kind === "link"

export function changeKind({ before, after }: PathChange): ChangeKind {
  if (!hasContent(before)) return "created"
  if (!hasContent(after)) return "removed"
  return before.kind === "file" && after.kind === "file" && isSameContent(before.hash, after.hash) ? "mode" : "modified"
}

/** `known`: how its lines differ, where that was computed before. */
export async function figuresOf(
  change: PathChange,
  content: ReadContent,
  known?: LineDiff,
): Promise<Result<ChangeFigures, SnapshotFailure>> {
  const kind = changeKind(change)
  if (known) return ok({ kind, added: known.added, removed: known.removed, binary: false })
  if (kind === "mode") return ok({ kind, added: 0, removed: 0, binary: false })
  const before = textOf(change.before, content)
  if (!before.ok) return before
  const after = textOf(change.after, content)
  if (!after.ok) return after
  if (before.value === undefined || after.value === undefined) return ok({ kind, added: 0, removed: 0, binary: true })
  return ok({ kind, ...(await linesOf(before.value, after.value)), binary: false })
}

/** Undefined when it is not text. */
export function textOf(state: PathState, content: ReadContent): Result<string | undefined, SnapshotFailure> {
  if (state.kind === "link") return ok(state.target)
  if (state.kind !== "file") return ok("")
  if (!hasReadContent(state)) return ok(undefined)
  const bytes = content(state.hash)
  if (!bytes.ok) return bytes
  const isBinary = bytes.value.subarray(0, 8000).includes(0) || bytes.value.length > mostText
  return ok(isBinary ? undefined : decoded(bytes.value))
}

const mostText = 5_000_000

/** Text that is not UTF-8 would not survive a round trip, so it counts as binary. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function linesOf(before: string, after: string): Promise<{ readonly added: number; readonly removed: number }> {
  if (before === "" || after === "") return { added: lineCount(after), removed: lineCount(before) }
  const { added, removed } = await lineDiff(before, after)
  return { added, removed }
}

const lineCount = (text: string): number => (text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0))
