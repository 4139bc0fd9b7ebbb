/** Processes that are killed while they keep or bring back files: what is in the store is whole, and running it again mends. */

import { expect, test } from "bun:test"
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { openStore } from "#ground/snapshots/store.ts"
import { makeTree, treeState } from "../../kit/undo/tree.ts"
import { openUndoWorld } from "../../kit/undo/world.ts"
import { temporaryFolder, type TemporaryFolder } from "../../kit/tmp.ts"

const kills = Number(process.env.CODEWRIGHT_UNDO_KILLS ?? 6)
const signal = new AbortController().signal

test("killed while keeping: every snapshot that has a name is whole, and those in the log are there", async () => {
  using folder = temporaryFolder()
  const world = openUndoWorld({ at: folder })
  makeTree(world.root, 120)
  writeFileSync(folder.join("log.jsonl"), "")
  for (let round = 0; round < kills; round++) {
    await killAfter(folder, "take", round, 20 + round * 37)
    const store = openStore(folder.join("store"))
    for (const id of store.ids()) {
      const tree = store.treeAt(id)
      if (!tree.ok) throw new Error(JSON.stringify(tree.failure))
      for (const state of tree.value.states.values())
        if (state.kind === "file") expect(store.content(state.hash).ok).toBe(true)
    }
    for (const entry of entriesIn(folder))
      if (entry.kind === "snapshot") expect(store.load(entry.snapshotId).ok).toBe(true)
  }
  expect(entriesIn(folder).some((entry) => entry.kind === "snapshot")).toBe(true)
}, 300_000)

test("killed while bringing back: doing it again ends as if nothing had happened, and leaves nothing lying about", async () => {
  using folder = temporaryFolder()
  const log = folder.join("log.jsonl")
  writeFileSync(log, "")
  const onRecord = (entry: Entry): void => appendFileSync(log, `${JSON.stringify(entry)}\n`)
  const world = openUndoWorld({ at: folder, onRecord })
  makeTree(world.root, 300)
  const first = world.prompt()
  await world.shell("true")
  const before = treeState(world.root)
  await world.shell(
    "rm -rf src/part1 src/part2; for f in src/part3/*/*; do echo x >> $f; done; mv cache elsewhere; chmod 700 src/part4",
  )
  const after = treeState(world.root)
  await world.kit().close?.()
  for (let round = 0; round < kills; round++) {
    await killAfter(folder, "rewind", round, 15 + round * 29)
    const again = openUndoWorld({ seed: 500 + round, at: folder, entries: entriesIn(folder), onRecord })
    const back = await again.kit().rewindFiles({ log: again.log(), promptId: first, signal })
    if (!back.ok) throw new Error(back.failure)
    expect(treeState(again.root)).toEqual(before)
    expect(back.value?.kept ?? []).toEqual([])
    if (back.value) again.record({ kind: "head", to: null, why: "rewind", files: back.value })
    // The agent does the same once more, so that there is something to go back from.
    again.prompt()
    await again.shell(
      "rm -rf src/part1 src/part2; for f in src/part3/*/*; do echo x >> $f; done; mv cache elsewhere; chmod 700 src/part4",
    )
    expect(treeState(again.root)).toEqual(after)
    await again.kit().close?.()
    expect(temporaries(folder.path)).toEqual([])
  }
}, 300_000)

async function killAfter(folder: TemporaryFolder, what: string, seed: number, ms: number): Promise<void> {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../../kit/undo/child.ts"), what, folder.path, String(seed)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  )
  // Its first word says that it has begun.
  await child.stdout.getReader().read()
  await Bun.sleep(ms)
  expect(child.exitCode).toBe(null)
  child.kill("SIGKILL")
  await child.exited
}

function entriesIn(folder: TemporaryFolder): readonly Entry[] {
  return readFileSync(folder.join("log.jsonl"), "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Entry]
      } catch {
        return []
      }
    })
}

const temporaries = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.tmp$|\.new$|restoring/.test(path))
