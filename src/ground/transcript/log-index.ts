/**
 * Where everything is in a log that this process writes. It grows with each append; what was there before is scanned
 * once, on first use.
 */

import { closeSync, fstatSync, openSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { endOfLines } from "./backwards.ts"
import { type GrowingRows, type IndexRows, openRows, type Range } from "./index-rows.ts"
import { scan, scanNow } from "./scan.ts"

export interface LogIndex {
  /** What is known without reading: at least everything appended since the log was opened. */
  readonly known: () => IndexRows
  /** The whole log. Rejects when the file cannot be read. */
  readonly whole: () => Promise<IndexRows>
  /** The synchronous version; it throws. */
  readonly wholeNow: () => IndexRows
}

export interface GrowingIndex extends LogIndex {
  readonly add: (entry: Entry, range: Range) => void
}

export function openIndex(path: string, { isNew }: { readonly isNew: boolean }): GrowingIndex {
  const recent = openRows()
  let whole: GrowingRows | undefined = isNew ? recent : undefined
  let building: Promise<IndexRows> | undefined
  /** Appended while the file is being scanned; added afterwards. */
  let meanwhile: (readonly [Entry, Range])[] = []

  async function build(): Promise<IndexRows> {
    const rows = openRows()
    await scan(path, endOfFile(path), rows)
    for (const [entry, range] of meanwhile) rows.add(entry, range)
    return (whole ??= rows)
  }

  return {
    add(entry, range) {
      ;(whole ?? recent).add(entry, range)
      if (building && !whole) meanwhile.push([entry, range])
    },
    known: () => whole ?? recent,
    whole() {
      if (whole) return Promise.resolve(whole)
      building ??= build().finally(() => {
        building = undefined
        meanwhile = []
      })
      return building
    },
    wholeNow() {
      if (whole) return whole
      const rows = openRows()
      scanNow(path, endOfFile(path), rows)
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
