/** The same with the database inside the program: the server is killed while a session waits, and another one goes on. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { openSimulator } from "#sim/server.ts"
import { layEmbedded } from "../../kit/database/databases.ts"
import { environmentOf, openPlace, program } from "../../kit/run-codewright.ts"
import { valueOf } from "../../kit/team/conformance.ts"

interface Shown {
  readonly id: string
  readonly stage: string
  readonly worker: JsonObject | null
  readonly pending: readonly { readonly id: string; readonly digest: string }[]
  readonly result?: { readonly ok: boolean; readonly text: string }
}

test(
  "a session that waits survives the server, and what was allowed is done once",
  async () => {
    using place = openPlace()
    const replies = [
      { content: [{ tool: "Bash", input: { command: "echo once >> note.txt" } }] },
      { content: "All done." },
    ]
    const simulator = valueOf(await openSimulator({ scenario: { replies } }))
    await layEmbedded({ join: (name = "") => join(place.state, name) })

    async function start() {
      const child = Bun.spawn([program, "serve", "--port", "0", "--slots", "2", "--json"], {
        cwd: place.work,
        env: environmentOf(place, simulator.url),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "inherit",
      })
      const { value } = await child.stdout.getReader().read()
      const { url, token } = JSON.parse(Buffer.from(value ?? []).toString()) as { url: string; token: string }
      async function call<T>(path: string, body?: JsonObject): Promise<T> {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
        const posted = body && { method: "POST", body: JSON.stringify(body) }
        const response = await fetch(`${url}/api/${path}`, { headers, ...posted })
        if (!response.ok) throw new Error(await response.text())
        return (await response.json()) as T
      }
      async function until(id: string, fits: (session: Shown) => boolean): Promise<Shown> {
        for (;;) {
          const session = await call<Shown>(`sessions/${id}`)
          if (fits(session)) return session
          await Bun.sleep(50)
        }
      }
      return { child, call, until }
    }

    const first = await start()
    const wish = { prompt: "Begin.", workspace: { path: place.work }, model: "claude-sonnet-5" }
    const { id } = await first.call<Shown>("sessions", wish)
    const waiting = await first.until(id, ({ stage }) => stage === "awaiting_tool_approval")
    expect(waiting.worker).toBeNull()
    first.child.kill(9)
    await first.child.exited

    const second = await start()
    const [asked] = waiting.pending
    const decision = { decision: "allow", digest: asked?.digest ?? "" }
    await second.call(`sessions/${id}/approvals/${asked?.id}`, decision)
    const over = await second.until(id, ({ stage }) => stage === "completed" || stage === "failed")
    expect(over.result).toEqual({ ok: true, text: "All done." })
    expect(await place.read("note.txt")).toBe("once\n")
    expect(simulator.requests).toHaveLength(2)
    second.child.kill("SIGTERM")
    expect(await second.child.exited).toBe(143)
    await simulator.close()
  },
  Infinity,
)
