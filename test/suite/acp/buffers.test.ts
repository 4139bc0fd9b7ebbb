/** Text that is not saved in the editor: it is read, survives an edit, and comes back with undo. */

import { expect, test } from "bun:test"
import { calls, edit, read, says } from "../../kit/script.ts"
import { openEditor, openWorld } from "../../kit/acp/editor.ts"

test("unsaved text is read, kept by an edit, and restored by a rewind", async () => {
  await using world = await openWorld([calls(read("a.txt")), calls(edit("a.txt", "two", "2")), says("Done.")], {
    "a.txt": "one\ntwo\n",
    "b.txt": "b\n",
  })
  const path = `${world.place.work}/a.txt`
  const buffers = new Map([[path, "one\nunsaved\ntwo\n"]])
  const wrote: string[] = []
  await using editor = await openEditor(world, {
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    permission: async () => "yes",
    readFile: (name) => buffers.get(name),
    writeFile: (name, text) => {
      wrote.push(text)
      buffers.set(name, text)
      world.place.write(name, text)
    },
  })
  const { sessionId } = await editor.newSession()
  expect(await editor.prompt(sessionId, "change it")).toBe("end_turn")
  expect(JSON.stringify(world.requests()[1]?.body)).toContain("unsaved")
  expect(wrote).toEqual(["one\nunsaved\ntwo\n", "one\nunsaved\n2\n"])
  expect(await world.place.read("a.txt")).toBe("one\nunsaved\n2\n")
  expect(await editor.prompt(sessionId, "/rewind 1")).toBe("end_turn")
  expect(await world.place.read("a.txt")).toBe("one\nunsaved\ntwo\n")
})
