/**
 * Files over the limit of contents that are read were not covered, even when they were only removed, renamed or replaced,
 * which a link in the journal saves at no cost. Those that are written in place are copied first, up to a limit.
 */

import { expect, test } from "bun:test"
import { linkSync, readFileSync, writeFileSync } from "node:fs"
import { reachableConfine } from "../kit/confine.ts"
import { treeState } from "../kit/undo/tree.ts"
import { openUndoWorld } from "../kit/undo/world.ts"

const signal = new AbortController().signal
const noise = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes))

const changes = [
  "rm large",
  "mv large renamed",
  "mkdir in; mv large in; mv in out",
  "head -c 7000 /dev/urandom > new; mv new large",
  "rm large; echo small > large",
  "rm large; mkdir large",
  "chmod 600 large; touch -d @1000000000 large; rm large",
  "echo more >> large",
  "printf Z | dd of=large conv=notrunc status=none",
  "mv large other; echo more >> other; rm other",
  "ln large second; echo more >> second",
  "cp large copy; cat copy copy > large",
  ": > large",
  "sed -i s/a/b/g large; sed -i s/b/c/g large",
]

test.skipIf(process.platform !== "linux")(
  "whatever a command does to it, a large file comes back, and a redo does it again",
  async () => {
    const recorder = await reachableConfine()
    await using world = openUndoWorld({ recorder, limits: { fileBytes: 5000 } })
    writeFileSync(`${world.root}/large`, noise(6000))
    for (const change of changes) {
      const before = treeState(world.root)
      const promptId = world.prompt()
      await world.shell(change)
      const after = treeState(world.root)
      expect([change, after]).not.toEqual([change, before])
      for (const round of ["first", "second"]) {
        const back = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
        if (!back.ok || !back.value) throw new Error(`${change}: ${back.ok ? "nothing was changed" : back.failure}`)
        expect([change, round, back.value.why]).toEqual([change, round, {}])
        expect([change, round, treeState(world.root)]).toEqual([change, round, before])
        world.record({ kind: "head", to: null, why: "rewind", files: back.value })
        const forth = await world.kit().redoFiles({ log: world.log(), files: back.value, signal })
        if (!forth.ok) throw new Error(forth.failure)
        expect([change, round, treeState(world.root)]).toEqual([change, round, after])
        world.record({ kind: "head", to: null, why: "redo", files: forth.value })
      }
      const last = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
      if (!last.ok || !last.value) throw new Error(change)
      world.record({ kind: "head", to: null, why: "rewind", files: last.value })
    }
  },
  60_000,
)

test.skipIf(process.platform !== "linux")("what somebody wrote to meanwhile is not taken for the content", async () => {
  await using world = openUndoWorld({ recorder: await reachableConfine(), limits: { fileBytes: 5000 } })
  writeFileSync(`${world.root}/large`, noise(6000))
  linkSync(`${world.root}/large`, world.folder.join("elsewhere"))
  const promptId = world.prompt()
  await world.shell("rm large")
  await Bun.sleep(20)
  writeFileSync(world.folder.join("elsewhere"), noise(6000))
  const back = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  if (!back.ok) throw new Error(back.failure)
  expect(Object.values(back.value?.why ?? {})).toEqual(["its content was changed since, by another name"])
})

test.skipIf(process.platform !== "linux")(
  "one that is too large to be copied is named, and what is removed is not",
  async () => {
    await using world = openUndoWorld({
      recorder: await reachableConfine(),
      limits: { fileBytes: 5000 },
      copiedBytes: 8000,
    })
    const removed = noise(9000)
    writeFileSync(`${world.root}/removed`, removed)
    writeFileSync(`${world.root}/written`, noise(9000))
    writeFileSync(`${world.root}/moved`, noise(9000))
    const promptId = world.prompt()
    await world.shell("rm removed; echo more >> written; mv moved away; echo more >> away")
    const back = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
    if (!back.ok) throw new Error(back.failure)
    expect(Buffer.from(removed).equals(readFileSync(`${world.root}/removed`))).toBe(true)
    const named = Object.keys(back.value?.why ?? {}).map((path) => path.slice(world.root.length + 1))
    expect(named.sort()).toEqual(["moved", "written"])
  },
)
