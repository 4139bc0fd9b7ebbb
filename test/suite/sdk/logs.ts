/** What every log of a run must be afterwards, whatever the client did. */

import { expect } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { World } from "./drive.ts"

/** Every line of every log is whole. */
export function expectIntactLogs({ place }: World): void {
  const projects = join(place.state, "projects")
  if (!existsSync(projects)) return
  const files = readdirSync(projects, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"))
  for (const file of files)
    for (const line of readFileSync(join(projects, file), "utf8").split("\n"))
      if (line !== "") expect(() => JSON.parse(line)).not.toThrow()
}
