/** A project's MCP server in a fleet: whoever said yes to it is not asked again at every wake, unless it has become another one. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import { type Fleet, openFleet, type WorkerProcess } from "../../kit/fleet/fleet.ts"
import { everything } from "../../kit/mcp/servers.ts"
import { environmentOf, program } from "../../kit/run-codewright.ts"
import { calls, says, use } from "../../kit/script.ts"

const scenario: ScenarioFunction = ({ messages }) => {
  const results = JSON.stringify(messages).split('"tool_result"').length - 1
  return results === 0
    ? calls(use("mcp__everything__echo", { message: "first" }))
    : results === 1
      ? calls(use("mcp__everything__get-sum", { a: 2, b: 40 }))
      : says("Done.")
}

describe.skipIf(!hasPostgres)("a project's server in workers", () => {
  let fleet: Fleet
  beforeAll(async () => void (fleet = await openFleet(scenario)), 120_000)
  afterAll(() => fleet[Symbol.asyncDispose]())

  /** An official server; what its environment says is not part of what is shown. */
  function write(secret: string): void {
    const { config } = everything()
    if (!config.ok || config.value.kind !== "stdio") throw new Error("no program")
    const { command, args } = config.value
    const value = { mcpServers: { everything: { command, args, env: { LEVEL: secret } } } }
    writeFileSync(join(fleet.place.work, ".mcp.json"), JSON.stringify(value))
  }

  /** On another machine: its own state folder, in which the folder is trusted as it was before it had servers. */
  async function nextWorker(name: string): Promise<WorkerProcess> {
    const state = join(fleet.place.path, name)
    writeFileSync(join(fleet.place.work, ".mcp.json"), "{}")
    const env = environmentOf(fleet.place, fleet.simulator.url, { CODEWRIGHT_HOME: state })
    const trusting = Bun.spawn([program, "trust", fleet.place.work], { env, stdout: "pipe", stderr: "pipe" })
    expect(await trusting.exited).toBe(0)
    write("one")
    return fleet.startWorker({ state })
  }

  /** What it waits for next, or that it is over. */
  async function next(id: string): Promise<string> {
    for (;;) {
      const { stage, worker } = await fleet.until(id, () => true)
      const open = (await fleet.store.approvals.of(id)).find(({ state }) => state === "open")
      if (worker === undefined && open) return `${open.kind} ${open.title}`
      if (stage === "completed" || stage === "failed") return stage
      await Bun.sleep(30)
    }
  }
  const asked = async (id: string): Promise<readonly string[]> =>
    (await fleet.store.approvals.of(id)).map(({ kind, title, state }) => `${kind} ${title}: ${state}`)
  const openQuestion = async (id: string): Promise<string> =>
    (await fleet.store.approvals.of(id)).find(({ state }) => state === "open")?.explanation ?? ""

  const told = (): string => JSON.stringify(fleet.simulator.requests.at(-1))

  test(
    "the answer counts at every wake on every machine, for exactly that server",
    async () => {
      let worker = await nextWorker("first")
      const id = await fleet.create({ query: "Add." })
      expect(await next(id)).toBe("question MCP server")
      await fleet.decide(id, true, { answers: { [await openQuestion(id)]: "Start it" } })
      expect(await next(id)).toBe("tool everything: Echo Tool")
      await worker.end("SIGTERM")
      worker = await nextWorker("second")
      await fleet.decide(id, true)
      expect(await next(id)).toBe("tool everything: Get Sum Tool")
      expect(told().includes("Echo: first")).toBe(true)
      await worker.end("SIGTERM")
      worker = await nextWorker("third")
      // The same on the screen, and another program in fact.
      write("two")
      await fleet.decide(id, true)
      expect(await next(id)).toBe("question MCP server")
      await fleet.decide(id, true, { answers: { [await openQuestion(id)]: "Not now" } })
      expect(await next(id)).toBe("completed")
      expect(await asked(id)).toEqual([
        "question MCP server: allowed",
        "tool everything: Echo Tool: allowed",
        "tool everything: Get Sum Tool: allowed",
        "question MCP server: allowed",
      ])
      await worker.end("SIGTERM")
    },
    Infinity,
  )
})
