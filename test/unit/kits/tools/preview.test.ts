/** What an edit would do is drawn before anyone says yes, the same as afterwards, and nothing is written for it. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import type { Display } from "#agent/words/display.ts"
import type { JsonObject } from "#lib/json.ts"
import { openTools, type TestTools } from "./open-tools.ts"

const notebook = JSON.stringify({
  cells: [{ cell_type: "code", id: "one", metadata: {}, source: ["a = 1\n"], outputs: [], execution_count: null }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
})

async function previewed(t: TestTools, name: string, input: JsonObject): Promise<Display | undefined> {
  const tool = t.tools.find((one) => one.name === name)
  const parsed = tool?.parse(input)
  if (!tool || !parsed?.ok) throw new Error(`${name} does not take this`)
  tool.footprint(parsed.value)
  return tool.preview?.(parsed.value, new AbortController().signal)
}

test.each<[string, JsonObject]>([
  ["Edit", { file_path: "a.txt", old_string: "two", new_string: "2" }],
  ["Edit", { file_path: "new.txt", old_string: "", new_string: "new\n" }],
  ["MultiEdit", { file_path: "a.txt", edits: [{ old_string: "one", new_string: "1" }] }],
  [
    "MultiEdit",
    {
      edits: [
        { file_path: "a.txt", old_string: "one", new_string: "1" },
        { file_path: "crlf.txt", old_string: "b", new_string: "B" },
      ],
    },
  ],
  ["Write", { file_path: "a.txt", content: "one\n" }],
  ["Write", { file_path: "crlf.txt", content: "a\nc\n" }],
  ["Write", { file_path: "folder/new.txt", content: "x\n" }],
  ["NotebookEdit", { notebook_path: "n.ipynb", cell_id: "one", new_source: "a = 2\n" }],
  ["NotebookEdit", { notebook_path: "n.ipynb", cell_id: "one", edit_mode: "delete" }],
  ["NotebookEdit", { notebook_path: "n.ipynb", edit_mode: "insert", new_source: "b = 1\n" }],
])("%s %j", async (name, input) => {
  await using t = openTools()
  const files = { "a.txt": "one\ntwo\n", "crlf.txt": "a\r\nb\r\n", "n.ipynb": notebook }
  for (const [file, text] of Object.entries(files)) {
    t.put(file, text)
    await t.call("Read", { file_path: file })
  }
  const before = await previewed(t, name, input)
  for (const [file, text] of Object.entries(files)) expect(readFileSync(t.path(file), "utf8")).toBe(text)
  const outcome = await t.call(name, input)
  expect(outcome.isError).toBe(false)
  expect(before).toBeDefined()
  expect(before).toEqual(outcome.display)
})

test("what cannot be done is not drawn, and tools that change no files draw nothing", async () => {
  await using t = openTools()
  t.put("a.txt", "one\n")
  expect(await previewed(t, "Edit", { file_path: "a.txt", old_string: "none", new_string: "x" })).toBeUndefined()
  // It was never read.
  expect(await previewed(t, "Write", { file_path: "a.txt", content: "x" })).toBeUndefined()
  expect(t.tools.filter(({ preview }) => preview).map(({ name }) => name)).toEqual([
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
  ])
})
