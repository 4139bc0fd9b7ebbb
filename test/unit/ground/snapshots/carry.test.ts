/** Snapshots that were taken on one machine and used on another. */

import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { piecesOf, snapshotsIn, importPieces } from "#ground/snapshots/carry.ts"
import { openSnapshots, type Snapshots } from "#ground/snapshots/snapshots.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { valueOf } from "../../../kit/team/conformance.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const signal = new AbortController().signal

test("every state can be looked at and restored where the pieces were taken in; what was there stays", async () => {
  using folder = temporaryFolder()
  const work = folder.join("work")
  mkdirSync(work)
  const open = (name: string): Snapshots =>
    valueOf(
      openSnapshots({
        folder: folder.join(name),
        roots: () => [work],
        excluded: [],
        clock: systemClock,
        ids: systemIds,
        pid: process.pid,
      }),
    )
  const first = open("one")
  const ids: string[] = []
  for (const text of ["a", "b".repeat(5000), "c"]) {
    writeFileSync(join(work, "f"), text)
    ids.push(valueOf(await first.saveAll("agent", signal)).id)
  }
  const carry = async (wanted: readonly string[]): Promise<void> => {
    for (const { name, bytes } of piecesOf(folder.join("one"), wanted)) {
      const path = join(folder.join("pieces"), name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, bytes())
    }
    valueOf(await importPieces(folder.join("pieces"), folder.join("two")))
  }
  await carry(ids.slice(0, 2))
  await carry(ids.slice(2))
  expect(snapshotsIn(folder.join("two"))).toEqual(snapshotsIn(folder.join("one")))
  const second = open("two")
  for (const id of ids) {
    expect(valueOf(second.load(id)).changed).toEqual(valueOf(first.load(id)).changed)
    const before = valueOf(first.treeAt(id))
    expect(valueOf(second.treeAt(id))).toEqual(before)
    const state = before.states.get(join(work, "f"))
    const hash = state?.kind === "file" ? state.hash : ""
    expect(valueOf(second.content(hash))).toEqual(valueOf(first.content(hash)))
  }
  valueOf(await second.continueFrom(ids[2] ?? ""))
  writeFileSync(join(work, "f"), "d")
  const next = valueOf(await second.saveAll("agent", signal))
  expect(valueOf(second.load(next.id)).base).toBe(ids[2] ?? "")
  expect(readFileSync(join(work, "f"), "utf8")).toBe("d")
  await first.close()
  await second.close()
})
