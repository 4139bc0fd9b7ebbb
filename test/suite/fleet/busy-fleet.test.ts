/** Many sessions on a few workers that are killed all the time. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { seededIds } from "#lib/ids.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import { openFleet } from "../../kit/fleet/fleet.ts"
import { type Job, nextReply } from "../../kit/steady-worker.ts"

/** The full number is for a quiet machine: 200 sessions, 4 workers. */
const many = Number(process.env["CODEWRIGHT_FLEET_SESSIONS"] ?? 12)
const hands = Number(process.env["CODEWRIGHT_FLEET_WORKERS"] ?? 2)
const pauseMs = Number(process.env["CODEWRIGHT_FLEET_KILL_MS"] ?? 3_000)

/** The second act of each needs a person. */
const act = (file: string, text: string, by: string): Job[number] => ({
  tool: "Bash",
  input: { command: `${by} ${text} >> ${file}` },
  ifUnsure: { command: `grep -qx ${text} ${file} || echo ${text} >> ${file}` },
})

const scenario: ScenarioFunction = (request) => {
  const [, nth = ""] = /Work (\d+)\./.exec(JSON.stringify(request.messages)) ?? []
  const file = `acts-${nth}.txt`
  const jobs = [[act(file, "one", "echo")], [act(file, "two", "printf '%s\\n'")], [act(file, "three", "echo")]]
  return nextReply(jobs, request)
}

const settings = { permissions: { allow: ["Bash"], ask: ["Bash(printf:*)"] } }

test.skipIf(!hasPostgres)(
  "all of them end, nothing is done twice, and no entry is lost",
  async () => {
    await using fleet = await openFleet(scenario)
    const { store, place } = fleet
    const begun = Date.now()
    const ids: string[] = []
    for (let nth = 0; nth < many; nth++) ids.push(await fleet.create({ query: `Work ${nth}.` }))
    const slots = Math.ceil(many / hands)
    const workers = await Promise.all(Array.from({ length: hands }, () => fleet.startWorker({ slots, settings })))
    const over = new AbortController()
    const deciding = (async () => {
      while (!over.signal.aborted) {
        for (const { sessionId, id, digest } of await store.approvals.open())
          await store.approvals.decide({ sessionId, approvalId: id, digest, allows: true, answer: {}, by: "ann" })
        await Bun.sleep(100)
      }
    })()
    const { random } = seededIds(1)
    let kills = 0
    const killing = (async () => {
      while (!over.signal.aborted) {
        await Bun.sleep(pauseMs)
        const at = Math.floor(random() * hands)
        const worker = workers[at]
        if (!worker || over.signal.aborted) continue
        await worker.end("SIGKILL")
        kills++
        workers[at] = await fleet.startWorker({ slots, settings, state: worker.state })
      }
    })()
    for (const id of ids) await fleet.until(id, ({ stage }) => stage === "completed" || stage === "failed")
    over.abort()
    await Promise.all([deciding, killing])
    const seconds = Math.round((Date.now() - begun) / 1000)

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
    process.stdout.write(`${many} sessions on ${hands} workers, ${kills} kills, ${lines} lines, ${seconds} s\n`)
  },
  Infinity,
)

interface LogLine {
  readonly uuid?: string
  readonly parentUuid?: string | null
}
