/** Recorded commands run beside the report of a replay, and whatever was in it was taken as it was. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { readJob, readReport, writeJob, writeReport } from "#faces/cli/replay/replay-job.ts"
import { failed, ok } from "#lib/result.ts"
import { temporaryFolder } from "../kit/tmp.ts"

const differs = { requests: 2, results: 1, first: { where: "request 2", was: "a", is: "b" } }

test("a report is read back as it was written", () => {
  using folder = temporaryFolder()
  expect(readReport(folder.path)).toBeUndefined()
  for (const report of [ok({ requests: 2, results: 1, first: undefined }), ok(differs), failed("No log.")]) {
    writeReport(folder.path, report)
    expect(readReport(folder.path)).toEqual(report)
  }
})

test.each([
  "",
  "[]",
  "{}",
  '{"ok":true}',
  '{"ok":true,"value":{"requests":"many","results":0}}',
  '{"ok":true,"value":7}',
])("a report that is none is a failure: %s", (text) => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("report.json"), text)
  expect(readReport(folder.path)).toMatchObject({ ok: false })
})

test("a job that lacks something is none", () => {
  using folder = temporaryFolder()
  const job = {
    id: "i",
    cwd: "/w",
    state: "/s",
    slug: "w",
    base: folder.path,
    history: "/h",
    inPlace: true,
    argv: ["-p"],
  }
  writeJob(job)
  expect(readJob(folder.path)).toEqual(job)
  writeFileSync(folder.join("job.json"), JSON.stringify({ ...job, argv: "-p" }))
  expect(readJob(folder.path)).toBeUndefined()
})
