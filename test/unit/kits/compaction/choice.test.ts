/** Settings and environment about compaction. */

import { expect, test } from "bun:test"
import { compactionChoice } from "#kits/compaction/choice.ts"

const quiet = { disableCompact: false, disableAutoCompact: false, autoCompactPercent: undefined }

test("by itself at the usual level, unless someone says otherwise", () => {
  expect(compactionChoice({}, quiet)).toEqual({ choice: { when: "auto", trigger: { kind: "formula" } }, warnings: [] })
  expect(compactionChoice({ autoCompact: false }, quiet).choice.when).toBe("manual")
  expect(compactionChoice({ autoCompactEnabled: false }, quiet).choice.when).toBe("manual")
  expect(compactionChoice({}, { ...quiet, disableAutoCompact: true }).choice.when).toBe("manual")
  expect(compactionChoice({ autoCompact: true }, { ...quiet, disableCompact: true }).choice.when).toBe("never")
})

test("summaries are prepared in the background unless that is turned off", () => {
  expect(compactionChoice({ compaction: { background: true } }, quiet).choice.inBackground).toBeUndefined()
  expect(compactionChoice({ compaction: { background: false } }, quiet).choice.inBackground).toBe(false)
})

test("the environment's percentage is stronger than the setting", () => {
  const settings = { compaction: { trigger: "80%" } }
  expect(compactionChoice(settings, quiet).choice.trigger).toEqual({ kind: "percent", percent: 80 })
  const given = { ...quiet, autoCompactPercent: 50 }
  expect(compactionChoice(settings, given).choice.trigger).toEqual({ kind: "percent", percent: 50 })
})

test("what is not understood is said, and the usual level is used", () => {
  const { choice, warnings } = compactionChoice({ compaction: { trigger: "soon", when: "later" } }, quiet)
  expect(choice.trigger).toEqual({ kind: "formula" })
  expect(warnings).toEqual([
    `The setting compaction.trigger is "soon", so the usual level is used. Write "formula", or a percentage from 1 to 100.`,
    "The setting compaction.when is not known and does nothing; there are only compaction.trigger and compaction.background.",
  ])
  expect(compactionChoice({}, { ...quiet, autoCompactPercent: 400 }).warnings).toHaveLength(1)
  expect(compactionChoice({ compaction: { background: "no" } }, quiet)).toEqual({
    choice: { when: "auto", trigger: { kind: "formula" } },
    warnings: [
      `The setting compaction.background is "no", so summaries are prepared in the background. Write true or false.`,
    ],
  })
})
