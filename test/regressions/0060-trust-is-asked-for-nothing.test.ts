/** The question about trust came in empty folders, where it asked for nothing, and stood on Yes where it asked for something. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { openScreenRun } from "../kit/open-screen.ts"
import { openPlace } from "../kit/run-codewright.ts"

const hooks = '{ "hooks": { "SessionStart": [{ "hooks": [{ "type": "command", "command": "touch ran" }] }] } }'
const prompt = "> Ask anything"

test("where there is nothing to trust nothing is asked; what appears later is asked about at the next start", async () => {
  using place = openPlace({ "CLAUDE.md": "Be brief.\n", ".claude/settings.json": "{}" })
  place.write("../state/settings.json", "{}")
  {
    await using run = await openScreenRun({ place, argv: [], first: "run", scenario: ["Hello."] })
    expect(await run.shows(prompt)).not.toContain("trust")
    place.write(".claude/settings.json", hooks)
    run.type("hi\r")
    await run.shows("Hello.")
    run.type("\u0004")
    expect(await run.exited).toBe(0)
  }
  expect(existsSync(join(place.state, "trust.json"))).toBe(false)
  await using again = await openScreenRun({ place, argv: [], first: "run" })
  await again.asks("Do you trust")
  expect(existsSync(join(place.work, "ran"))).toBe(false)
})

for (const setting of ['{ "model": "opus" }', '{ "env": { "A": "b" } }', '{ "permissions": { "allow": ["Bash"] } }'])
  test(`${setting} is asked about, and Enter alone does not consent`, async () => {
    using place = openPlace({ ".claude/settings.json": setting })
    place.write("../state/settings.json", "{}")
    await using run = await openScreenRun({ place, argv: [], first: "run" })
    await run.asks("Do you trust")
    run.type("\r")
    await run.shows(prompt)
    expect(existsSync(join(place.state, "trust.json"))).toBe(false)
  })
