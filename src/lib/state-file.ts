/** Files in which something is kept for the next start, such as the user's answers by project. */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  watch,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { type Clock, systemClock } from "./clock.ts"
import { isObject, type JsonObject } from "./json.ts"
import { quietly } from "./quietly.ts"
import { failed, ok, type Result } from "./result.ts"

/** What a file keeps by project; nothing if it is missing or damaged. Not cached: other processes write to it too. */
export function projectsIn(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"))
    return isObject(value) && isObject(value.projects) ? value.projects : {}
  } catch {
    return {}
  }
}

export function projectIn(file: string, root: string): JsonObject {
  const all = projectsIn(file)
  const found = Object.hasOwn(all, root) ? all[root] : undefined
  return isObject(found) ? found : {}
}

/**
 * Readers see the old text or the new one, and no two processes write to one draft. `isSynced`: also a loss of power
 * leaves one of the two. The failure is a sentence.
 */
export function replaceFile(
  file: string,
  text: string,
  { mode = 0o600, isSynced = false }: { readonly mode?: number; readonly isSynced?: boolean } = {},
): Result<void, string> {
  const draft = `${file}.${process.pid}.new`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // What lies there from an earlier try may be a link by now.
    rmSync(draft, { force: true })
    writeFileSync(draft, text, { mode, flag: "wx" })
    if (isSynced) sync(draft)
    renameSync(draft, file)
    return ok(undefined)
  } catch (error) {
    quietly(() => rmSync(draft, { force: true }))
    return failed(`${file} could not be written (${error instanceof Error ? error.message : String(error)}).`)
  }
}

function sync(file: string): void {
  const descriptor = openSync(file, "r+")
  fsyncSync(descriptor)
  closeSync(descriptor)
}

const lookMs = 1_000

export interface WatchPorts {
  readonly clock: Clock
  readonly watch: typeof watch
  readonly isRemote: (folder: string) => boolean
}

/**
 * Calls back when another process writes to a folder, and once more a moment later: the runtime drops what follows within
 * a few milliseconds. The name is null where it is not known. Where the system cannot tell, because it has no watches left
 * or the disk belongs to another machine, it calls back every second instead.
 */
export function watchFolder(
  folder: string,
  changed: (name: string | null) => void,
  ports: WatchPorts = { clock: systemClock, watch, isRemote },
): { readonly close: () => void } {
  let isClosed = false
  let close = (): void => {}
  const poll = (): void => {
    close()
    if (isClosed) return
    close = ports.clock.after(lookMs, () => {
      poll()
      changed(null)
    })
  }
  if (ports.isRemote(folder)) poll()
  else {
    try {
      let cancelAgain: (() => void) | undefined
      const lookAgain = (): void => {
        cancelAgain = undefined
        if (!isClosed) changed(null)
      }
      const watcher = ports.watch(folder, { persistent: false }, (_, name) => {
        changed(name)
        if (!isClosed) cancelAgain ??= ports.clock.after(againMs, lookAgain)
      })
      close = () => {
        cancelAgain?.()
        quietly(() => watcher.close())
      }
      watcher.on("error", poll)
    } catch {
      poll()
    }
  }
  return {
    close() {
      isClosed = true
      close()
    },
  }
}

/** Longer than the runtime counts as one event. */
const againMs = 50

/** NFS, SMB, CIFS, AFS, Coda, 9P, Ceph, Lustre and FUSE, by the numbers that Linux gives them. */
const remoteTypes: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x73757245, 0x01021997, 0x00c36400, 0x0bd00bd0, 0x65735546,
])

function isRemote(folder: string): boolean {
  try {
    return process.platform === "linux" && remoteTypes.has(statfsSync(folder).type)
  } catch {
    return false
  }
}
