/** Which notes a prompt brings to mind. */

import { expect, test } from "bun:test"
import { notesAbout } from "#kits/memory/rank.ts"

const notes = [
  {
    path: "/n/release.md",
    text: "# Release\nTag the commit, then run scripts/publish.sh with the signing key of the team.",
  },
  {
    path: "/n/database.md",
    text: "# Migrations\nMigrations are in db/changes and are applied by openStore.\n\n# Backups\nNightly, kept for a week.",
  },
]

const found = (prompt: string): readonly string[] => notesAbout(prompt, notes).map(({ key }) => key)

test("sections that share several telling words, best first", () => {
  expect(found("Why does the migration in db/changes fail in open_store?")).toEqual(["/n/database.md # Migrations"])
  expect(found("publish a release: tag it and apply the migrations of the database")).toEqual([
    "/n/release.md # Release",
  ])
})

test("one word, or words that every text has, bring nothing to mind", () => {
  expect(found("release")).toEqual([])
  expect(found("What should we do with the file now?")).toEqual([])
  expect(found("")).toEqual([])
})

test("a long section is cut", () => {
  const [first] = notesAbout("walrus penguin", [{ path: "/a.md", text: `walrus penguin ${"x".repeat(9_000)}` }])
  expect(first?.text.length).toBeLessThan(1_700)
})
