/** Sessions that act three times and ask once, and what must be true of them in the end, whoever was killed meanwhile. */

import { expect } from "bun:test"
import { join } from "node:path"
import type { FleetStore } from "#fleet/store.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import type { Place } from "../run-codewright.ts"
import { type Job, nextReply } from "../steady-worker.ts"

export const busyPrompt = (nth: number): string => `Work ${nth}.`

/** The second act of each needs a person. */
const act = (file: string, text: string, by: string): Job[number] => ({
  tool: "Bash",
  input: { command: `${by} ${text} >> ${file}` },
  ifUnsure: { command: `grep -qx ${text} ${file} || echo ${text} >> ${file}` },
})

export const busyScenario: ScenarioFunction = (request) => {
  const [, nth = ""] = /Work (\d+)\./.exec(JSON.stringify(request.messages)) ?? []
  const file = `acts-${nth}.txt`
  const jobs = [[act(file, "one", "echo")], [act(file, "two", "printf '%s\\n'")], [act(file, "three", "echo")]]
  return nextReply(jobs, request)
}

export const busySettings: JsonObject = { permissions: { allow: ["Bash"], ask: ["Bash(printf:*)"] } }

/** All of them ended, nothing was done twice, and no entry is lost. Returns how many lines there are. */
export async function expectAllDone(store: FleetStore, place: Place, ids: readonly string[]): Promise<number> {
  let lines = 0
  for (const [nth, id] of ids.entries()) {
    expect({ nth, ...(await store.sessions.get(id)) }).toMatchObject({
      nth,
      stage: "completed",
      result: { ok: true },
    })
    const acts = (await Bun.file(join(place.work, `acts-${nth}.txt`)).text()).split("\n")
    expect({ nth, acts }).toEqual({ nth, acts: ["one", "two", "three", ""] })
    const log = (await store.lines.after(id, 0, 100_000)).map((line) => JSON.parse(line) as LogLine)
    lines += log.length
    const uuids = log.flatMap(({ uuid }) => uuid ?? [])
    expect(new Set(uuids).size).toBe(uuids.length)
    const known = new Set(uuids)
    expect(log.filter(({ parentUuid }) => parentUuid && !known.has(parentUuid))).toEqual([])
  }
  return lines
}

interface LogLine {
  readonly uuid?: string
  readonly parentUuid?: string | null
}
