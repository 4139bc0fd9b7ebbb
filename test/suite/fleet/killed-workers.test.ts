/** Sessions of a fleet whose workers are killed all the time, and whose approvals are decided by two people at once. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { seededIds } from "#lib/ids.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { FleetStore } from "#fleet/store.ts"
import { opened } from "../../kit/database/databases.ts"
import { hasPostgres, openPostgres } from "../../kit/database/postgres-server.ts"
import { session } from "../../kit/fleet/records.ts"
import { helper } from "../../kit/helper.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { notesIn } from "../../kit/team/notes.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const kills = Number(process.env["CODEWRIGHT_KILLS"] ?? 5)
const sessions = 10 * kills

test.skipIf(!hasPostgres)(
  "every session ends, what was allowed is done at most once, what was denied never, and each client hears the truth",
  async () => {
    using folder = temporaryFolder()
    await using server = await openPostgres()
    const database = await opened({ kind: "server", url: server.url })
    const store = valueOf(await openFleetStore(database))
    const ids = Array.from({ length: sessions }, (_, i) => `s${i}`)
    for (const id of ids) await store.sessions.create(session(id), "ann")
    const hand = join(import.meta.dir, "../../kit/fleet/hand.ts")
    const start = (name: string) =>
      Bun.spawn([...helper(hand), server.url, folder.path, name], { stdout: "inherit", stderr: "inherit" })
    const names = ["a", "b", "c", "d"]
    const hands = names.map(start)
    const over = new AbortController()
    const decided = decideAll(store, over.signal)
    const { random } = seededIds(1)
    for (let kill = 0; kill < kills && !hands.some(({ exitCode }) => exitCode === 0); kill++) {
      await Bun.sleep(300 + random() * 900)
      const at = Math.floor(random() * hands.length)
      hands[at]?.kill(9)
      await hands[at]?.exited
      hands[at] = start(`${names[at]} ${kill}`)
    }
    expect(await Promise.all(hands.map(({ exited }) => exited))).toEqual([0, 0, 0, 0])
    over.abort()
    const outcome = await decided

    const effects = notesIn(folder.path, "effects")
    expect(new Set(effects).size).toBe(effects.length)
    for (const id of ids) {
      expect((await store.sessions.get(id))?.stage).toBe("completed")
      const lines = await store.lines.after(id, 0, 1000)
      expect(new Set(lines).size).toBe(lines.length)
      const isAllowed = outcome.get(id)
      expect(lines.includes("intent 3")).toBe(isAllowed ?? false)
      for (const act of isAllowed ? [1, 2, 3, 4] : [1, 2]) {
        expect(lines).toContain(`intent ${act}`)
        // Where a worker was killed in between, it is told as unknown, and not done again.
        if (lines.includes(`result ${act}`)) expect(effects).toContain(`${id} ${act}`)
        else expect(lines).toContain(`unknown ${act}`)
      }
      if (!isAllowed) expect(effects.filter((line) => line === `${id} 3` || line === `${id} 4`)).toEqual([])
    }
    await store.close()
    await database.close()
  },
  Infinity,
)

/** Two people answer everything at the same time, one with yes and one with no. Returns what each session was told. */
async function decideAll(store: FleetStore, signal: AbortSignal): Promise<ReadonlyMap<string, boolean>> {
  const outcome = new Map<string, boolean>()
  while (!signal.aborted) {
    for (const { sessionId, id, digest } of await store.approvals.open()) {
      const both = await Promise.all(
        [true, false].map((allows) =>
          store.approvals.decide({
            sessionId,
            approvalId: id,
            digest,
            allows,
            answer: { kind: allows ? "allow" : "deny" },
            by: allows ? "ann" : "bob",
          }),
        ),
      )
      const [one, two] = both.map(valueOf)
      expect([one?.isEffective, two?.isEffective].filter(Boolean)).toHaveLength(1)
      expect(one?.approval).toEqual(two?.approval)
      expect(outcome.has(sessionId)).toBe(false)
      outcome.set(sessionId, one?.approval.state === "allowed")
    }
    await Bun.sleep(50)
  }
  return outcome
}
