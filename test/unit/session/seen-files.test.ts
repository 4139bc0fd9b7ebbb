/** What a call saw of files goes with its own result, by whatever name it asked for them. */

import { expect, test } from "bun:test"
import { symlinkSync, writeFileSync } from "node:fs"
import { type Footprint, reads } from "#agent/words/footprint.ts"
import type { Call } from "#agent/words/middleware.ts"
import { answered } from "#agent/words/tool.ts"
import { type FileStamp, openStamps } from "#ground/workspace/stamps.ts"
import { keepSeen } from "#session/adapters/seen-files.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const stamp: FileStamp = {
  identity: { device: 1n, inode: 2n, bytes: 3, modifiedNs: 4n, changedNs: 5n },
  hash: 255n,
  text: "abc",
  shown: { offset: 1, limit: undefined },
  at: 7,
}

test("a file counts under its own name or a link to it; files of other calls, and older ones, do not", async () => {
  using folder = temporaryFolder()
  for (const name of ["plain", "behind", "of-another", "seen-before"]) writeFileSync(folder.join(name), "abc")
  symlinkSync("behind", folder.join("link"))
  const stamps = openStamps()
  stamps.put(folder.join("seen-before"), stamp)

  /** The paths a call saw, if these were stamped while it ran. */
  const seenBy = async (footprint: Footprint, ...stamped: readonly string[]): Promise<readonly string[]> => {
    const call = { callId: "c", footprint } as unknown as Call
    const { seen = [] } = await keepSeen(stamps)(call, async () => {
      for (const name of stamped) stamps.put(folder.join(name), stamp)
      return answered("done")
    })
    return seen.map(({ path }) => path)
  }
  const named = (...names: readonly string[]): Footprint => reads(...names.map((name) => folder.join(name)))

  expect(await seenBy(named("plain"), "plain", "of-another")).toEqual([folder.join("plain")])
  expect(await seenBy(named("link"), "behind")).toEqual([folder.join("behind")])
  expect(await seenBy(named("link", "behind"), "behind")).toEqual([folder.join("behind")])
  expect(await seenBy(named("seen-before"))).toEqual([])
  expect(await seenBy(named("seen-before"), "of-another")).toEqual([])
})
