/** The file for the full output of a command. A full disk ends the file, not the command. */

import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs"
import { dirname } from "node:path"

export interface Spool {
  readonly add: (chunk: Uint8Array) => void
  readonly close: () => void
  /** Whether everything that was added is in the file. */
  readonly isWhole: () => boolean
  /** Undefined when it could not be created. */
  readonly file: () => string | undefined
}

export function openSpool(file: string, beginning: Uint8Array, most: number): Spool {
  let fd: number | undefined
  let written = 0
  let isWhole = true

  function add(chunk: Uint8Array): void {
    if (fd === undefined) return
    const part = chunk.subarray(0, most - written)
    if (part.length < chunk.length) isWhole = false
    try {
      for (let from = 0; from < part.length;) from += writeSync(fd, part, from)
      written += part.length
    } catch {
      isWhole = false
    }
  }

  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, "", { mode: 0o600 })
    fd = openSync(file, "a")
    add(beginning)
  } catch {
    isWhole = false
  }
  const isKept = fd !== undefined
  return {
    add,
    close() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
    isWhole: () => isWhole,
    file: () => (isKept ? file : undefined),
  }
}
