import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import { parseNotebook } from "#kits/tools/notebook.ts"
import { type CellChange, changeCell } from "#kits/tools/notebook-text.ts"
import type { JsonObject } from "#lib/json.ts"
import { openTools, type TestTools } from "./open-tools.ts"

const cells = [
  { cell_type: "markdown", id: "intro", metadata: {}, source: ["# Title\n", "text"] },
  {
    cell_type: "code",
    execution_count: 7,
    id: "calc",
    metadata: { tags: ["x"] },
    outputs: [{ name: "stdout", output_type: "stream", text: ["1\n"] }],
    source: ["print(1)\n", "x = 2"],
  },
  { cell_type: "raw", id: "rest", metadata: {}, source: "one string" },
]
const rest = { metadata: { kernelspec: { name: "python3" } }, nbformat: 4, nbformat_minor: 5 }

/** A notebook as Jupyter writes it: one blank for a level, a line end at the end. */
const jupyter = (list: readonly JsonObject[] = cells, more: JsonObject = rest): string =>
  `${JSON.stringify({ cells: list, ...more }, null, 1)}\n`

async function opened(t: TestTools, text = jupyter()): Promise<string> {
  const path = t.put("n.ipynb", text)
  await t.call("NotebookRead", { notebook_path: "n.ipynb" })
  return path
}

const edit = (t: TestTools, input: JsonObject) => t.call("NotebookEdit", { notebook_path: "n.ipynb", ...input })

test("cells are shown with numbers, ids and outputs; one by its id or number", async () => {
  await using t = openTools()
  t.put("n.ipynb", jupyter())
  const read = (cell_id?: string) => t.say("NotebookRead", { notebook_path: "n.ipynb", ...(cell_id && { cell_id }) })
  const all =
    "[cell 0 id intro: markdown]\n# Title\ntext\n\n[cell 1 id calc: code]\nprint(1)\nx = 2\n[output]\n1\n\n[cell 2 id rest: raw]\none string"
  expect(await read()).toBe(all)
  expect(await read("calc")).toBe("[cell 1 id calc: code]\nprint(1)\nx = 2\n[output]\n1")
  expect(await read("2")).toBe("[cell 2 id rest: raw]\none string")
  expect(await read("cell-0")).toBe("[cell 0 id intro: markdown]\n# Title\ntext")
  expect(await read("calk")).toBe(
    'There is no cell "calk". The cells are: 0 (id intro, markdown), 1 (id calc, code), 2 (id rest, raw).',
  )
  // Read shows the same, so it need not do so again.
  expect(t.workspace.stamps.get(t.path("n.ipynb"))?.shown).toEqual({ offset: 1, limit: undefined })
  t.put("plain.ipynb", "hello")
  expect(await t.say("NotebookRead", { notebook_path: "plain.ipynb" })).toContain("is not a notebook")
  t.put("empty.ipynb", jupyter([]))
  expect(await t.say("NotebookRead", { notebook_path: "empty.ipynb" })).toContain("without cells")
  expect(await t.say("NotebookRead", { notebook_path: "nn.ipynb" })).toContain(`Did you mean ${t.path("n.ipynb")}?`)
})

test("a notebook too long to show says how to see parts", async () => {
  await using t = openTools()
  const long = Array.from({ length: 300 }, (_, i) => ({ ...cells[2], id: `c${i}`, source: "z".repeat(400) }))
  t.put("n.ipynb", jupyter(long))
  expect(await t.say("NotebookRead", { notebook_path: "n.ipynb" })).toMatch(/300 cells.*Read single cells with cell_id/)
  expect(await t.say("NotebookRead", { notebook_path: "n.ipynb", cell_id: "c299" })).toContain("zzz")
})

test("a replaced code cell loses its outputs, and nothing else changes", async () => {
  await using t = openTools()
  const path = await opened(t)
  const outcome = await edit(t, { cell_id: "calc", new_source: "y = 3\nprint(y)\n" })
  expect(outcome).toMatchObject({
    isError: false,
    content: `Replaced cell 1 (id calc) in ${path}. Its outputs are cleared; they were of the old source.`,
    display: { kind: "diff", path, hunks: [{ lines: ["-print(1)", "-x = 2", "+y = 3", "+print(y)"] }] },
    data: {
      filePath: path,
      editMode: "replace",
      cellNumber: 1,
      cellId: "calc",
      cellType: "code",
      oldSource: "print(1)\nx = 2",
      newSource: "y = 3\nprint(y)\n",
    },
  })
  const changed = { ...cells[1], execution_count: null, outputs: [], source: ["y = 3\n", "print(y)\n"] }
  expect(readFileSync(path, "utf8")).toBe(jupyter(cells.with(1, changed as never)))
  // Our own change is known, so that another needs no new read.
  expect(await edit(t, { cell_number: "2", new_source: "other" })).toMatchObject({ isError: false })
  expect(readFileSync(path, "utf8")).toContain('"source": "other"')
})

test("a cell may change its type, and stays valid", async () => {
  await using t = openTools()
  const path = await opened(t)
  const cell = (index: number) => parseNotebook(readFileSync(path, "utf8"))?.cells[index]
  await edit(t, { cell_id: "calc", new_source: "prose", cell_type: "markdown" })
  expect(cell(1)).toEqual({ cell_type: "markdown", id: "calc", metadata: { tags: ["x"] }, source: ["prose"] })
  await edit(t, { cell_id: "intro", new_source: "1", cell_type: "code" })
  expect(Object.entries(cell(0) ?? {})).toEqual([
    ["cell_type", "code"],
    ["execution_count", null],
    ["id", "intro"],
    ["metadata", {}],
    ["outputs", []],
    ["source", ["1"]],
  ])
})

test("cells are inserted after the one named, or at the beginning, with ids where the format has them", async () => {
  await using t = openTools()
  const path = await opened(t)
  const ids = () => parseNotebook(readFileSync(path, "utf8"))?.cells.map(({ id }) => id)
  const first = await edit(t, { edit_mode: "insert", new_source: "import os" })
  const id = ids()?.[0]
  expect(id).toMatch(/^[\w-]{1,64}$/)
  expect(first.content).toBe(
    `Inserted a code cell as cell 0 (id ${String(id)}) in ${path}. The cells after it count one higher now.`,
  )
  await edit(t, { edit_mode: "insert", cell_id: "calc", new_source: "*text*", cell_type: "markdown" })
  expect(ids()).toEqual([id, "intro", "calc", expect.any(String), "rest"])
  expect(readFileSync(path, "utf8")).toStartWith(
    `{\n "cells": [\n  {\n   "cell_type": "code",\n   "execution_count": null,\n   "id": "${String(id)}",\n   "metadata": {},\n   "outputs": [],\n   "source": [\n    "import os"\n   ]\n  },\n  {\n   "cell_type": "markdown",\n   "id": "intro",`,
  )
  await opened(
    t,
    jupyter(
      cells.map(({ id: _, ...cell }) => cell),
      { ...rest, nbformat_minor: 4 },
    ),
  )
  await edit(t, { edit_mode: "insert", cell_number: 2, new_source: "last" })
  expect(parseNotebook(readFileSync(path, "utf8"))?.cells[3]).toEqual({
    cell_type: "code",
    execution_count: null,
    metadata: {},
    outputs: [],
    source: ["last"],
  })
  await opened(t, jupyter([]))
  await edit(t, { edit_mode: "insert", new_source: "" })
  expect(parseNotebook(readFileSync(path, "utf8"))?.cells).toMatchObject([{ cell_type: "code", source: [] }])
})

test("cells are deleted, the last one too", async () => {
  await using t = openTools()
  const path = await opened(t)
  const deleted = await edit(t, { edit_mode: "delete", cell_number: 1 })
  expect(deleted.content).toBe(`Deleted cell 1 (id calc) from ${path}. The cells after it count one lower now.`)
  expect(readFileSync(path, "utf8")).toBe(jupyter(cells.toSpliced(1, 1)))
  await edit(t, { edit_mode: "delete", cell_id: "rest" })
  await edit(t, { edit_mode: "delete", cell_id: "intro" })
  expect(readFileSync(path, "utf8")).toBe(jupyter([]))
})

test("what cannot be done is said with what is there", async () => {
  await using t = openTools()
  const say = async (input: JsonObject) => String((await edit(t, input)).content)
  t.put("n.ipynb", jupyter())
  expect(await say({ cell_id: "calc", new_source: "x" })).toContain("was not read in this conversation")
  await opened(t)
  const list = "The cells are: 0 (id intro, markdown), 1 (id calc, code), 2 (id rest, raw)."
  expect(await say({ cell_id: "nix", new_source: "x" })).toBe(`There is no cell "nix". ${list}`)
  expect(await say({ cell_number: 3, new_source: "x" })).toBe(`There is no cell 3. ${list}`)
  expect(await say({ new_source: "x" })).toBe(`Name the cell to replace with cell_id or cell_number. ${list}`)
  expect(await say({ edit_mode: "delete" })).toContain("Name the cell to delete")
  expect(await say({ cell_id: "calc" })).toContain("new_source is missing")
  expect(await say({ cell_id: "calc", cell_number: 0, new_source: "x" })).toContain("calc is cell 1. Give one of them.")
  expect(await say({ cell_id: "rest", new_source: "one string" })).toContain("has that source already")
  writeFileSync(t.path("n.ipynb"), jupyter(cells.slice(1)))
  expect(await say({ cell_id: "calc", new_source: "x" })).toContain("changed on disk")
  t.put("n.ipynb", "{}")
  await t.call("Read", { file_path: "n.ipynb" })
  expect(await say({ cell_id: "calc", new_source: "x" })).toContain("is not a notebook")
  t.put("n.ipynb", jupyter([], { nbformat: 3 }))
  await t.call("Read", { file_path: "n.ipynb" })
  expect(await say({ edit_mode: "insert", new_source: "x" })).toContain("format 3")
  expect(await t.say("NotebookEdit", { notebook_path: "no.ipynb", new_source: "x" })).toContain("does not exist")
})

test("layout, key order and every byte outside the cell stay, whatever the file looks like", () => {
  const source = fc.constantFrom("", "a", "a\nb", "a\nb\n", '"quoted" \\ back', "é\u2028 ☃")
  const cell = fc.record({
    source: fc.oneof(
      source,
      source.map((text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? []),
    ),
    metadata: fc.constantFrom({}, { deep: [1.5, { x: null }] }),
    cell_type: fc.constantFrom("markdown", "raw"),
    id: fc.uuid(),
  })
  const layouts: readonly ((value: JsonObject) => string)[] = [
    (value) => JSON.stringify(value),
    (value) => `${JSON.stringify(value, null, 1)}\n`,
    (value) => JSON.stringify(value, null, 4),
    (value) => JSON.stringify(value, null, "\t").replaceAll("\n", "\r\n"),
    (value) => `\n ${JSON.stringify(value, null, 2)}`.replaceAll('":', '" :'),
  ]
  const layout = fc.constantFrom(...layouts)
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), layout, fc.nat(), source, (list, print, pick, text) => {
      const before = print({ metadata: { z: 1 }, cells: list, nbformat: 4, nbformat_minor: 5 })
      const at = pick % list.length
      const change = (one: string, what: CellChange): string => changeCell(one, parseNotebook(one)?.cells ?? [], what)
      const cellsIn = (one: string) => parseNotebook(one)?.cells

      const inserted = change(before, { kind: "insert", after: at, cell: { type: "code", source: text, id: "new" } })
      expect(cellsIn(inserted)?.length).toBe(list.length + 1)
      expect(cellsIn(inserted)?.[at + 1]).toMatchObject({ id: "new", outputs: [], execution_count: null })
      expect(change(inserted, { kind: "delete", at: at + 1 })).toBe(before)

      const first = change(before, { kind: "insert", after: -1, cell: { type: "raw", source: text } })
      expect(change(first, { kind: "delete", at: 0 })).toBe(before)

      const old = cellsIn(before)?.[at] ?? {}
      const type = old.cell_type === "raw" ? "raw" : "markdown"
      const replaced = change(before, { kind: "replace", at, cell: { type, source: `${text}!` } })
      expect(Object.keys(cellsIn(replaced)?.[at] ?? {})).toEqual(Object.keys(old))
      const oldSource = Array.isArray(old.source) ? old.source.join("") : String(old.source)
      const back = change(replaced, { kind: "replace", at, cell: { type, source: oldSource } })
      expect(JSON.parse(back)).toEqual(JSON.parse(before))
      const deleted = change(before, { kind: "delete", at })
      expect(cellsIn(deleted)).toEqual(cellsIn(before)?.toSpliced(at, 1) ?? [])
      expect(deleted.slice(-20)).toBe(before.slice(-20))
    }),
    { numRuns: 200 },
  )
})
