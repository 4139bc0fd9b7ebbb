/** Random graphs of tasks, and processes whose members work on them. */

import type { Subprocess } from "bun"
import { expect } from "bun:test"
import { join } from "node:path"
import { seededIds } from "#lib/ids.ts"
import type { TeamTask } from "#agent/words/team.ts"
import { newcomer, valueOf } from "./conformance.ts"
import { helper } from "../helper.ts"
import { notesIn } from "./notes.ts"
import { temporaryFolder } from "../tmp.ts"
import { storeAt } from "./store-at.ts"

export const names = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, i) => `w${from + i}`)

export async function makeGraph(path: string, seed: number, count: number): Promise<void> {
  const store = await storeAt(path)
  const { random } = seededIds(seed)
  valueOf(await store.roster.join(newcomer("lead")))
  for (let i = 1; i <= count; i++) {
    const before = (): string => String(1 + Math.floor(random() * (i - 1)))
    const blockedBy = i === 1 ? [] : Array.from({ length: Math.floor(random() * 4) }, before)
    valueOf(await store.board.create({ subject: `task ${i}`, description: "", blockedBy }))
  }
  await store.close()
}

export async function tasksIn(path: string): Promise<readonly TeamTask[]> {
  const store = await storeAt(path)
  const tasks = await store.board.list()
  await store.close()
  return tasks
}

/** Every task was done once, and begun after its blockers were done. */
export function expectAllDone(tasks: readonly TeamTask[], notes: string): void {
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

export interface Pace {
  readonly everyMs: number
  readonly workMs: number
  readonly preload?: string
}

export const start = (
  path: string,
  notes: string,
  who: readonly string[],
  { everyMs, workMs, preload }: Pace,
): Subprocess =>
  Bun.spawn(
    [...helper(join(import.meta.dir, "hands-process.ts")), path, notes, who.join(","), `${everyMs}`, `${workMs}`],
    {
      stdout: "inherit",
      stderr: "inherit",
      env: { ...process.env, ...(preload !== undefined && { LD_PRELOAD: preload }) },
    },
  )

/** 16 members in 4 processes, which are killed one after the other and started again. */
export async function finishThoughKilled(run: {
  readonly seed: number
  readonly tasks: number
  readonly everyMs: number
  readonly kills: number
  /** A file of its own if it is absent. */
  readonly path?: string
}): Promise<void> {
  using folder = temporaryFolder()
  const path = run.path ?? folder.join("team.db")
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
  const store = await storeAt(path)
  const end = going()
  const over = end.then(() => true)
  do {
    for (const { id, owner, status } of await store.board.list())
      if (owner === "lead" && status === "pending") valueOf(await store.board.change(id, { owner: null }))
  } while (!(await Promise.race([over, Bun.sleep(50).then(() => false)])))
  await store.close()
  return await end
}
