/**
 * Real pipes for the output of commands. The runtime connects children through sockets, on which `echo oops >
 * /dev/stderr`, common in scripts, fails; so these are named pipes, created once and reused.
 */

import { closeSync, constants, existsSync, mkdirSync, openSync, rmSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { lazily } from "#lib/lazily.ts"
import { openFifoMaker } from "./fifos.ts"

/** Both ends of one pipe. Whoever takes it closes the writing end once the child has it. */
export interface Pipe {
  readonly readEnd: number
  readonly writeEnd: number
  readonly closeWriteEnd: () => void
  /** Returns the pipe; one that someone may still write to is never reused. */
  readonly giveBack: (state: "clean" | "held") => void
}

export interface Pipes {
  /** Creates the first ones, unless they exist. */
  readonly prepare: () => void
  /** An unused pipe; undefined where they cannot be created. */
  readonly acquire: () => Pipe | undefined
  readonly close: () => void
}

export function openPipes({ folder }: { readonly folder: string }): Pipes {
  const free: string[] = []
  let made = 0
  let isPossible = true

  const maker = lazily(openFifoMaker)

  function make(): void {
    try {
      const { atOnce } = maker()
      const paths = Array.from({ length: atOnce }, (_, i) => join(folder, `pipe-${made + i}`))
      made += atOnce
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      isPossible = maker().make(paths)
      if (isPossible) free.push(...paths)
    } catch {
      isPossible = false
    }
  }

  function open(path: string): Pipe {
    // The reading end does not wait for a writer; after that the writing end does not wait for a reader.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writeEnd = openSync(path, constants.O_WRONLY)
    return {
      readEnd,
      writeEnd,
      closeWriteEnd: () => closeSync(writeEnd),
      giveBack(state) {
        closeSync(readEnd)
        if (state === "clean") free.push(path)
        else removeQuietly(path)
      },
    }
  }

  return {
    prepare() {
      if (made === 0) make()
    },
    acquire() {
      if (free.length === 0 && isPossible) make()
      const path = free.pop()
      if (path === undefined) return undefined
      try {
        return open(path)
      } catch {
        // Someone removed the folder; the next command makes new ones.
        return undefined
      }
    },
    close() {
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Gone with its folder.
  }
}
