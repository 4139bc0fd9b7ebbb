/** Random graphs of tasks, worked on by members of one process and of several, some of them killed (CODEWRIGHT_GRAPH_RUNS: how many large ones). */

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

const largeRuns = Number(process.env["CODEWRIGHT_GRAPH_RUNS"] ?? 0)
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

  test("16 members of 4 processes finish 1,000 tasks", async () => {
    using folder = temporaryFolder()
    const path = folder.join("team.db")
    await makeGraph(path, 1, 1000)
    const hands = [0, 4, 8, 12].map((at) => start(path, folder.path, names(at, at + 4), { everyMs: 1000, workMs: 0 }))
    expect(await Promise.all(hands.map(({ exited }) => exited))).toEqual([0, 0, 0, 0])
    expectAllDone(await tasksIn(path), folder.path)
    expect(notesIn(folder.path, "done").length).toBe(1000)
    expect(notesIn(folder.path, "backs")).toEqual([])
  })

  test("members that are killed lose nothing: others, and those that come back, finish", () =>
    finishThoughKilled({ seed: 2, tasks: 300, everyMs: 150, kills: 12 }))

  for (let seed = 1; seed <= largeRuns; seed++)
    test(
      `1,000 tasks while members are killed all the time, seed ${seed}`,
      () => finishThoughKilled({ seed, tasks: 1000, everyMs: 150, kills: Infinity }),
      Infinity,
    )

  test("clocks that jump end no claim; only the one that is killed loses its task", async () => {
    using folder = temporaryFolder()
    const path = folder.join("team.db")
    const clock = folder.join("jumping-clock.so")
    const source = join(import.meta.dir, "../../kit/team/jumping-clock.c")
    expect(Bun.spawnSync(["cc", "-shared", "-fPIC", "-o", clock, source]).exitCode).toBe(0)
    const store = await openTeamStore({ path, about, clock: systemClock })
    valueOf(await store.roster.join(newcomer("lead")))
    for (let i = 0; i < 3; i++) valueOf(await store.board.create({ subject: "long", description: "" }))
    // Longer than it takes to find somebody silent, so that a claim that ends early is seen.
    const hands = ["w0", "w1", "w2"].map((name) =>
      start(path, folder.path, [name], { everyMs: 1000, workMs: 6500, preload: clock }),
    )
    const begun = (): string | undefined => notesIn(folder.path, "begun").find((line) => line.endsWith(" w2"))
    while (begun() === undefined) await Bun.sleep(20)
    hands[2]?.kill(9)
    expect(await Promise.all(hands.map(({ exited }) => exited))).toEqual([0, 0, 137])
    expect(notesIn(folder.path, "backs")).toEqual([begun() ?? ""])
    expectAllDone(await store.board.list(), folder.path)
    await store.close()
  })
})

interface Pace {
  readonly everyMs: number
  readonly workMs: number
  readonly preload?: string
}

const start = (path: string, notes: string, who: readonly string[], { everyMs, workMs, preload }: Pace) =>
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
    {
      stdout: "inherit",
      stderr: "inherit",
      env: { ...process.env, ...(preload !== undefined && { LD_PRELOAD: preload }) },
    },
  )

/** 16 members in 4 processes, which are killed one after the other and started again. */
async function finishThoughKilled(run: {
  readonly seed: number
  readonly tasks: number
  readonly everyMs: number
  readonly kills: number
}): Promise<void> {
  using folder = temporaryFolder()
  const path = folder.join("team.db")
  await makeGraph(path, run.seed, run.tasks)
  const { random } = seededIds(run.seed)
  const pace = { everyMs: run.everyMs, workMs: 5 }
  const who = [0, 4, 8, 12].map((at) => names(at, at + 4))
  const hands = who.map((each) => start(path, folder.path, each, pace))
  const ended = (): boolean => hands.some(({ exitCode }) => exitCode === 0)
  const lead = leadUntil(async () => {
    for (let kills = 0; kills < run.kills && !ended(); kills++) {
      await Bun.sleep(100 + random() * 200)
      const at = Math.floor(random() * hands.length)
      hands[at]?.kill(9)
      await hands[at]?.exited
      hands[at] = start(path, folder.path, who[at] ?? [], pace)
    }
    return await Promise.all(hands.map(({ exited }) => exited))
  }, path)
  expect(await lead).toEqual([0, 0, 0, 0])
  expectAllDone(await tasksIn(path), folder.path)
}

/** A lead that hands on what came to it after three attempts, while something goes on. */
async function leadUntil<T>(going: () => Promise<T>, path: string): Promise<T> {
  const store = await openTeamStore({ path, about, clock: systemClock })
  const end = going()
  const over = end.then(() => true)
  do {
    for (const { id, owner, status } of await store.board.list())
      if (owner === "lead" && status === "pending") valueOf(await store.board.change(id, { owner: null }))
  } while (!(await Promise.race([over, Bun.sleep(50).then(() => false)])))
  await store.close()
  return await end
}
