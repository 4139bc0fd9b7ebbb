/** Bounds for all processes of a command together, where we may make control groups: as root, mostly. */

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Ids } from "#lib/ids.ts"
import type { Limits } from "./policy.ts"

export interface Cgroups {
  /** A group of its own for a command; undefined where that is not possible. */
  readonly make: (limits: Limits) => Cgroup | undefined
  /** Removes groups that were still in use when they were no longer needed. */
  readonly close: () => void
}

export interface Cgroup {
  /** Files into which a process writes itself. */
  readonly files: readonly string[]
  readonly remove: () => void
}

const top = "/sys/fs/cgroup"

export function openCgroups({ ids }: { readonly ids: Ids }): Cgroups {
  const left = new Set<string>()
  let places: readonly Place[] | undefined

  function remove(folders: readonly string[]): void {
    for (const folder of folders) {
      try {
        rmdirSync(folder)
        left.delete(folder)
      } catch {
        // The last process is not quite gone yet.
        if (existsSync(folder)) left.add(folder)
      }
    }
  }

  return {
    make(limits) {
      places ??= findPlaces()
      if (places.length === 0) return undefined
      remove([...left])
      const name = `codewright-${ids.uuid()}`
      const folders = places.map(({ parent }) => join(parent, name))
      try {
        for (const [i, { bounds }] of places.entries()) {
          const folder = folders[i] ?? ""
          mkdirSync(folder)
          for (const [file, limit] of bounds) writeFileSync(join(folder, file), String(limits[limit]))
        }
      } catch {
        remove(folders)
        places = []
        return undefined
      }
      return { files: folders.map((folder) => join(folder, "cgroup.procs")), remove: () => remove(folders) }
    },
    close: () => remove([...left]),
  }
}

interface Place {
  readonly parent: string
  readonly bounds: readonly (readonly [file: string, limit: keyof Limits])[]
}

/** Version 2 has one tree; version 1 has one for each kind of bound. */
function findPlaces(): readonly Place[] {
  const lines = readLines("/proc/self/cgroup").map((line) => line.split(":"))
  const pathOf = (controller: string): string | undefined =>
    lines.find(([, names]) => names?.split(",").includes(controller))?.[2]
  if (existsSync(join(top, "cgroup.controllers"))) {
    // Beside our own group: a group with processes in it may not bound groups below it.
    const parent = join(top, dirname(pathOf("") ?? "/"))
    const bounded = readLines(join(parent, "cgroup.subtree_control")).flatMap((line) => line.split(" "))
    const isBounding = ["memory", "pids"].every((controller) => bounded.includes(controller))
    return isBounding
      ? [
          {
            parent,
            bounds: [
              ["pids.max", "processes"],
              ["memory.max", "memoryBytes"],
            ],
          },
        ]
      : []
  }
  const [pids, memory] = [pathOf("pids"), pathOf("memory")]
  if (pids === undefined || memory === undefined) return []
  return [
    { parent: join(top, "pids", pids), bounds: [["pids.max", "processes"]] },
    { parent: join(top, "memory", memory), bounds: [["memory.limit_in_bytes", "memoryBytes"]] },
  ]
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n")
  } catch {
    return []
  }
}
