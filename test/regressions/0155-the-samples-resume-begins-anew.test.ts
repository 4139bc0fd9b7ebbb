/** Resumed from wherever one stands, the sample's session began with the questions of a first run, in that folder. It continues as it was started. */

import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { openScreenRun, type ScreenOptions, type ScreenRun } from "../kit/open-screen.ts"
import { openPlace } from "../kit/run-codewright.ts"

test("no question of a first run, and the folder is the sample's", async () => {
  using place = openPlace()
  const temporary = join(place.path, "tmp")
  mkdirSync(temporary)
  // As `npm start` starts it where no model is named.
  const env = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined, ANTHROPIC_MODEL: "sim", TMPDIR: temporary }
  const start = (...argv: readonly string[]): Promise<ScreenRun> => {
    const options: ScreenOptions = { place, argv, env, first: "run", columns: 140 }
    return openScreenRun(options)
  }
  let shown = ""
  {
    await using first = await start("demo")
    await first.shows("> Ask anything")
    first.type("hello\r")
    await first.shows(/> hello[\s\S]*> Ask anything/)
    first.type("\u0004")
    expect(await first.exited).toBe(0)
    shown = await first.terminal.all()
  }
  const id = /--resume ([0-9a-f-]{36})/.exec(shown)?.[1] ?? ""
  const sample = /Copied a sample repository with a failing test to (\S+)/.exec(shown)?.[1] ?? ""
  expect(sample).toStartWith(temporary)
  await using again = await start("--resume", id)
  const all = await again.shows("> Ask anything")
  expect(all).toContain("> hello")
  expect(all).not.toMatch(/Choose a theme|Choose a model|Do you trust/)
  again.type("!pwd\r")
  await again.shows(new RegExp(`! pwd\\s+${sample}`))
}, 60_000)
