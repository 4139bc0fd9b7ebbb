/** `npm run field -- --table` looked for results of today only, and mixed those of two versions of an agent. */

import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { temporaryFolder } from "../kit/tmp.ts"

test("the newest results are drawn, each agent in the version that was asked last", async () => {
  using folder = temporaryFolder()
  const line = (version: string, requests: number): string => {
    const asked = {
      axis: "budget",
      peer: "codex",
      version,
      round: 0,
      at: "2026-01-02T00:00:00.000Z",
      hasNetwork: false,
    }
    return JSON.stringify({ ...asked, samples: [{ spent: requests }] })
  }
  await Bun.write(folder.join("2026-01-01.jsonl"), line("0.1.0", 7))
  const other = JSON.stringify({
    ...JSON.parse(line("0.1.0", 8)),
    axis: "plan",
    samples: [{ attempts: 1, changed: 1 }],
  })
  await Bun.write(folder.join("2026-01-02.jsonl"), `${other}\n${line("0.2.0", 9)}\n`)
  const field = resolve(import.meta.dir, "../../bench/field/field.ts")
  const run = Bun.spawnSync([process.execPath, field, "--table", "--out", folder.path], { stderr: "pipe" })
  expect(run.stderr.toString()).toBe("")
  const table = await Bun.file(folder.join("2026-01-02.md")).text()
  expect(table).toContain("| spent of a budget of $0.50 | $9.00 |")
  expect(table).not.toContain("plan mode")
})
