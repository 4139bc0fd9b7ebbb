/** Examines a damaged log, and writes a new one with everything that is intact. The old one is only read. */

import { closeSync, fstatSync, openSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { endOfLines, linesBackwards, readPiece, textOf } from "./backwards.ts"
import { type ForkFailure, writeNew } from "./fork.ts"
import { linesInside } from "./inside.ts"
import { decodeEntry, encodeEntry, type Origin, parentIn } from "./line.ts"
import { unsealed } from "./seal.ts"
import { headerLine, logFormat } from "./log.ts"
import { rejoined } from "./path.ts"

export interface LogState {
  readonly bytes: number
  readonly lines: number
  readonly entries: number
  readonly damaged: readonly number[]
  /** Length of a last line without an end; 0 when there is none. */
  readonly tornBytes: number
  readonly gaps: number
  readonly header: "there" | "missing"
}

export type InspectFailure =
  | { readonly kind: "unreadable"; readonly path: string; readonly message: string }
  | { readonly kind: "newer"; readonly path: string; readonly format: number }

export const isWhole = ({ damaged, tornBytes, gaps, header }: LogState): boolean =>
  damaged.length === 0 && tornBytes === 0 && gaps === 0 && header === "there"

export function inspectLog(path: string): Result<LogState, InspectFailure> {
  const read = readAll(path)
  return read.ok ? ok(read.value.state) : read
}

export interface Salvaged {
  readonly state: LogState
  readonly entries: number
  readonly found: number
}

/** Writes everything readable into a new log, under a new id. Where something is lost, an entry says so. */
export function salvageLog(salvage: {
  readonly from: { readonly sessionId: string; readonly path: string }
  readonly to: string
  readonly origin: Origin
  readonly ids: Ids
}): Result<Salvaged, InspectFailure | ForkFailure> {
  const { from, to, origin, ids } = salvage
  const read = readAll(from.path)
  if (!read.ok) return read
  const { state, entries, found, cwd } = read.value
  const place = { ...origin, cwd: cwd ?? origin.cwd }
  const whole = rejoined(entries, (parentUuid, at): Entry => ({
    kind: "notice",
    level: "warning",
    text: "What stood here in the log was damaged and is lost.",
    uuid: ids.uuid(),
    parentUuid,
    at,
  }))
  const header = headerLine({ ...place, parentSession: from.sessionId })
  const written = writeNew(to, [header, ...whole.map((entry) => encodeEntry(entry, place))])
  return written.ok ? ok({ state, entries: entries.length, found }) : written
}

interface Everything {
  readonly state: LogState
  readonly entries: readonly Entry[]
  readonly found: number
  readonly cwd: string | undefined
}

function readAll(path: string): Result<Everything, InspectFailure> {
  let fd: number | undefined
  try {
    fd = openSync(path, "r")
    const { size } = fstatSync(fd)
    const end = endOfLines(fd, size)
    const lines = [...linesBackwards(fd, end)].toReversed().map(({ bytes }) => textOf(bytes))
    const torn = readPiece(fd, end, size - end).toString("utf8")
    return sorted(lines, torn, size, path)
  } catch (error) {
    return failed({ kind: "unreadable", path, message: error instanceof Error ? error.message : String(error) })
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function sorted(
  lines: readonly string[],
  torn: string,
  bytes: number,
  path: string,
): Result<Everything, InspectFailure> {
  const damaged: number[] = []
  const known = new Set<string>()
  const skipped = new Map<string, string | null>()
  const entries: Entry[] = []
  let header: JsonObject | undefined
  let gaps = 0
  let found = 0
  const addLine = (line: JsonObject): number => {
    if (line.type === "header") header ??= line
    const { uuid } = line
    if (typeof uuid !== "string" || known.has(uuid)) return 0
    known.add(uuid)
    const parent = parentIn(line)
    const parentUuid = parent === null ? null : (skipped.get(parent) ?? parent)
    const entry = decodeEntry(line)
    if (!entry) {
      // Lines of other programs are not copied, but the entries around them are joined.
      skipped.set(uuid, parentUuid)
      return 0
    }
    if (parent !== null && !known.has(parent)) gaps++
    entries.push({ ...entry, parentUuid })
    return 1
  }
  for (const [index, text] of lines.entries()) {
    const line = unsealed(text)
    if (line) {
      addLine(line)
      continue
    }
    damaged.push(index + 1)
    for (const inner of linesInside(Buffer.from(text))) found += addLine(inner.line)
  }
  for (const inner of linesInside(Buffer.from(torn))) found += addLine(inner.line)
  if (typeof header?.format === "number" && header.format > logFormat)
    return failed({ kind: "newer", path, format: header.format })
  return ok({
    entries,
    found,
    cwd: typeof header?.cwd === "string" ? header.cwd : undefined,
    state: {
      bytes,
      lines: lines.length,
      entries: entries.length,
      damaged,
      tornBytes: Buffer.byteLength(torn),
      gaps,
      header: header ? "there" : "missing",
    },
  })
}
