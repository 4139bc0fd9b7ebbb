/** A screen that fails by a mistake of ours leaves a terminal one can go on working in, a sentence, and a report. */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { openScreenRun } from "../../kit/open-screen.ts"
import { openPlace } from "../../kit/run-codewright.ts"

test("the terminal is given back, and it says where the report is", async () => {
  using place = openPlace()
  const program = [process.execPath, Bun.fileURLToPath(import.meta.resolve("./crash-program.ts"))]
  await using run = await openScreenRun({ place, program, argv: [], columns: 200 })
  await run.shows("> Ask anything · @ for files · / for commands")
  run.type("x")
  expect(await run.exited).toBe(1)
  const all = await run.terminal.all()
  expect(all).toContain("error: Codewright crashed because of a bug. A crash report is in")
  // Wrapping, keys, pastes and cursor as they were before.
  expect(run.terminal.raw()).toContain("\u001b[?7h\u001b[?2026l\u001b[<u\u001b[?2004l\u001b[23;2t\u001b[0m\u001b[?25h")
  const logs = join(place.state, "logs")
  const [report = ""] = readdirSync(logs)
  expect(all).toContain(join(logs, report))
  expect(readFileSync(join(logs, report), "utf8")).toContain("Error: a mistake of ours")
  expect(statSync(join(logs, report)).mode & 0o777).toBe(0o600)
})
