/**
 * Where everything is in a log that this process writes. What was there before is scanned once, on first use, and what
 * is appended is sorted in when somebody asks: most sessions never do.
 * See decision 35.
 */

import { closeSync, fstatSync, openSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { endOfLines } from "./backwards.ts"
import { type GrowingRows, type IndexRows, openRows, type Range } from "./index-rows.ts"
import { scan, scanNow } from "./scan.ts"
import type { Link } from "./tree.ts"

export interface LogIndex {
  /** What is known without reading: at least everything appended since the log was opened. */
  readonly known: () => IndexRows
  /** The whole log up to now. Rejects when the file cannot be read. */
  readonly whole: () => Promise<IndexRows>
  /** The synchronous version; it throws. */
  readonly wholeNow: () => IndexRows
}

export interface GrowingIndex extends LogIndex {
  readonly add: (entry: Entry, range: Range) => void
}

const manyEntries = 5_000

export function openIndex(path: string, { isNew }: { readonly isNew: boolean }): GrowingIndex {
  let recent = openRows()
  let whole: GrowingRows | undefined = isNew ? recent : undefined
  let building: Promise<IndexRows> | undefined
  /** Not in the rows yet. Without the entries themselves, which may be large. */
  let appended: (Link & Range)[] = []

  async function build(): Promise<IndexRows> {
    const rows = openRows()
    await scan(path, endOfFile(path), rows)
    whole ??= rows
    return known()
  }

  function known(): IndexRows {
    const rows = whole ?? recent
    for (const row of appended) rows.add(row, row)
    // A scan under way does not reach what was appended since it began.
    if (!building) appended = []
    return rows
  }

  /** In a long session few ask for what was before a compaction: then it is scanned again. */
  function forgetMany(): void {
    if (building || (whole ?? recent).count() + appended.length < manyEntries) return
    recent = openRows()
    whole = undefined
    appended = []
  }

  return {
    add(entry, { at, bytes }) {
      const { uuid, parentUuid, kind } = entry
      if (kind === "compaction") forgetMany()
      appended.push({ uuid, parentUuid, kind, to: kind === "head" ? entry.to : null, at, bytes })
    },
    known,
    whole() {
      if (whole) return Promise.resolve(known())
      building ??= build().finally(() => (building = undefined))
      return building
    },
    wholeNow() {
      if (whole) return known()
      const rows = openRows()
      scanNow(path, endOfFile(path), rows)
      appended = []
      return (whole = rows)
    },
  }
}

function endOfFile(path: string): number {
  const fd = openSync(path, "r")
  try {
    return endOfLines(fd, fstatSync(fd).size)
  } finally {
    closeSync(fd)
  }
}
