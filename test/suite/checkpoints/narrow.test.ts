/** Undo on a full disk and without permissions: what cannot be kept is said, what cannot be brought back changes nothing. */

import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder, type TemporaryFolder } from "../../kit/tmp.ts"

test("a full store: the work goes on, and the person is told once that it cannot be undone", () => {
  using folder = temporaryFolder()
  expect(inSandbox(folder, "full-store", ["--size", "500000", "--tmpfs", folder.join("store")])).toEqual({
    notices: [
      `What is changed now cannot be undone with /rewind: there is no space left on the disk (${folder.join("store")}).`,
    ],
    small: "more\n",
    leftovers: [],
  })
})

test("no room to bring files back: nothing changes at all, and with room it works", () => {
  using folder = temporaryFolder()
  expect(inSandbox(folder, "full-work", ["--size", "600000", "--tmpfs", folder.join("work")])).toEqual({
    refused: {
      ok: false,
      failure: `Nothing was changed: there is no space left on the disk (${folder.join("work", "large.bin")}).`,
    },
    between: ["small\n", "two\n", []],
    done: 2,
    isBack: true,
  })
})

test("what may not be read is named and left alone; a folder that was closed is opened, and what is in it comes back", () => {
  using folder = temporaryFolder()
  expect(inSandbox(folder, "denied", [])).toEqual({
    notices: [
      "Not covered by /rewind: secret.txt (it may not be read).",
      "Not covered by /rewind: open.txt (it may not be read), closed/a.txt (its folder may not be read).",
    ],
    back: [[], ["closed/a.txt", "open.txt"]],
    again: [["closed/a.txt"], ["open.txt"]],
    closed: "a",
  })
})

function inSandbox(folder: TemporaryFolder, what: string, more: readonly string[]): unknown {
  for (const name of ["work", "store"]) mkdirSync(folder.join(name))
  const script = join(import.meta.dir, "../../kit/undo/narrow.ts")
  const sandbox = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--cap-drop", "ALL"]
  const { stdout, stderr, exitCode } = Bun.spawnSync([...sandbox, ...more, process.execPath, script, what, folder.path])
  if (exitCode !== 0) throw new Error(stderr.toString())
  return JSON.parse(stdout.toString())
}
