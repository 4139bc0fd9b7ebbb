/** Makes an open file unwritable as a full disk would: its descriptor is pointed at /dev/full, where no byte fits. */

import { dlopen } from "bun:ffi"
import { closeSync, openSync, readdirSync, readlinkSync } from "node:fs"

/** From now on, whoever has this file open cannot write to it any more, until the returned function is called. */
export function fillDiskUnder(path: string): () => void {
  const libc = dlopen("libc.so.6", {
    dup: { args: ["i32"], returns: "i32" },
    dup2: { args: ["i32", "i32"], returns: "i32" },
  })
  const full = openSync("/dev/full", "a")
  const open = readdirSync("/proc/self/fd").filter((fd) => linkOf(fd) === path)
  if (open.length === 0) throw new Error(`nobody has ${path} open`)
  const before = open.map((fd) => [Number(fd), libc.symbols.dup(Number(fd))] as const)
  for (const [fd] of before) libc.symbols.dup2(full, fd)
  closeSync(full)
  return () => {
    for (const [fd, kept] of before) {
      libc.symbols.dup2(kept, fd)
      closeSync(kept)
    }
  }
}

function linkOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}
