/** A whole session in an editor: the official package's client, unmodified, against our program. */

import { expect, test } from "bun:test"
import { bash, calls, edit, read, says, use } from "../../kit/script.ts"
import { openEditor, openWorld } from "../../kit/acp/editor.ts"

test("a prompt, a tool with a permission, a diff, usage and commands", async () => {
  await using world = await openWorld(
    [calls({ text: "I look." }, read("a.txt")), calls(edit("a.txt", "one", "two")), says("Done.")],
    { "a.txt": "one\n" },
  )
  await using editor = await openEditor(world, { permission: async () => "yes" })
  const { sessionId, modes } = await editor.newSession()
  expect(modes).toMatchObject({ currentModeId: "default" })
  expect(await editor.prompt(sessionId, "change it")).toBe("end_turn")
  expect(await world.place.read("a.txt")).toBe("two\n")
  expect(editor.text()).toContain("I look.")
  console.log(JSON.stringify(editor.said, null, 1).slice(0, 15000))
  expect(await editor.end()).toBe(0)
})
