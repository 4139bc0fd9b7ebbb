/** A place nobody has worked in, with a home of its own, and what can be seen of the processes that run in it. */

import { createHash } from "node:crypto"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"

export interface FieldPlace {
  readonly root: string
  readonly home: string
  readonly work: string
  readonly temporary: string
  readonly remove: () => void
}

/** Some peers treat a home below the folder of temporary files differently, so this one is not below it. */
export function makeFieldPlace(cache: string): FieldPlace {
  mkdirSync(join(cache, "runs"), { recursive: true })
  const root = realpathSync(mkdtempSync(join(cache, "runs", "run-")))
  const folder = (name: string): string => {
    mkdirSync(join(root, name))
    return join(root, name)
  }
  const work = folder("work")
  Bun.spawnSync(["git", "init", "-q", "-b", "main"], { cwd: work })
  const identity = ["-c", "user.name=Field", "-c", "user.email=field@example.com"]
  writeFileSync(join(work, "a.txt"), "alpha\n")
  Bun.spawnSync(["git", "add", "."], { cwd: work })
  Bun.spawnSync(["git", ...identity, "commit", "-q", "-m", "First"], { cwd: work })
  return {
    root,
    home: folder("home"),
    work,
    temporary: folder("tmp"),
    remove: () => {
      endProcesses(root)
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Processes whose folder or environment is in this place. */
export function processesIn(root: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        if (/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) return false
        if (readlinkSync(`/proc/${pid}/cwd`).startsWith(root)) return true
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${root}/`)
      } catch {
        // It ended meanwhile.
        return false
      }
    })
}

export function endProcesses(root: string): void {
  for (const pid of processesIn(root))
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // It ended meanwhile.
    }
}

/** The most memory that these processes have held, added up, in MB. */
export function peakMb(root: string): number {
  return processesIn(root).reduce((sum, pid) => {
    try {
      return sum + Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
    } catch {
      return sum
    }
  }, 0)
}

const ticksASecond = 100

/** User and system time of these processes and of children they waited for, in milliseconds, in steps of 10. */
export function cpuSoFarMs(root: string): number {
  return processesIn(root).reduce((total, pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
      // The name in brackets may have spaces; user, system and those of children are the 12th to 15th after it.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return total + fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * (1000 / ticksASecond)
    } catch {
      return total
    }
  }, 0)
}

/** Files below a folder, each with its size. */
export function filesBelow(folder: string): readonly { readonly path: string; readonly bytes: number }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name)
      const bytes = statSync(path, { throwIfNoEntry: false })?.size
      return bytes === undefined ? [] : [{ path, bytes }]
    })
}

/** What a user's tree is: its files and what git knows. An agent's own notes in folders such as `.opencode` do not count. */
export function treeDigest(work: string): string {
  const hash = createHash("sha256")
  const counted = filesBelow(work)
    .map(({ path }) => path.slice(work.length + 1))
    .filter((path) => !path.startsWith(".") || /^\.git\/(HEAD|config|refs\/|hooks\/)/.test(path))
    .filter((path) => !path.startsWith("slow-") && path !== "never")
  for (const path of counted.toSorted()) hash.update(`${path}\0`).update(readFileSync(join(work, path)))
  return hash.digest("hex")
}
