/** NotebookRead and NotebookEdit: cells by id or number, the file kept as it is around them. */

import { expect, test } from "bun:test"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { displays, given, play } from "./played.ts"

const intro = { cell_type: "markdown", id: "intro", metadata: {}, source: ["# Title"] }
const sum = {
  cell_type: "code",
  execution_count: 1,
  id: "sum",
  metadata: { tags: ["kept"] },
  outputs: [{ name: "stdout", output_type: "stream", text: ["3\n"] }],
  source: ["print(1 + 2)"],
}
const notebook = { cells: [intro, sum], metadata: { kernel: "kept" }, nbformat: 4, nbformat_minor: 5 }

test("cells are read one or all, then replaced, inserted and deleted; the rest of the file stays", async () => {
  const change = (more: Parameters<typeof use>[1]) => use("NotebookEdit", { notebook_path: "a.ipynb", ...more })
  await using t = await openTestSession({
    files: { "a.ipynb": `${JSON.stringify(notebook, null, 1)}\n`, "no.ipynb": "{}" },
    script: [
      calls(use("NotebookRead", { notebook_path: "no.ipynb" }), change({ cell_id: "sum", new_source: "x" })),
      calls(
        use("NotebookRead", { notebook_path: "a.ipynb", cell_id: "sum" }),
        use("NotebookRead", { notebook_path: "a.ipynb" }),
      ),
      calls(change({ cell_id: "sum", new_source: "a = 4\nprint(a)" })),
      calls(change({ cell_id: "intro", edit_mode: "insert", cell_type: "markdown", new_source: "between" })),
      calls(change({ cell_number: 0, edit_mode: "delete" }), change({ cell_id: "gone", new_source: "x" })),
      says("Edited."),
    ],
  })
  await play(t)
  const [first, whole, replaced, inserted, deleted] = given(t)
  expect(first).toEqual([
    { error: "/p/no.ipynb is not a notebook. Use Read." },
    { error: "/p/a.ipynb exists but was not read in this conversation. Read it first, then repeat the call." },
  ])
  expect(whole).toEqual([
    "[cell 1 id sum: code]\nprint(1 + 2)\n[output]\n3",
    "[cell 0 id intro: markdown]\n# Title\n\n[cell 1 id sum: code]\nprint(1 + 2)\n[output]\n3",
  ])
  expect(replaced).toEqual([
    "Replaced cell 1 (id sum) in /p/a.ipynb. Its outputs are cleared; they were of the old source.",
  ])
  const id = /\(id (\w{8})\)/.exec(String(inserted?.[0]))?.[1]
  expect(inserted).toEqual([
    `Inserted a markdown cell as cell 1 (id ${id}) in /p/a.ipynb. The cells after it count one higher now.`,
  ])
  expect(deleted).toEqual([
    "Deleted cell 0 (id intro) from /p/a.ipynb. The cells after it count one lower now.",
    { error: `There is no cell "gone". The cells are: 0 (id ${id}, markdown), 1 (id sum, code).` },
  ])
  const after = {
    ...notebook,
    cells: [
      { cell_type: "markdown", id, metadata: {}, source: ["between"] },
      { ...sum, execution_count: null, outputs: [], source: ["a = 4\n", "print(a)"] },
    ],
  }
  expect(t.read("a.ipynb")).toBe(`${JSON.stringify(after, null, 1)}\n`)
  expect(displays(t)[4]).toEqual({
    kind: "diff",
    path: "/p/a.ipynb",
    created: false,
    hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: ["-print(1 + 2)", "+a = 4", "+print(a)"] }],
  })
  expect(displays(t)[3]).toEqual({ kind: "text", text: "2 cells" })
  expect(t.story().filter((line) => line.startsWith("intent"))).toEqual([
    "intent NotebookEdit a.ipynb (replace)",
    "intent NotebookEdit a.ipynb (insert)",
    "intent NotebookEdit a.ipynb (delete)",
  ])
})
