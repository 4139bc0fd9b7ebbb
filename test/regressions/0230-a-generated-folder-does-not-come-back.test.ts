/**
 * Contents that tools generate are not kept after a command. So a folder of them that one command made and the next one
 * removed did not come back at the point in between, and a redo left out what the rewind had removed.
 */

import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { reachableConfine } from "../kit/confine.ts"
import { treeState } from "../kit/undo/tree.ts"
import { openUndoWorld, type UndoWorld } from "../kit/undo/world.ts"

const signal = new AbortController().signal

async function rewind(world: UndoWorld, promptId: string) {
  const result = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  if (!result.ok || !result.value) throw new Error(result.ok ? "nothing was changed" : result.failure)
  world.record({ kind: "head", to: null, why: "rewind", files: result.value })
  expect(result.value.kept).toEqual([])
  return result.value
}

for (const how of ["at once", "after a restart"] as const)
  test.skipIf(process.platform !== "linux")(`made, changed and removed; rewound and redone ${how}`, async () => {
    await using world = openUndoWorld({ recorder: await reachableConfine() })
    writeFileSync(`${world.root}/.gitignore`, "out/\n")
    const next = async (): Promise<void> => (how === "at once" ? undefined : world.reopen("killed"))
    const steps = [
      "mkdir -p node_modules/deep out; for i in 1 2 3; do echo $i > node_modules/deep/$i; echo o$i > out/$i; done",
      "echo more >> out/1; mv node_modules/deep/2 out/two; chmod 600 out/3",
      "rm -rf node_modules out",
    ]
    const points: string[] = []
    const trees = [treeState(world.root)]
    for (const step of steps) {
      points.push(world.prompt())
      await world.shell(step)
      trees.push(treeState(world.root))
      await next()
    }
    for (const at of [2, 1, 0]) {
      const back = await rewind(world, points[at] ?? "")
      expect(treeState(world.root)).toEqual(trees[at] ?? new Map())
      await next()
      const forth = await world.kit().redoFiles({ log: world.log(), files: back, signal })
      if (!forth.ok) throw new Error(forth.failure)
      world.record({ kind: "head", to: null, why: "redo", files: forth.value })
      expect(forth.value.kept).toEqual([])
      expect(treeState(world.root)).toEqual(trees[3] ?? new Map())
      await next()
    }
    await rewind(world, points[2] ?? "")
    expect(readFileSync(`${world.root}/out/two`, "utf8")).toBe("2\n")
  })
