/** Random graphs of tasks, worked on by members of one process and of several, some of them killed. */

import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import { systemClock } from "#lib/clock.ts"
import { seededIds } from "#lib/ids.ts"
import type { TeamTask } from "#agent/words/team.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { newcomer, valueOf } from "../../kit/team/conformance.ts"
import { workAsHands } from "../../kit/team/hands.ts"
import { notesIn } from "../../kit/team/notes.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const about = { name: "crew", lead: "lead" }
const names = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, i) => `w${from + i}`)

async function makeGraph(path: string, seed: number, count: number): Promise<void> {
  const store = await openTeamStore({ path, about, clock: systemClock })
  const { random } = seededIds(seed)
  valueOf(await store.roster.join(newcomer("lead")))
  for (let i = 1; i <= count; i++) {
    const before = (): string => String(1 + Math.floor(random() * (i - 1)))
    const blockedBy = i === 1 ? [] : Array.from({ length: Math.floor(random() * 4) }, before)
    valueOf(await store.board.create({ subject: `task ${i}`, description: "", blockedBy }))
  }
  await store.close()
}

async function tasksIn(path: string): Promise<readonly TeamTask[]> {
  const store = await openTeamStore({ path, about, clock: systemClock })
  const tasks = await store.board.list()
  await store.close()
  return tasks
}

/** Every task was done once, and begun after its blockers were done. */
function expectAllDone(tasks: readonly TeamTask[], notes: string): void {
  const idsIn = (file: string): readonly string[] => notesIn(notes, file).map((line) => line.split(" ")[0] ?? "")
  const done = idsIn("done")
  expect(tasks.every(({ status }) => status === "completed")).toBe(true)
  expect(new Set(done).size).toBe(done.length)
  // One that was killed between finishing a task and writing that down is not in the notes.
  const begun = new Map(idsIn("begun").map((id, at) => [id, at]))
  expect(begun.size).toBe(tasks.length)
  for (const { id, blockedBy } of tasks)
    for (const blocker of blockedBy) expect(begun.get(id) ?? -1).toBeGreaterThan(begun.get(blocker) ?? Infinity)
}

describe("a graph of tasks", () => {
  test("16 members of one process finish it, over seeds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        using folder = temporaryFolder()
        const path = folder.join("team.db")
        await makeGraph(path, seed, 60)
        await workAsHands({ path, notes: folder.path, names: names(0, 16), everyMs: 1000, workMs: 0 })
        expectAllDone(await tasksIn(path), folder.path)
        expect(notesIn(folder.path, "done").length).toBe(60)
      }),
      { numRuns: 5 },
    )
  })

  const start = (path: string, notes: string, who: readonly string[], everyMs: number, workMs: number) =>
    Bun.spawn(
      [
        process.execPath,
        join(import.meta.dir, "../../kit/team/hands.ts"),
        path,
        notes,
        who.join(","),
        `${everyMs}`,
        `${workMs}`,
      ],
      { stdout: "inherit", stderr: "inherit" },
    )

  test("16 members of 4 processes finish 1,000 tasks", async () => {
    using folder = temporaryFolder()
    const path = folder.join("team.db")
    await makeGraph(path, 1, 1000)
    const hands = [0, 4, 8, 12].map((at) => start(path, folder.path, names(at, at + 4), 1000, 0))
    expect(await Promise.all(hands.map(({ exited }) => exited))).toEqual([0, 0, 0, 0])
    expectAllDone(await tasksIn(path), folder.path)
    expect(notesIn(folder.path, "done").length).toBe(1000)
    expect(notesIn(folder.path, "backs")).toEqual([])
  })

  test("members that are killed lose nothing: others, and those that come back, finish", async () => {
    using folder = temporaryFolder()
    const path = folder.join("team.db")
    await makeGraph(path, 2, 150)
    const { random } = seededIds(2)
    const who = [0, 4, 8, 12].map((at) => names(at, at + 4))
    const hands = who.map((each) => start(path, folder.path, each, 150, 5))
    for (let kills = 0; kills < 12; kills++) {
      await Bun.sleep(150 + random() * 200)
      const at = Math.floor(random() * hands.length)
      hands[at]?.kill(9)
      await hands[at]?.exited
      hands[at] = start(path, folder.path, who[at] ?? [], 150, 5)
    }
    const all = Promise.all(hands.map(({ exited }) => exited))
    await leadUntil(all, path)
    expect(await all).toEqual([0, 0, 0, 0])
    expectAllDone(await tasksIn(path), folder.path)
  })
})

/** A lead that hands on what came to it after three attempts. */
async function leadUntil(end: Promise<unknown>, path: string): Promise<void> {
  const store = await openTeamStore({ path, about, clock: systemClock })
  const over = end.then(() => true)
  do {
    for (const { id, owner, status } of await store.board.list())
      if (owner === "lead" && status === "pending") valueOf(await store.board.change(id, { owner: null }))
  } while (!(await Promise.race([over, Bun.sleep(50).then(() => false)])))
  await store.close()
}
