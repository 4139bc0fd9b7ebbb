/** The patch of a session is one that git takes: applied to what was there before, it gives what is there after. */

import { expect, test } from "bun:test"
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import { runs } from "#agent/words/footprint.ts"
import { treeState } from "../../../kit/undo/tree.ts"
import { openUndoWorld, type UndoWorld } from "../../../kit/undo/world.ts"

/** Applies the session's patch to a copy of the tree from before, and compares. */
async function expectPatchWorks(world: UndoWorld, copy: string): Promise<void> {
  const patch = await world.kit().patchOf(world.log())
  if (!patch.ok) throw new Error(patch.failure)
  const git = Bun.spawnSync(["git", "apply", "--whitespace=nowarn", "-p1", "-"], {
    cwd: copy,
    stdin: Buffer.from(patch.value),
    env: { ...process.env, GIT_CEILING_DIRECTORIES: world.folder.path },
  })
  if (git.exitCode !== 0) throw new Error(`${git.stderr.toString()}\n${patch.value}`)
  const relative = (root: string): string[] =>
    [...treeState(root)].map(([path, state]) => `${path.slice(root.length)} ${state}`).sort()
  expect(relative(copy)).toEqual(relative(world.root))
}

const copied = (world: UndoWorld): string => {
  const copy = world.folder.join("copy")
  Bun.spawnSync(["cp", "-a", world.root, copy])
  return copy
}

test("line ends, missing ends, modes, links, files that come, go and become folders", async () => {
  await using world = openUndoWorld()
  const at = (name: string): string => `${world.root}/${name}`
  writeFileSync(at("dos.txt"), "a\r\nb\r\nc\r\n")
  writeFileSync(at("bare.txt"), "one\ntwo")
  writeFileSync(at("mode.sh"), "#!/bin/sh\n")
  writeFileSync(at("gone.txt"), "bye\n")
  writeFileSync(at("empty.txt"), "")
  writeFileSync(at("swap"), "a file\n")
  writeFileSync(at("many.txt"), Array.from({ length: 9000 }, (_, i) => `line ${i}\n`).join(""))
  symlinkSync("bare.txt", at("link"))
  const copy = copied(world)
  world.prompt()
  await world.act(runs("x"), () => {
    writeFileSync(at("dos.txt"), "a\r\nB\nc\r\n")
    writeFileSync(at("bare.txt"), "one\ntwo\n")
    chmodSync(at("mode.sh"), 0o755)
    rmSync(at("gone.txt"))
    rmSync(at("empty.txt"))
    rmSync(at("link"))
    symlinkSync("elsewhere", at("link"))
    rmSync(at("swap"))
    symlinkSync("bare.txt", at("swap"))
    writeFileSync(
      at("many.txt"),
      Array.from({ length: 9000 }, (_, i) => (i % 2 ? `line ${i}\n` : `LINE ${i}`)).join(""),
    )
    writeFileSync(at("made.txt"), "no end")
    mkdirSync(at("deep"))
    writeFileSync(at('deep/we"ird\tname.txt'), "x\n")
  })
  await expectPatchWorks(world, copy)
})

test("whatever the texts are", async () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "", "d\r"), { maxLength: 12 })
    .chain((lines) => fc.constantFrom(lines.join("\n"), `${lines.join("\n")}\n`))
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      await using world = openUndoWorld()
      writeFileSync(`${world.root}/a.txt`, before)
      const copy = copied(world)
      world.prompt()
      await world.edit(`${world.root}/a.txt`, () => writeFileSync(`${world.root}/a.txt`, after))
      if (before !== after) await expectPatchWorks(world, copy)
    }),
    { numRuns: 25 },
  )
})
