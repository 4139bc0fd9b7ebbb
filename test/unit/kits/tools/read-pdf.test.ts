import { expect, test } from "bun:test"
import { makePdf } from "./make-pdf.ts"
import { openTools } from "./open-tools.ts"

const pages = (count: number): string[] => Array.from({ length: count }, (_, i) => `This is page ${i + 1}`)

test("a short PDF comes as the document it is, a long one asks for pages", async () => {
  await using t = openTools()
  const bytes = makePdf({ pages: pages(10) })
  t.put("short.pdf", bytes)
  t.put("long.pdf", makePdf({ pages: pages(11) }))
  const outcome = await t.call("Read", { file_path: "short.pdf" })
  expect(outcome).toMatchObject({
    isError: false,
    display: { kind: "text", text: "PDF, 10 pages" },
    data: { type: "pdf", file: { filePath: t.path("short.pdf"), originalSize: bytes.length, totalPages: 10 } },
  })
  expect(outcome.content).toEqual([
    {
      type: "document",
      title: "short.pdf",
      source: { type: "base64", media_type: "application/pdf", data: bytes.toString("base64") },
    },
  ])
  expect(await t.call("Read", { file_path: "long.pdf" })).toMatchObject({
    isError: true,
    content: `${t.path("long.pdf")} has 11 pages; up to 10 are shown whole. Name those you need with pages, such as "1-10"; 20 at most a call.`,
  })
})

test("pages come as text, one or a range, twenty at most", async () => {
  await using t = openTools()
  t.put("a.pdf", makePdf({ pages: [...pages(24), undefined] }))
  const read = (wanted: string) => t.say("Read", { file_path: "a.pdf", pages: wanted })
  expect(await read("3")).toBe("[page 3 of 25]\nThis is page 3")
  expect(await read("4")).toBe("[page 4 of 25]\nThis is page 4")
  expect(await read(" 1 - 2 ")).toBe("[page 1 of 25]\nThis is page 1\n\n[page 2 of 25]\nThis is page 2")
  expect(await read("24-99")).toBe(
    "[page 24 of 25]\nThis is page 24\n\n[page 25 of 25]\n(no text on this page; it may be an image)",
  )
  expect((await read("1-20")).match(/This is page/g)?.length).toBe(20)
  expect(await read("1-21")).toContain("21 pages are too many at once. Ask for 20 at most.")
  expect(await read("26")).toContain("there is no page 26; it has 25")
  for (const wrong of ["0", "5-3", "all", "1,2", "", "-3"])
    expect(await read(wrong)).toContain('pages must be a page or a range, such as "3" or "1-5"')
  const outcome = await t.call("Read", { file_path: "a.pdf", pages: "2-3" })
  expect(outcome.data).toMatchObject({ file: { firstPage: 2, lastPage: 3, totalPages: 25 } })
  t.put("a.txt", "x")
  expect(await t.say("Read", { file_path: "a.txt", pages: "1" })).toContain("has no pages")
})

test("pages too long to show together say so", async () => {
  await using t = openTools()
  t.put("wordy.pdf", makePdf({ pages: [1, 2, 3].map((n) => `${n}${`\n${"word ".repeat(16).trim()}`.repeat(590)}`) }))
  expect(await t.say("Read", { file_path: "wordy.pdf", pages: "1-3" })).toMatch(
    /Pages 1 to 3 .* too long.*Ask for fewer pages\.$/,
  )
  expect(await t.say("Read", { file_path: "wordy.pdf", pages: "1-2" })).toStartWith("[page 1 of 3]\n1\nword word")
})

test("encrypted, broken and false PDF files are told apart", async () => {
  await using t = openTools()
  const whole = makePdf({ pages: pages(2) })
  t.put("locked.pdf", makePdf({ pages: pages(2), encryption: "locked" }))
  t.put("open.pdf", makePdf({ pages: pages(2), encryption: "open" }))
  t.put("broken.pdf", whole.subarray(0, 60))
  t.put("false.pdf", "just text")
  for (const more of [{}, { pages: "1" }]) {
    const say = (file_path: string) => t.say("Read", { file_path, ...more })
    expect(await say("locked.pdf")).toContain("opens only with a password. Ask the user")
    expect(await say("broken.pdf")).toContain("is damaged and cannot be opened as PDF")
  }
  // Encrypted, but not against reading: its text can be shown, while a provider might refuse the file.
  expect(await t.say("Read", { file_path: "open.pdf" })).toBe(
    "[page 1 of 2]\nThis is page 1\n\n[page 2 of 2]\nThis is page 2",
  )
  expect(await t.say("Read", { file_path: "false.pdf" })).toBe("1\tjust text")
})

test("an interrupted read of pages ends", async () => {
  await using t = openTools()
  t.put("a.pdf", makePdf({ pages: pages(20) }))
  const outcome = await t.call("Read", { file_path: "a.pdf", pages: "1-20" }, AbortSignal.abort())
  expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining("Interrupted") })
})
