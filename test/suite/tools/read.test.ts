/** Read: text by lines, and images, PDF documents and notebooks as what they are. */

import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, use } from "../../kit/script.ts"
import { makePdf } from "../../unit/kits/tools/make-pdf.ts"
import { displays, given, play } from "./played.ts"

test("text comes with line numbers, a range when one is asked for, and only once while it is unchanged", async () => {
  const lines = Array.from({ length: 12 }, (_, i) => `line ${i + 1}`)
  const range = { file_path: "long.txt", offset: 9, limit: 2 }
  await using t = await openTestSession({
    files: { "long.txt": `${lines.join("\n")}\n`, "short.txt": "only\n", "empty.txt": "" },
    script: [
      calls(use("Read", range)),
      calls(use("Read", range), read("short.txt")),
      calls(read("empty.txt"), use("Read", { file_path: "short.txt", offset: 5 }), read("lung.txt")),
      says("Read."),
    ],
  })
  await play(t)
  expect(given(t)).toEqual([
    [" 9\tline 9\n10\tline 10\n\n[Lines 9 to 10 of 12. Continue with offset 11.]"],
    ["/p/long.txt is unchanged since your last read of these lines; what you were shown then still holds.", "1\tonly"],
    [
      "/p/empty.txt exists and is empty.",
      { error: "/p/short.txt has only 1 line; there is nothing from line 5 on. Use a smaller offset." },
      { error: "/p/lung.txt does not exist. Did you mean /p/long.txt?" },
    ],
  ])
  expect(displays(t)).toEqual([
    { kind: "text", text: "2 lines" },
    { kind: "text", text: "unchanged" },
    { kind: "text", text: "1 line" },
    { kind: "text", text: "empty" },
    undefined,
    { kind: "text", text: "File not found" },
  ])
  expect(t.results()[0]?.data).toEqual({
    type: "text",
    file: { filePath: t.path("long.txt"), content: "line 9\nline 10", numLines: 2, startLine: 9, totalLines: 12 },
  })
  // Reading asks nobody and changes nothing, so there is no intent.
  expect(t.story().slice(0, 5)).toEqual([
    "turn_start",
    "prompt go",
    "reply calls Read",
    "decision allow Read by read_only",
    "result  9\tline 9\n10\tline 10\n\n[Lines 9 to 10 of 12. Continue with offset 11.]",
  ])
})

test("an image comes as an image of the kind it is, made smaller when it is too large", async () => {
  const small = await new Bun.Image(dot).resize(4, 4).png().bytes()
  const large = await new Bun.Image(dot).resize(2000, 10).png().bytes()
  await using t = await openTestSession({ script: [calls(read("small.jpg"), read("large.png")), says("Seen.")] })
  // The name says something else; the bytes count.
  writeFileSync(t.path("small.jpg"), small)
  writeFileSync(t.path("large.png"), large)
  await play(t)
  const image = (data: unknown) => ({
    blocks: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }],
  })
  expect(given(t)).toEqual([[image(Buffer.from(small).toString("base64")), image(expect.any(String))]])
  const [, shown] = t.results()
  const [block] = (shown?.content ?? []) as readonly { readonly source: { readonly data: string } }[]
  const { width } = await new Bun.Image(Buffer.from(block?.source.data ?? "", "base64")).metadata()
  expect(width).toBe(1568)
  expect(displays(t)).toEqual([
    { kind: "image", mediaType: "image/png", bytes: small.length, path: "/p/small.jpg" },
    { kind: "image", mediaType: "image/png", bytes: large.length, path: "/p/large.png" },
  ])
})

test("a short PDF comes as a document, pages of it as text, and a long one needs pages", async () => {
  await using t = await openTestSession({
    script: [
      calls(read("short.pdf")),
      calls(use("Read", { file_path: "short.pdf", pages: "2" })),
      calls(read("long.pdf"), use("Read", { file_path: "long.pdf", pages: "10-11" })),
      says("Seen."),
    ],
  })
  writeFileSync(t.path("short.pdf"), makePdf({ pages: ["First page", "Second page"] }))
  writeFileSync(t.path("long.pdf"), makePdf({ pages: Array.from({ length: 11 }, (_, i) => `Leaf ${i + 1}`) }))
  await play(t)
  const data = readFileSync(t.path("short.pdf")).toString("base64")
  const source = { type: "base64", media_type: "application/pdf", data }
  expect(given(t)).toEqual([
    [{ blocks: [{ type: "document", source, title: "short.pdf" }] }],
    ["[page 2 of 2]\nSecond page"],
    [
      {
        error:
          '/p/long.pdf has 11 pages; up to 10 are shown whole. Name those you need with pages, such as "1-10"; 20 at most a call.',
      },
      "[page 10 of 11]\nLeaf 10\n\n[page 11 of 11]\nLeaf 11",
    ],
  ])
  expect(displays(t)).toEqual([
    { kind: "text", text: "PDF, 2 pages" },
    { kind: "text", text: "PDF, page 2" },
    undefined,
    { kind: "text", text: "PDF, pages 10 to 11" },
  ])
})

test("a notebook comes as cells with what they printed", async () => {
  const cells = [
    { cell_type: "markdown", id: "intro", metadata: {}, source: ["# Title"] },
    {
      cell_type: "code",
      id: "sum",
      metadata: {},
      execution_count: 1,
      outputs: [{ output_type: "stream", name: "stdout", text: ["3\n"] }],
      source: ["print(1 + 2)"],
    },
  ]
  await using t = await openTestSession({
    files: { "a.ipynb": JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }) },
    script: [calls(read("a.ipynb")), says("Seen.")],
  })
  await play(t)
  expect(given(t)).toEqual([
    ["[cell 0 id intro: markdown]\n# Title\n\n[cell 1 id sum: code]\nprint(1 + 2)\n[output]\n3"],
  ])
  expect(displays(t)).toEqual([{ kind: "text", text: "2 cells" }])
})

/** One grey pixel. */
const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
  "base64",
)
