/** Who is at the other end of a socket of the file system, as the system says. */

import { dlopen, ptr } from "bun:ffi"
import { readFileSync } from "node:fs"
import { systemLibrary } from "./system-library.ts"

/** Another process of this user, and none that this process has started: those must not answer its questions. */
export function isOwnPeer(fd: number): boolean {
  const peer = peerOf(fd)
  if (peer === undefined || peer.uid !== process.getuid?.()) return false
  return peer.pid === undefined || !isBelow(peer.pid, process.pid)
}

interface Peer {
  readonly uid: number
  /** Absent where the system does not tell. */
  readonly pid?: number
}

const solSocket = 1
const soPeercred = 17

/** Undefined where it cannot be known. */
function peerOf(fd: number): Peer | undefined {
  const library = systemLibrary()
  if (library === undefined) return undefined
  try {
    if (process.platform === "linux") {
      const { symbols } = dlopen(library, {
        getsockopt: { args: ["int", "int", "int", "ptr", "ptr"], returns: "int" },
      })
      const found = new Int32Array(3)
      const size = new Int32Array([found.byteLength])
      const [pid, uid] = symbols.getsockopt(fd, solSocket, soPeercred, ptr(found), ptr(size)) === 0 ? found : []
      return pid === undefined || uid === undefined ? undefined : { pid, uid }
    }
    const { symbols } = dlopen(library, { getpeereid: { args: ["int", "ptr", "ptr"], returns: "int" } })
    const uid = new Uint32Array(1)
    const gid = new Uint32Array(1)
    return symbols.getpeereid(fd, ptr(uid), ptr(gid)) === 0 ? { uid: uid[0] ?? -1 } : undefined
  } catch {
    return undefined
  }
}

/** Whether `above` has started it, or started what did. */
function isBelow(pid: number, above: number): boolean {
  for (let at = parentOf(pid); at > 1; at = parentOf(at)) if (at === above) return true
  return false
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name in front may contain anything, so the fields are counted from its closing bracket.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
  } catch {
    return 0
  }
}
