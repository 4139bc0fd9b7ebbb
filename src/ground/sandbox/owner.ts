/** Names with which processes mark what they own, so that others can tell whether the owner is still alive. */

import { readFileSync, readlinkSync } from "node:fs"

/** Unique: pids are reused, and every container has its own. */
export const ownerName = (): string => `${namespaceOf()}-${process.pid}-${startOf(process.pid) ?? "0"}`

/** Whether that process has ended. One in another container, which cannot be checked, counts as alive. */
export function isGone(owner: string): boolean {
  const [, namespace, pid, start] = ownerPattern.exec(owner) ?? []
  return namespace === namespaceOf() && startOf(Number(pid)) !== start
}

export const isOwned = (name: string): boolean => ownerPattern.test(name)

const ownerPattern = /^(\d+)-(\d+)-(\d+)(?=\.|$)/

function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0"
  } catch {
    return "0"
  }
}

/** In the system's own count. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name in front may contain anything, so the fields are counted from its closing bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19]
  } catch {
    return undefined
  }
}
