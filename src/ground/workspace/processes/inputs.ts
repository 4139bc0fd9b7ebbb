/**
 * The input of a program, as a file without a name: unlike a socket, it can be opened again as /dev/stdin, and a program
 * that does not read it blocks no one. Kept in memory where the system can, so that no disk is waited for.
 */

import { dlopen } from "bun:ffi"
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { Ids } from "#lib/ids.ts"
import { lazily } from "#lib/lazily.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ProcessFailure } from "./process-groups.ts"
import { systemLibrary } from "./system-library.ts"

/** An open file with this text, to be read from its beginning; whoever gets it closes it. */
export type OpenInput = (text: string) => Result<number, ProcessFailure>

/** `folder` is ours, and used for a moment where memory cannot be. */
export function openInputs(
  { folder, ids }: { readonly folder: string; readonly ids: Ids },
  library: string | undefined = systemLibrary(),
): OpenInput {
  const make = lazily(() => (library === undefined ? undefined : memory(library)))
  return (text) => {
    try {
      return ok(filled(make()?.(), text) ?? onDisk(join(folder, `input-${ids.uuid()}`), text))
    } catch (error) {
      return failed({ kind: "other", message: error instanceof Error ? error.message : String(error) })
    }
  }

  function onDisk(path: string, text: string): number {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(path, text, { mode: 0o600, flag: "wx" })
      return openSync(path, "r")
    } finally {
      rmSync(path, { force: true })
    }
  }
}

function filled(file: number | undefined, text: string): number | undefined {
  if (file === undefined) return undefined
  try {
    const bytes = Buffer.from(text)
    // At positions, so that it is still read from its beginning.
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, done)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** Not inherited by whatever else is started, and never run; systems before Linux 6.3 do not know the second. */
const closedOnExec = 0x1
const neverRun = 0x8

/** Makes files in memory; undefined where there are none. */
function memory(library: string): (() => number | undefined) | undefined {
  try {
    const { memfd_create: create } = dlopen(library, {
      memfd_create: { args: ["cstring", "u32"], returns: "i32" },
    }).symbols
    const name = Buffer.from("input\0")
    return () =>
      [closedOnExec | neverRun, closedOnExec]
        .values()
        .map((how) => create(name, how))
        .find((file) => file >= 0)
  } catch {
    return undefined
  }
}
