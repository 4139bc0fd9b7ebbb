/** Mail while senders and readers are killed at every line of the protocol. */

import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { helper } from "../../kit/helper.ts"
import { newcomer, valueOf } from "../../kit/team/conformance.ts"
import { notesIn } from "../../kit/team/notes.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { openTurns } from "../../kit/turns.ts"

const about = { name: "crew", lead: "lead" }
const program = join(import.meta.dir, "../../kit/team/post.ts")

interface Player {
  readonly role: "sender" | "reader"
  readonly name: string
  readonly others: readonly string[]
}

async function play(
  { role, name, others }: Player,
  at: { readonly path: string; readonly notes: string; readonly count: number },
  crash: { readonly point: string; readonly which: number },
): Promise<void> {
  const run = async (point: string): Promise<number> => {
    const words = [role, at.path, at.notes, name, others.join(","), `${at.count}`, point, `${crash.which}`]
    return await Bun.spawn([...helper(program), ...words], { stdout: "inherit", stderr: "inherit" }).exited
  }
  const first = await run(crash.point)
  // Whoever has nothing left to do where it would crash just ends.
  if (first !== 0) expect(first).toBe(137)
  if (first !== 0) expect(await run("")).toBe(0)
}

async function expectOnce(
  senders: readonly string[],
  readers: readonly string[],
  count: number,
  crash: { readonly point: string; readonly which: number },
): Promise<void> {
  using folder = temporaryFolder()
  const path = folder.join("team.db")
  const store = await openTeamStore({ path, about, clock: systemClock })
  for (const name of ["lead", ...senders, ...readers]) valueOf(await store.roster.join(newcomer(name)))
  await store.close()
  const at = { path, notes: folder.path, count }
  await Promise.all([
    ...senders.map((name) => play({ role: "sender", name, others: readers }, at, crash)),
    ...readers.map((name) => play({ role: "reader", name, others: senders }, at, crash)),
  ])
  const wanted = Array.from({ length: count }, (_, i) => `${i}`)
  for (const reader of readers) {
    const lines = notesIn(folder.path, `log of ${reader}`).map((line) => line.split(" "))
    for (const sender of senders)
      expect(lines.flatMap(([, from, text]) => (from === sender ? [text] : []))).toEqual(wanted)
  }
}

describe("every message is read once and in the order of its sender, though", () => {
  const points = [
    "before sending",
    "between boxes and the log",
    "after the log",
    "before the log",
    "within the log",
    "between the log and the cursor",
    "after the cursor",
  ]
  const turn = openTurns()
  for (const point of points)
    for (const which of turn([1, 3]))
      test(`everyone is killed ${point}, time ${which}`, () =>
        expectOnce(["ann", "bob"], ["cid", "dee"], 4, { point, which }))

  test("8 senders write to 8 readers while all are killed in between", () =>
    expectOnce(
      Array.from({ length: 8 }, (_, i) => `s${i}`),
      Array.from({ length: 8 }, (_, i) => `r${i}`),
      5,
      { point: "between the log and the cursor", which: 2 },
    ))
})
