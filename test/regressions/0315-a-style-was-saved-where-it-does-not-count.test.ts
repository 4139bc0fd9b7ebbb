/** In a folder that nobody was asked to trust, `/output-style` wrote into the project's settings, which the next start ignored with a warning. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { openTestSession } from "../kit/open-test-session.ts"

test("a style that is chosen in a folder that is not trusted is saved with the user", async () => {
  await using t = await openTestSession({
    script: [],
    place: { trusted: false },
    extensions: { claudeFolder: "/nonexistent", bundled: false },
  })
  await t.prompt("/output-style learning")
  expect(existsSync(t.path(".codewright"))).toBe(false)
  expect(JSON.parse(readFileSync(t.path("../state/settings.json"), "utf8"))).toEqual({ outputStyle: "learning" })
})
