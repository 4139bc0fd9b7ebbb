/** Random graphs of tasks, worked on by members of one process and of several, some of them killed (CODEWRIGHT_GRAPH_RUNS: how many large ones). */

import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import { systemClock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { isNight, runs } from "../../kit/runs.ts"
import { newcomer, valueOf } from "../../kit/team/conformance.ts"
import { expectAllDone, finishThoughKilled, makeGraph, names, start, tasksIn } from "../../kit/team/graph.ts"
import { workAsHands } from "../../kit/team/hands.ts"
import { notesIn } from "../../kit/team/notes.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const largeRuns = Number(process.env["CODEWRIGHT_GRAPH_RUNS"] ?? 0)
const many = isNight ? 1000 : 250
const killed = isNight ? { tasks: 300, kills: 12 } : { tasks: 120, kills: 6 }
const about = { name: "crew", lead: "lead" }
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
      runs(3),
    )
  })

  test(`16 members of 4 processes finish ${many} tasks`, async () => {
    using folder = temporaryFolder()
    const path = folder.join("team.db")
    await makeGraph(path, 1, many)
    const hands = [0, 4, 8, 12].map((at) => start(path, folder.path, names(at, at + 4), { everyMs: 1000, workMs: 0 }))
    expect(await Promise.all(hands.map(({ exited }) => exited))).toEqual([0, 0, 0, 0])
    expectAllDone(await tasksIn(path), folder.path)
    expect(notesIn(folder.path, "done").length).toBe(many)
    expect(notesIn(folder.path, "backs")).toEqual([])
  })

  test("members that are killed lose nothing: others, and those that come back, finish", () =>
    finishThoughKilled({ seed: 2, everyMs: 150, ...killed }))

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
