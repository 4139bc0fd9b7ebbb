/** Settings files that change while someone listens: made, replaced, removed, in folders that come and go. */

import { expect, test } from "bun:test"
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { watchSettings } from "#ground/settings/watch.ts"
import { systemClock } from "#lib/clock.ts"
import { channel } from "#lib/channel.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

function listening(files: readonly string[]) {
  const heard = channel<readonly string[]>()
  const watch = watchSettings({ files, clock: systemClock, onChange: (changed) => heard.push(changed) })
  const each = heard[Symbol.asyncIterator]()
  return {
    next: async (): Promise<readonly string[]> => (await each.next()).value ?? [],
    [Symbol.dispose]: () => watch.close(),
  }
}

test("a file that is written, replaced and removed is told of each time, others are not", async () => {
  using folder = temporaryFolder()
  const file = folder.join("settings.json")
  const other = folder.join("settings.local.json")
  writeFileSync(file, "{}")
  using t = listening([file, other])
  writeFileSync(file, `{"model":"a"}`)
  expect(await t.next()).toEqual([file])
  writeFileSync(`${file}.new`, `{"model":"b"}`)
  renameSync(`${file}.new`, file)
  expect(await t.next()).toEqual([file])
  rmSync(file)
  writeFileSync(other, "{}")
  expect((await t.next()).toSorted()).toEqual([file, other])
})

test("a file in a folder that is not there yet is heard of when both are made, also after the folder was away", async () => {
  using folder = temporaryFolder()
  const file = folder.join("project/.codewright/settings.json")
  mkdirSync(folder.join("project"))
  using t = listening([file])
  for (const round of ["first", "second"]) {
    mkdirSync(join(file, ".."))
    writeFileSync(file, round)
    expect(await t.next()).toEqual([file])
    writeFileSync(file, `${round} again`)
    expect(await t.next()).toEqual([file])
    rmSync(join(file, ".."), { recursive: true })
    expect(await t.next()).toEqual([file])
  }
})

test("what changes beside them, or is written again as it was, is not told of", async () => {
  using folder = temporaryFolder()
  const file = folder.join("settings.json")
  writeFileSync(file, "{}")
  using t = listening([file])
  writeFileSync(folder.join("notes.txt"), "x")
  writeFileSync(file, "{}")
  await Bun.sleep(250)
  writeFileSync(file, "[]")
  expect(await t.next()).toEqual([file])
})
