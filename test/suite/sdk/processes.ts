/** Which processes are left of a run: they are known by the home folder in their environment. */

import { readdirSync, readFileSync } from "node:fs"

/** Those that work in this place. */
export function processesIn(folder: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const environment = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/environ`, "utf8") : ""
      return environment.includes(`HOME=${folder}/home`) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}
