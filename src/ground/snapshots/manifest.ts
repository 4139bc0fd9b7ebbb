/** A snapshot as stored: the difference to the previous one, each path as one short row. */

import { isObject, type JsonValue } from "#lib/json.ts"
import type { Slot } from "./pack.ts"
import type { PathState, Stamp } from "./state.ts"

/** Who made the changes since the previous snapshot: an agent, or anyone else working in the folder. */
export type Author = "agent" | "person"

export interface Manifest {
  readonly id: string
  /** The snapshot that `changed` is the difference to; null for the first. */
  readonly base: string | null
  readonly by: Author
  readonly at: number
  readonly roots: readonly string[]
  /** If true, what is not listed below the roots does not exist; otherwise it is unknown. */
  readonly complete: boolean
  readonly changed: ReadonlyMap<string, PathState>
  /** The full state, which ends the chain. */
  readonly all?: ReadonlyMap<string, PathState>
  readonly objects: ReadonlyMap<string, Slot>
}

export function encodeManifest({ id, base, by, at, roots, complete, changed, all }: Omit<Manifest, "objects">): object {
  return {
    format: 1,
    id,
    base,
    by,
    at,
    roots,
    complete,
    changed: rowsOf(changed),
    ...(all && { all: rowsOf(all) }),
  }
}

/** Undefined if it is not a manifest. */
export function decodeManifest(value: unknown): Manifest | undefined {
  if (!isObject(value) || value.format !== 1) return undefined
  const { id, base, by, at, roots, complete, changed, all, objects } = value
  const rows = mapOf(changed)
  const allRows = all === undefined ? undefined : mapOf(all)
  const slots = slotsOf(objects)
  if (typeof id !== "string" || !(typeof base === "string" || base === null) || typeof at !== "number") return undefined
  if (!rows || !slots || (all !== undefined && !allRows) || !Array.isArray(roots)) return undefined
  return {
    id,
    base,
    by: by === "agent" ? "agent" : "person",
    at,
    roots: roots.map(String),
    complete: complete === true,
    changed: rows,
    ...(allRows && { all: allRows }),
    objects: slots,
  }
}

const rowsOf = (states: ReadonlyMap<string, PathState>): JsonValue[] =>
  Array.from(states, ([path, state]) => rowOf(path, state))

function rowOf(path: string, state: PathState): JsonValue {
  switch (state.kind) {
    case "file":
      return [path, "f", state.mode, state.hash, ...stampRow(state.stamp)]
    case "link":
      return [path, "l", state.target, ...stampRow(state.stamp)]
    case "folder":
      return [path, "d", state.mode]
    case "uncovered":
      return [path, "u", state.why, ...stampRow(state.stamp)]
    default:
      return [path, "a"]
  }
}

const stampRow = ({ bytes, modifiedMs, changedMs, inode, device, settled }: Stamp): JsonValue[] => [
  bytes,
  modifiedMs,
  // Mostly the same, so mostly nothing.
  changedMs === modifiedMs ? 0 : changedMs,
  inode,
  device,
  settled ? 1 : 0,
]

function mapOf(rows: JsonValue | undefined): Map<string, PathState> | undefined {
  if (!Array.isArray(rows)) return undefined
  const states = new Map<string, PathState>()
  for (const row of rows as readonly JsonValue[]) {
    if (!Array.isArray(row)) return undefined
    const [path] = row as readonly JsonValue[]
    const state = stateIn(row as readonly JsonValue[])
    if (typeof path !== "string" || state === undefined) return undefined
    states.set(path, state)
  }
  return states
}

function stateIn([, kind, a, b, ...rest]: readonly JsonValue[]): PathState | undefined {
  if (kind === "f" && typeof a === "number" && typeof b === "string")
    return { kind: "file", mode: a, hash: b, stamp: stampIn(rest) }
  if (kind === "l" && typeof a === "string") return { kind: "link", target: a, stamp: stampIn([b ?? 0, ...rest]) }
  if (kind === "d" && typeof a === "number") return { kind: "folder", mode: a }
  if (kind === "u" && typeof a === "string") return { kind: "uncovered", why: a, stamp: stampIn([b ?? 0, ...rest]) }
  return kind === "a" ? { kind: "absent" } : undefined
}

function stampIn(row: readonly JsonValue[]): Stamp {
  const [bytes = 0, modifiedMs = 0, changed = 0, inode = 0, device = 0, settled = 0] = row.map(Number)
  return { bytes, modifiedMs, changedMs: changed === 0 ? modifiedMs : changed, inode, device, settled: settled === 1 }
}

function slotsOf(rows: JsonValue | undefined): Map<string, Slot> | undefined {
  if (!Array.isArray(rows)) return undefined
  const slots = new Map<string, Slot>()
  for (const row of rows as readonly JsonValue[]) {
    if (!Array.isArray(row)) return undefined
    const [hash, offset, length, packed] = row as readonly JsonValue[]
    if (typeof hash !== "string" || typeof offset !== "number" || typeof length !== "number") return undefined
    slots.set(hash, { offset, length, packed: packed === 1 })
  }
  return slots
}
