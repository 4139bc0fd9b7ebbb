/** What a command that nobody was asked about can change: what it was judged to change. */

import { expect, test } from "bun:test"
import type { JudgedBoundary } from "#agent/words/boundary.ts"
import { plainDisk } from "#ground/workspace/plain-disk.ts"
import { openJudgedPolicies } from "#kits/sandbox/judged-policy.ts"
import { openStory } from "../../../kit/policy-story.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const writing = (...writes: readonly string[]): JudgedBoundary => ({
  by: "judgement",
  writes,
  reads: [],
  mustHold: true,
})

test("writing to a device opens no folder", async () => {
  using folder = temporaryFolder()
  const reader = await openStory(folder, {}).reader()
  const parts = { reader, disk: plainDisk, roots: [folder.join("work")] }
  const policies = openJudgedPolicies()
  expect(policies(writing("/dev/null"), parts)).toMatchObject({ name: "reader", writes: [] })
  expect(policies(writing(folder.join("work/a")), parts)).toMatchObject({
    name: "edits",
    writes: [{ path: folder.join("work") }],
  })
})

test("the same again is the same policy, until what is hidden changes", async () => {
  using folder = temporaryFolder()
  const story = openStory(folder, {})
  const before = await story.reader()
  const after = { ...before, hidden: [...before.hidden, { path: folder.join("work/.env"), because: "a new rule" }] }
  const policies = openJudgedPolicies()
  const under = (reader: typeof before) =>
    policies(writing(folder.join("work/a")), { reader, disk: plainDisk, roots: [folder.join("work")] })
  const first = under(before)
  expect(under(before)).toBe(first)
  expect(under(after).hidden).toEqual(after.hidden)
})
