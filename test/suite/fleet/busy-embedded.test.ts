/** Many sessions in one server with the database inside it, which is killed all the time: its workers are part of it. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { openSimulator } from "#sim/server.ts"
import { embeddedIn, layEmbedded, opened } from "../../kit/database/databases.ts"
import { busyPrompt, busyScenario, busySettings, expectAllDone } from "../../kit/fleet/busy.ts"
import { environmentOf, openPlace, program } from "../../kit/run-codewright.ts"
import { valueOf } from "../../kit/team/conformance.ts"

const many = Number(process.env["CODEWRIGHT_FLEET_SESSIONS"] ?? 3)
/** A pause between kills, for many sessions; without one, the server is killed after every second decision. */
const pauseMs = process.env["CODEWRIGHT_FLEET_KILL_MS"]
const slots = Math.min(many, 20)

interface Asked {
  readonly id: string
  readonly sessionId: string
  readonly digest: string
}

test(
  "all of them end, nothing is done twice, and no entry is lost, though the server is killed all the time",
  async () => {
    using place = openPlace()
    const simulator = valueOf(await openSimulator({ scenario: busyScenario }))
    const state = { join: (name = "") => join(place.state, name) }
    await layEmbedded(state)
    writeFileSync(join(place.state, "settings.json"), JSON.stringify(busySettings))

    async function start() {
      const child = Bun.spawn([program, "serve", "--port", "0", "--slots", String(slots), "--json"], {
        cwd: place.work,
        env: environmentOf(place, simulator.url),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      })
      const { value } = await child.stdout.getReader().read()
      const { url, token } = JSON.parse(Buffer.from(value ?? []).toString()) as { url: string; token: string }
      return { child, url, token }
    }

    let server = await start()
    /** Nothing if the server is gone or away. */
    async function call<T>(path: string, body?: JsonObject, key?: string): Promise<T | undefined> {
      const { url, token } = server
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...(key !== undefined && { "idempotency-key": key }),
      }
      const posted = body && { method: "POST", body: JSON.stringify(body) }
      const response = await fetch(`${url}/api/${path}`, { headers, ...posted }).catch(() => undefined)
      return response?.ok ? ((await response.json().catch(() => undefined)) as T | undefined) : undefined
    }
    async function surely<T>(path: string, body?: JsonObject, key?: string): Promise<T> {
      for (;;) {
        const answer = await call<T>(path, body, key)
        if (answer !== undefined) return answer
        await Bun.sleep(50)
      }
    }

    const begun = Date.now()
    const over = new AbortController()
    let kills = 0
    let decided = 0
    const killing = (async () => {
      while (!over.signal.aborted) {
        if (pauseMs === undefined) {
          const enough = decided + 2
          while (decided < enough && !over.signal.aborted) await Bun.sleep(5)
        } else await Bun.sleep(Number(pauseMs))
        if (over.signal.aborted) return
        server.child.kill(9)
        await server.child.exited
        kills++
        server = await start()
      }
    })()
    const deciding = (async () => {
      while (!over.signal.aborted) {
        const { approvals = [] } = (await call<{ approvals: readonly Asked[] }>("approvals")) ?? {}
        for (const { sessionId, id, digest } of approvals)
          if (await call(`sessions/${sessionId}/approvals/${id}`, { decision: "allow", digest })) decided++
        await Bun.sleep(100)
      }
    })()
    const ids: string[] = []
    for (let nth = 0; nth < many; nth++) {
      const wish = { prompt: busyPrompt(nth), workspace: { path: place.work }, model: "claude-sonnet-5" }
      ids.push((await surely<{ id: string }>("sessions", wish, `new ${nth}`)).id)
    }
    for (const id of ids)
      while (!["completed", "failed"].includes((await surely<{ stage: string }>(`sessions/${id}`)).stage))
        await Bun.sleep(100)
    over.abort()
    await Promise.all([deciding, killing])
    server.child.kill(9)
    await server.child.exited
    await simulator.close()
    const seconds = Math.round((Date.now() - begun) / 1000)

    const left = await opened(await embeddedIn(state))
    const store = valueOf(await openFleetStore(left))
    const lines = await expectAllDone(store, place, ids)
    expect(kills).toBeGreaterThan(0)
    await store.close()
    await left.close()
    process.stdout.write(`${many} sessions in one server, ${kills} kills, ${lines} lines, ${seconds} s\n`)
  },
  Infinity,
)
