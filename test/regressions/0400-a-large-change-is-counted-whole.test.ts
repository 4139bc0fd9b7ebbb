/** A file in which very many lines were replaced said `+0 -4000`: the lines that could be shown were counted, not those that changed. */

import { expect, test } from "bun:test"
import { figuresOf } from "#ground/snapshots/compare.ts"
import type { PathState } from "#ground/snapshots/state.ts"
import { ok } from "#lib/result.ts"

const texts = { before: "old\n".repeat(6_000), after: "new\n".repeat(7_000) }
const stamp = { bytes: 1, modifiedMs: 0, changedMs: 0, inode: 1, device: 1, settled: true }
const stateOf = (hash: keyof typeof texts): PathState => ({ kind: "file", mode: 0o644, hash, stamp })

test("all lines that went and came are counted", async () => {
  const change = { path: "/a", before: stateOf("before"), after: stateOf("after") }
  expect(await figuresOf(change, (hash) => ok(Buffer.from(texts[hash as keyof typeof texts])))).toEqual(
    ok({ kind: "modified", added: 7_000, removed: 6_000, binary: false }),
  )
})
