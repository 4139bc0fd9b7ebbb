/** Whether a program waits at a port of this machine: inside a sandbox its loopback looks as if nobody did. */

import { readFileSync } from "node:fs"
import type { Violation } from "#agent/words/confinement.ts"
import { specialRange } from "#lib/ip.ts"

/** Of what was refused, all but connections to loopback that nobody would have answered outside either. */
export const refusedByWall = (violations: readonly Violation[]): readonly Violation[] =>
  violations.filter(
    (each) => each.kind !== "host" || each.port === undefined || !isOwnAddress(each.host) || isServedOutside(each.port),
  )

const isOwnAddress = (host: string): boolean => ["loopback", "unspecified"].includes(specialRange(host) ?? "")

/** Lists of the kernel, and the state of a socket in them that waits for whoever comes. */
const lists: readonly (readonly [file: string, state: string])[] = [
  ["/proc/net/tcp", "0A"],
  ["/proc/net/tcp6", "0A"],
  ["/proc/net/udp", "07"],
  ["/proc/net/udp6", "07"],
]

function isServedOutside(port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return lists.some(([file, state]) =>
    linesOf(file).some((line) => {
      const [, address = "", , found] = line.trim().split(/\s+/)
      return found === state && address.endsWith(local)
    }),
  )
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n")
  } catch {
    // This kernel does not know that kind of address.
    return []
  }
}
