/** A backup that the database's own tools make while sessions work: restored, it has everything that was acknowledged, and the work goes on. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { hasPostgres, openPostgres } from "../../kit/database/postgres-server.ts"
import { busyPrompt, busyScenario, busySettings } from "../../kit/fleet/busy.ts"
import { type Fleet, openFleet } from "../../kit/fleet/fleet.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const many = 6

async function run(...argv: readonly string[]): Promise<void> {
  const child = Bun.spawn([...argv], { stdin: "ignore", stdout: "ignore", stderr: "pipe" })
  const said = await child.stderr.text()
  expect([await child.exited, said]).toEqual([0, ""])
}

/** Allows what waits; how many that were. */
async function allow({ store }: Fleet, most = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
  const open = (await store.approvals.open()).slice(0, most)
  for (const { sessionId, id, digest } of open)
    await store.approvals.decide({ sessionId, approvalId: id, digest, allows: true, answer: {}, by: "ann" })
  return open.map(({ sessionId }) => sessionId)
}

test.skipIf(!hasPostgres)(
  "a backup under load has what was acknowledged, and its sessions end",
  async () => {
    await using fleet = await openFleet(busyScenario)
    using folder = temporaryFolder()
    const file = folder.join("codewright.dump")
    const worker = await fleet.startWorker({ slots: 3, settings: busySettings })
    const ids: string[] = []
    for (let nth = 0; nth < many; nth++) ids.push(await fleet.create({ query: busyPrompt(nth) }))
    while ((await fleet.store.approvals.open()).length < 2) await Bun.sleep(20)
    const decided = await allow(fleet, 2)
    await run("pg_dump", "--format=custom", `--file=${file}`, fleet.url)
    await worker.end("SIGKILL")

    await using database = await openPostgres()
    await run("pg_restore", "--no-owner", `--dbname=${database.url}`, file)
    await using restored = await openFleet(busyScenario, database)
    for (const id of ids) expect((await restored.store.sessions.get(id))?.query).toBeDefined()
    for (const id of decided)
      expect((await restored.store.approvals.of(id)).map(({ state }) => state)).toEqual(["allowed"])

    // The same machine as before, with the folders that sessions have there.
    const workplaces = join(fleet.place.path, "home/.local/share/codewright/fleet")
    await restored.startWorker({ slots: many, settings: busySettings, flags: ["--workplaces", workplaces] })
    const isOver = async (): Promise<boolean> => {
      await allow(restored)
      const found = await Promise.all(ids.map((id) => restored.store.sessions.get(id)))
      return found.every((session) => session?.stage === "completed")
    }
    while (!(await isOver())) await Bun.sleep(50)
    for (const nth of ids.keys()) {
      const acts = (await Bun.file(join(fleet.place.work, `acts-${nth}.txt`)).text()).split("\n")
      expect(acts).toEqual(expect.arrayContaining(["one", "two", "three"]))
    }
  },
  600_000,
)
