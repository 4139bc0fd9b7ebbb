/** Text that is not saved in the editor: it is read, survives an edit, and comes back with undo. */

import { expect, test } from "bun:test"
import { bash, calls, edit, read, says, use } from "../../kit/script.ts"
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

test("a search and a command see the disk, and the model is told which files the editor has not saved", async () => {
  await using world = await openWorld(
    [
      calls(use("Grep", { pattern: "two" })),
      calls(read("a.txt")),
      calls(use("Grep", { pattern: "two" })),
      calls(bash("cat a.txt")),
      calls(use("Grep", { pattern: "b", path: "sub" })),
      says("Now it is saved."),
      calls(bash("cat a.txt")),
      says("Done."),
    ],
    { "a.txt": "one\ntwo\n", "sub/b.txt": "b\n" },
  )
  const path = `${world.place.work}/a.txt`
  const buffers = new Map([[path, "one\nunsaved\ntwo\n"]])
  await using editor = await openEditor(world, {
    capabilities: { fs: { readTextFile: true } },
    permission: async () => "yes",
    readFile: (name) => buffers.get(name),
  })
  const { sessionId } = await editor.newSession()
  await editor.prompt(sessionId, "look")
  buffers.delete(path)
  await editor.prompt(sessionId, "again")
  const results = [
    ...JSON.stringify(world.requests().at(-1)?.body).matchAll(/"type":"tool_result".*?"content":"?(.*?)"[,}]/g),
  ]
  const isTold = results.map(([, text = ""]) =>
    text.includes(`Not saved in the editor, so seen here as on disk: ${path}.`),
  )
  // Nothing is known of a file before it is read, and a search elsewhere does not concern it.
  expect(isTold).toEqual([false, false, true, true, false, false])
})
