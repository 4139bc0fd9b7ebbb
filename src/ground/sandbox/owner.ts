/** Names by which processes mark what is theirs, so that another one can tell whether the owner is still there. */

import { readFileSync, readlinkSync } from "node:fs"

/** Never given to another process: pids are given out again, and every container has its own. */
export const ownerName = (): string => `${namespaceOf()}-${process.pid}-${startOf(process.pid) ?? "0"}`

/** Whether that process has ended. One of another container, which cannot be asked, counts as alive. */
export function isGone(owner: string): boolean {
  const [, namespace, pid, start] = ownerPattern.exec(owner) ?? []
  return namespace === namespaceOf() && startOf(Number(pid)) !== start
}

/** Whether a name begins with that of an owner. */
export const isOwned = (name: string): boolean => ownerPattern.test(name)

const ownerPattern = /^(\d+)-(\d+)-(\d+)(?=\.|$)/

function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0"
  } catch {
    return "0"
  }
}

/** When a process started, in the system's own count. */
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
