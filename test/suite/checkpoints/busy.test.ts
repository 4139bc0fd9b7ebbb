/** A machine with more to do than it can: scans take longer then, and undo is exact all the same. Five loops and more files at night. */

import { expect, test } from "bun:test"
import { makeTree, treeState } from "../../kit/undo/tree.ts"
import { openUndoWorld } from "../../kit/undo/world.ts"

const loops = Number(process.env.CODEWRIGHT_UNDO_BUSY ?? 1)
const files = Number(process.env.CODEWRIGHT_UNDO_FILES ?? 300)
const signal = new AbortController().signal

test("beside busy loops a rewind undoes all of it", async () => {
  const busy = Array.from({ length: loops }, () => Bun.spawn(["/bin/sh", "-c", "while :; do :; done"]))
  try {
    await using world = openUndoWorld()
    makeTree(world.root, files)
    const before = treeState(world.root)
    const promptId = world.prompt()
    await world.shell("rm -rf src/part1 src/part2; for f in src/part3/*/*; do echo x >> $f; done")
    await world.shell("mv cache elsewhere; rm -rf src/part4; chmod 600 src/part5/*/*")
    const back = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
    expect(back.ok && back.value?.kept).toEqual([])
    expect(world.kit().gaps(world.log(), promptId)).toEqual([])
    expect(treeState(world.root)).toEqual(before)
  } finally {
    for (const loop of busy) loop.kill("SIGKILL")
  }
}, 600_000)
