/** An editor that puts a linked file after the text, without a space, had it ignored: `do?@/a.txt` is no mention. */

import { expect, test } from "bun:test"
import { says } from "../kit/script.ts"
import { openEditor, openWorld } from "../kit/acp/editor.ts"

test("a file that is linked after the text is read", async () => {
  await using world = await openWorld([says("It says one.")], { "a.txt": "the content of a\n" })
  await using editor = await openEditor(world)
  const { sessionId } = await editor.newSession()
  await editor.call("session/prompt", {
    sessionId,
    prompt: [
      { type: "text", text: "What does it do?" },
      { type: "resource_link", uri: `file://${world.place.work}/a.txt`, name: "a.txt" },
    ],
  })
  expect(JSON.stringify(world.requests()[0]?.body)).toContain("the content of a")
})
