/**
 * While the database was away, the log had one line of the runtime's after the other and none of ours, and a command that ran meanwhile was told
 * to the model as interrupted because "the program ended", which it had not.
 */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres, startPostgres } from "../kit/database/postgres-server.ts"
import type { ProcessOptions } from "../kit/fleet/fault-points.ts"
import { openFleet } from "../kit/fleet/fleet.ts"
import { helper } from "../kit/helper.ts"
import { bash, calls, says } from "../kit/script.ts"

test.skipIf(!hasPostgres)(
  "an outage is two sentences, and a command that ran in it is told as it was",
  async () => {
    const command = "touch begun; until [ -e go ]; do sleep 0.1; done; echo reached its end"
    const scenario: ScenarioFunction = ({ messages }) => {
      const text = JSON.stringify(messages)
      if (!text.includes("tool_result")) return calls(bash(command))
      return says(text)
    }
    await using server = await startPostgres()
    await using fleet = await openFleet(scenario, server)
    const { work } = fleet.place
    const faults = join(fleet.place.path, "faults")
    mkdirSync(faults)
    const options: ProcessOptions = { database: fleet.url, slots: 2, faults }
    const argv = [...helper(join(import.meta.dir, "../kit/fleet/fleet-process.ts")), JSON.stringify(options)]
    const worker = await fleet.startWorker({ argv, env: { IS_SANDBOX: "1" } })
    const isThere = async (name: string): Promise<void> => {
      while (!existsSync(join(work, name))) await Bun.sleep(20)
    }
    const said = (): readonly string[] => worker.stderr().trim().split("\n")
    const told = async (line: string): Promise<void> => {
      while (!worker.stderr().includes(line)) await Bun.sleep(20)
    }
    const outage = async (meanwhile: () => Promise<void>): Promise<void> => {
      await server.stop()
      await told("cannot be reached")
      await meanwhile()
      await server.start()
    }
    const text = async (id: string): Promise<string> => {
      for (;;) {
        const session = await fleet.store.sessions.get(id).catch(() => undefined)
        if (session?.stage === "completed" || session?.stage === "failed") return session.result?.text ?? ""
        await Bun.sleep(50)
      }
    }

    // Shorter than the lease, unless the machine is very busy: the command ends in it, and its result arrives.
    const short = await fleet.create({ mode: "bypassPermissions" })
    await isThere("begun")
    await outage(async () => Bun.write(join(work, "go"), "").then(() => undefined))
    const first = await text(short)
    expect(first).toMatch(/reached its end|the database could not be reached/)
    expect(first).not.toContain("program ended")
    expect(said()).toEqual([
      expect.stringMatching(/^The database on 127\.0\.0\.1:\d+\/postgres cannot be reached \(.+\)\. Sessions wait/),
      expect.stringMatching(/^The database on .+ is back after \d+ seconds?\.$/),
    ])

    // Longer: somebody else may have the session by then, so the command is stopped.
    for (const name of ["begun", "go"]) await Bun.file(join(work, name)).delete()
    const long = await fleet.create({ mode: "bypassPermissions" })
    await isThere("begun")
    await outage(() => Bun.sleep(6_000))
    const second = await text(long)
    expect(second).toContain("Interrupted: the database could not be reached while this was running.")
    expect(second).toContain("The last turn was cut off: the database could not be reached.")
    expect(second).not.toContain("program ended")
    expect(said()).toHaveLength(4)
    expect(worker.stderr()).not.toContain("bun:sql")
  },
  120_000,
)
