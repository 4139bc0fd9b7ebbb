/** An editor beside the terminal: the real program, connected to an editor with an extension. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openFakeEditor } from "../../kit/fake-editor.ts"
import { openScreenRun } from "../../kit/open-screen.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { calls, edit, read, says } from "../../kit/script.ts"

const enter = "\r"
const files = { "a.ts": "one\ntwo\nthree\n" }

test("in the editor's own terminal: what is selected is shown, a mention is typed, a diff is answered there", async () => {
  using place = openPlace(files)
  const file = join(place.work, "a.ts")
  using editor = openFakeEditor(join(place.home, ".claude", "ide"), { folders: [place.work], name: "My Editor" })
  editor.select(file, 0, 1, "one\ntwo")
  await using run = await openScreenRun({
    place,
    argv: [],
    columns: 130,
    env: { CLAUDE_CODE_SSE_PORT: String(editor.port), ENABLE_IDE_INTEGRATION: "true" },
    scenario: [calls(read("a.ts")), calls(edit("a.ts", "two", "2")), says("Edited it.")],
  })
  await run.shows("⧉ 2 lines selected in a.ts")
  run.type("look at")
  await run.shows("> look at")
  editor.mention(file, 2)
  await run.shows("> look at @a.ts#L3")
  run.type(enter)
  await run.shows("Apply this edit to a.ts?")
  const diff = await editor.diff()
  diff.save("one\nmine\nthree\n")
  await run.shows("Edited it.")
  expect(await place.read("a.ts")).toBe("one\nmine\nthree\n")
  expect(JSON.stringify(run.requests[0]?.body)).toContain("lines 1 to 2 of")
  run.type(`/ide open a.ts${enter}`)
  await run.shows("Opened a.ts in My Editor.")
  expect(editor.opened()).toEqual([file])
  run.type(`/ide${enter}`)
  await run.shows("Connected to My Editor. 2 lines selected in a.ts.")
  await run.shows(/1\. My Editor .*connected/)
  run.type(`/status${enter}`)
  await run.shows(/Editor +2 lines selected in a\.ts/)
  run.type(`/ide off${enter}`)
  await run.shows("Disconnected from My Editor.")
  await run.hides("⧉")
  run.type(`/ide 1${enter}`)
  await run.shows("What you select there is shown to the model.")
  editor.dies()
  await run.shows("My Editor closed the connection.")
})

test("a script sees the selection only with --ide", async () => {
  using place = openPlace(files)
  using editor = openFakeEditor(join(place.home, ".claude", "ide"), { folders: [place.work] })
  editor.select(join(place.work, "a.ts"), 1, 1, "two")
  const ask = async (...argv: readonly string[]) => {
    const run = await runCodewright({ place, argv: ["-p", ...argv, "hi"], scenario: ["Hello."] })
    return { ...run, body: JSON.stringify(run.requests[0]?.body) }
  }
  const without = await ask()
  expect([without.body.includes("a.ts"), editor.everConnected()]).toEqual([false, 0])
  const connected = await ask("--ide")
  expect(connected.body).toContain("lines 2 to 2 of")
  expect([connected.stderr, connected.stdout]).toEqual(["", "Hello.\n"])
  editor.dies()
  expect((await ask("--ide")).stderr).toContain("No editor has this folder open.")
})
