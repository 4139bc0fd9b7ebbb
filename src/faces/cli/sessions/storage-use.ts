/** What the files in the state folder are for, and how much space each kind and each session takes. */

import { closeSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { holderOf } from "#ground/transcript/lock.ts"
import { isSessionId } from "#ground/transcript/session-logs.ts"
import { entriesIn, statsOf } from "#lib/quietly.ts"

export const storageKinds = [
  "conversations",
  "outputs",
  "snapshots",
  "plans",
  "caches",
  "background",
  "worktrees",
  "logs",
  "teams",
  "other",
] as const

export type StorageKind = (typeof storageKinds)[number]

export interface KindUse {
  readonly kind: StorageKind
  readonly bytes: number
  readonly files: number
}

export interface SessionUse {
  readonly id: string
  readonly logPath: string
  /** Milliseconds since the epoch. */
  readonly changed: number
  /** Without one it is what is left of a session, or one that is not kept. */
  readonly hasLog: boolean
  /** A process has it open. */
  readonly isOpen: boolean
  readonly log: number
  readonly outputs: number
  /** Of those that only this session can go back to. */
  readonly snapshots: number
}

export interface StoredFile {
  readonly path: string
  readonly bytes: number
  readonly changed: number
}

export interface StorageUse {
  readonly total: number
  /** Largest first. */
  readonly kinds: readonly KindUse[]
  /** Largest first. */
  readonly sessions: readonly SessionUse[]
  /** Plans that some conversation names. */
  readonly namedPlans: ReadonlySet<string>
  /** Those that belong to no session. */
  readonly files: { readonly [kind in StorageKind]: readonly StoredFile[] }
}

/** `snapshotsOf`: those that each session mentions, by its id. */
export function storageUse(
  state: string,
  snapshotsOf: ReadonlyMap<string, ReadonlySet<string>>,
  { pid, without }: { readonly pid: number; readonly without?: "worktrees" },
): StorageUse {
  const files = Object.fromEntries(storageKinds.map((kind) => [kind, [] as StoredFile[]])) as {
    [kind in StorageKind]: StoredFile[]
  }
  const ofSessions = new Map<string, { log: number; outputs: number; changed: number; hasLog: boolean }>()
  const counts = new Map<StorageKind, { bytes: number; files: number }>()

  function count(kind: StorageKind, file: StoredFile): void {
    const before = counts.get(kind) ?? { bytes: 0, files: 0 }
    counts.set(kind, { bytes: before.bytes + file.bytes, files: before.files + 1 })
  }

  for (const file of filesBelow(state, without)) {
    const [top = "", slug = "", name = "", ...inside] = file.path.slice(state.length + 1).split("/")
    const session = top === "projects" ? sessionIn(name, inside.length === 0) : undefined
    if (session === undefined) {
      const kind = kindsByFolder.get(top) ?? "other"
      files[kind].push(file)
      count(kind, file)
      continue
    }
    const logPath = join(state, top, slug, `${session}.jsonl`)
    const use = ofSessions.get(logPath) ?? { log: 0, outputs: 0, changed: 0, hasLog: false }
    const kind = inside.some((folder) => outputFolders.has(folder)) ? "outputs" : "conversations"
    if (kind === "outputs") use.outputs += file.bytes
    else use.log += file.bytes
    use.changed = use.hasLog ? use.changed : file.path === logPath ? file.changed : Math.max(use.changed, file.changed)
    use.hasLog ||= file.path === logPath
    ofSessions.set(logPath, use)
    count(kind, file)
  }

  const sizes = new Map(files.snapshots.map((file) => [nameWithoutEnding(file.path), file.bytes]))
  const users = new Map<string, number>()
  for (const snapshots of snapshotsOf.values()) for (const id of snapshots) users.set(id, (users.get(id) ?? 0) + 1)
  const ownSnapshots = (id: string): number =>
    [...(snapshotsOf.get(id) ?? [])].reduce((sum, one) => sum + (users.get(one) === 1 ? (sizes.get(one) ?? 0) : 0), 0)

  const sessions = [...ofSessions].map(([logPath, use]): SessionUse => {
    const id = nameWithoutEnding(logPath).toLowerCase()
    return { id, logPath, ...use, isOpen: holderOf(`${logPath}.lock`, pid) !== undefined, snapshots: ownSnapshots(id) }
  })
  const kinds = [...counts].map(([kind, use]): KindUse => ({ kind, ...use }))
  return {
    total: kinds.reduce((sum, { bytes }) => sum + bytes, 0),
    kinds: kinds.sort((a, b) => b.bytes - a.bytes),
    sessions: sessions.sort((a, b) => bytesOf(b) - bytesOf(a)),
    files,
    namedPlans: namedIn(
      files.plans.map(({ path }) => path),
      sessions.map(({ logPath }) => logPath),
    ),
  }
}

const pieceBytes = 4 * 1024 * 1024

/** Which of these paths occur in the files. A plan is small and seldom, so all is read only where there are some. */
function namedIn(paths: readonly string[], logs: readonly string[]): ReadonlySet<string> {
  const missing = new Set(paths)
  const overlap = Math.max(0, ...paths.map((path) => Buffer.byteLength(path)))
  for (const log of logs) {
    if (missing.size === 0) break
    for (const piece of piecesOf(log, overlap))
      for (const path of missing) if (piece.includes(path)) missing.delete(path)
  }
  return new Set(paths).difference(missing)
}

/** Each begins with the end of the one before. */
function* piecesOf(path: string, overlap: number): Generator<Buffer> {
  let fd: number | undefined
  try {
    fd = openSync(path, "r")
    const piece = Buffer.allocUnsafe(pieceBytes + overlap)
    let kept = 0
    for (;;) {
      const read = readSync(fd, piece, kept, pieceBytes, null)
      if (read === 0) return
      yield piece.subarray(0, kept + read)
      const rest = Math.min(overlap, kept + read)
      piece.copyWithin(0, kept + read - rest, kept + read)
      kept = rest
    }
  } catch {
    // It was removed meanwhile.
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

export const bytesOf = ({ log, outputs, snapshots }: Pick<SessionUse, "log" | "outputs" | "snapshots">): number =>
  log + outputs + snapshots

/** In the folder of a session, or of an agent in it: what its commands and tools gave that was too long to be told. */
export const outputFolders: ReadonlySet<string> = new Set(["tool-results", "results"])

const kindsByFolder: ReadonlyMap<string, StorageKind> = new Map([
  ["file-history", "snapshots"],
  ["plans", "plans"],
  ["cache", "caches"],
  ["mcp-tools", "caches"],
  ["background", "background"],
  ["workflows", "background"],
  ["sockets", "background"],
  ["session-env", "background"],
  ["worktrees", "worktrees"],
  ["logs", "logs"],
  ["telemetry", "logs"],
  ["teams", "teams"],
])

function sessionIn(name: string, isFile: boolean): string | undefined {
  const id = isFile ? name.replace(/\.jsonl$/, "") : name
  return isSessionId(id) && (!isFile || id !== name) ? id : undefined
}

const nameWithoutEnding = (path: string): string => path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "")

/** Links are not followed. What cannot be read, or is removed meanwhile, is left out. */
function* filesBelow(folder: string, without?: string): Generator<StoredFile> {
  for (const entry of entriesIn(folder)) {
    if (entry.name === without) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    const stats = entry.isFile() ? statsOf(path) : undefined
    if (stats) yield { path, bytes: stats.size, changed: stats.mtimeMs }
  }
}
