/** Panels of the real program: what they change is changed on the disk. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openScreenRun } from "../../kit/open-screen.ts"
import { openPlace } from "../../kit/run-codewright.ts"

const idle = "> Ask anything · @ for files · / for commands"

test("a rule is added to the file of its place; what is no rule is refused", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: [] })
  await run.shows(idle)
  const add = async (rule: string): Promise<void> => {
    run.type("/permissions\r")
    await run.asks("Permission rules")
    run.type("\r")
    await run.asks("Such as Bash(npm run test:*)")
    run.type(rule)
    run.type("\r")
    await run.asks(`When a call matches ${rule}:`)
    run.type("3")
    await run.asks("Save to")
    run.type("2")
  }
  await add("Bash(make:*)")
  await run.asks("Added Bash(make:*).")
  const file = join(place.work, ".codewright/settings.local.json")
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ permissions: { deny: ["Bash(make:*)"] } })
  run.type("\u001b")
  await run.hides("Permission rules")
  await add("Bash(make")
  await run.shows("its parenthesis is not closed")
  expect(await run.terminal.screen()).toContain("Save to")
  expect(readFileSync(file, "utf8")).not.toContain('"Bash(make"')
})

test("colours are kept in the person's settings", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: [] })
  await run.shows(idle)
  run.type("/theme\r")
  await run.asks("Choose a theme")
  run.type("4")
  await run.hides("Choose a theme")
  expect(JSON.parse(readFileSync(join(place.state, "settings.json"), "utf8"))).toEqual({ theme: "light-color-blind" })
})

test("going back takes back a file that was made, and the prompt that made it", async () => {
  using place = openPlace({ "a.txt": "old\n" })
  await using run = await openScreenRun({
    place,
    argv: ["make it", "--permission-mode", "acceptEdits"],
    scenario: [
      { content: [{ tool: "Write", input: { file_path: join(place.work, "new.txt"), content: "new\n" } }] },
      "It is made.",
    ],
  })
  await run.shows("It is made.")
  await run.shows(/1 file changed \(1 created\) .*\/rewind to undo/)
  await run.shows(idle)
  run.type("/rewind\r")
  await run.asks(/❯ make it .*new\.txt changed/)
  run.type("\r")
  await run.asks(/new\.txt .*deleted/)
  run.type("1")
  await run.shows(/Rewound to "make it"\./)
  await run.shows("> make it\n")
  expect(existsSync(join(place.work, "new.txt"))).toBe(false)
  expect(await place.read("a.txt")).toBe("old\n")
})
