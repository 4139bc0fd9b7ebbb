import { expect, test } from "bun:test"
import { mkdirSync, renameSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs"
import { systemClock } from "#lib/clock.ts"
import { openTools } from "./open-tools.ts"

test("lines are numbered, right-aligned, with a tab", async () => {
  await using t = openTools()
  t.put("a.txt", "one\ntwo\n")
  const outcome = await t.call("Read", { file_path: "a.txt" })
  expect(outcome.content).toBe("1\tone\n2\ttwo")
  expect(outcome.data).toEqual({
    type: "text",
    file: { filePath: t.path("a.txt"), content: "one\ntwo", numLines: 2, startLine: 1, totalLines: 2 },
  })
  t.put("ten.txt", "x\n".repeat(10))
  expect(await t.say("Read", { file_path: "ten.txt" })).toStartWith(" 1\tx\n 2\tx")
})

test("relative paths, home and links lead to the file", async () => {
  await using t = openTools()
  t.put("a.txt", "text")
  symlinkSync("a.txt", t.path("link"))
  for (const file_path of ["a.txt", t.path("a.txt"), "~/project/a.txt", "link", "./x/../a.txt"]) {
    t.workspace.stamps.forgetShown()
    expect(await t.say("Read", { file_path })).toBe("1\ttext")
  }
})

/** Each puts a secret where the call, which is judged already, would read. */
const redirections: readonly (readonly [string, (path: (name: string) => string) => void])[] = [
  [
    "the file became a link",
    (path) => {
      unlinkSync(path("folder/a.txt"))
      symlinkSync("../secret/a.txt", path("folder/a.txt"))
    },
  ],
  [
    "its folder became a link",
    (path) => {
      renameSync(path("folder"), path("moved"))
      symlinkSync("secret", path("folder"))
    },
  ],
]

test.each(redirections)("nothing is read if %s after the call was judged", async (_what, redirect) => {
  for (const isKnown of [false, true]) {
    await using t = openTools({ clock: { ...systemClock, now: () => systemClock.now() + 60_000 } })
    t.put("folder/a.txt", "text")
    t.put("secret/a.txt", "none of your business")
    if (isKnown) await t.say("Read", { file_path: "folder/a.txt" })
    const outcome = await t.call("Read", { file_path: "folder/a.txt" }, undefined, () => redirect(t.path))
    expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining("leads somewhere else") })
  }
})

test("a link that leads elsewhere after the call was judged is noticed, though its old target is still there", async () => {
  await using t = openTools()
  t.put("a.txt", "old")
  t.put("b.txt", "new")
  symlinkSync("a.txt", t.path("link"))
  const outcome = await t.call("Read", { file_path: "link" }, undefined, () => {
    unlinkSync(t.path("link"))
    symlinkSync("b.txt", t.path("link"))
  })
  expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining("leads somewhere else") })
})

test("a range, and how to go on", async () => {
  await using t = openTools()
  t.put("a.txt", Array.from({ length: 2500 }, (_, i) => `l${i + 1}`).join("\n"))
  const whole = await t.say("Read", { file_path: "a.txt" })
  expect(whole).toEndWith("2000\tl2000\n\n[Lines 1 to 2000 of 2500. Continue with offset 2001.]")
  expect(await t.say("Read", { file_path: "a.txt", offset: 2001 })).toEndWith("2500\tl2500")
  expect(await t.say("Read", { file_path: "a.txt", offset: "7", limit: 2 })).toBe(
    "7\tl7\n8\tl8\n\n[Lines 7 to 8 of 2500. Continue with offset 9.]",
  )
  expect(await t.call("Read", { file_path: "a.txt", offset: 3000 })).toMatchObject({
    isError: true,
    content: expect.stringContaining("has only 2500 lines"),
  })
})

test("long lines are cut and long files refused with the way out", async () => {
  await using t = openTools()
  t.put("long.txt", `${"x".repeat(3000)}\nshort`)
  expect(await t.say("Read", { file_path: "long.txt" })).toBe(
    `1\t${"x".repeat(2000)}… [line cut at 2000 characters]\n2\tshort`,
  )
  t.put("wide.txt", `${"y".repeat(1000)}\n`.repeat(200))
  const outcome = await t.call("Read", { file_path: "wide.txt" })
  expect(outcome).toMatchObject({
    isError: true,
    content: expect.stringMatching(/limit is 25000.*200 lines.*offset and limit/s),
  })
  expect(await t.call("Read", { file_path: "wide.txt", limit: 50 })).toMatchObject({ isError: false })
})

test("a negative offset counts from the end", async () => {
  await using t = openTools()
  t.put("a.txt", "one\ntwo\nthree\nfour\n")
  expect(await t.say("Read", { file_path: "a.txt", offset: -2 })).toBe("3\tthree\n4\tfour")
  expect(await t.say("Read", { file_path: "a.txt", offset: -3, limit: 1 })).toBe(
    "2\ttwo\n\n[Lines 2 to 2 of 4. Continue with offset 3.]",
  )
  expect(await t.say("Read", { file_path: "a.txt", offset: -9 })).toBe("1\tone\n2\ttwo\n3\tthree\n4\tfour")
  t.put("huge.txt", Array.from({ length: 1_500_000 }, (_, i) => `line ${i + 1}`).join("\n"))
  expect(await t.say("Read", { file_path: "huge.txt", offset: -2 })).toBe(
    "1499999\tline 1499999\n1500000\tline 1500000",
  )
  const cell = { cell_type: "code", source: "1 + 1", metadata: {}, outputs: [], execution_count: null }
  t.put(
    "n.ipynb",
    JSON.stringify({ cells: [cell, { ...cell, source: "last" }], metadata: {}, nbformat: 4, nbformat_minor: 5 }),
  )
  const notebook = await t.say("Read", { file_path: "n.ipynb" })
  expect(await t.say("Read", { file_path: "n.ipynb", offset: -2 })).toBe(notebook.split("\n").slice(-2).join("\n"))
})

test("huge files are read by pages", async () => {
  await using t = openTools()
  t.put("huge.txt", `${"z".repeat(99)}\n`.repeat(150_000))
  const outcome = await t.call("Read", { file_path: "huge.txt", offset: 149_999, limit: 5 })
  expect(outcome.content).toBe(`149999\t${"z".repeat(99)}\n150000\t${"z".repeat(99)}`)
})

test("encodings and line ends are read through", async () => {
  await using t = openTools()
  t.put("crlf", "a\r\nb\r\n")
  t.put("bom", "\ufeffa\nb")
  t.put("le", Buffer.from("\ufeffa\r\né", "utf16le"))
  t.put("be", Buffer.from("\ufeffa\né", "utf16le").swap16())
  expect(await t.say("Read", { file_path: "crlf" })).toBe("1\ta\n2\tb")
  expect(await t.say("Read", { file_path: "bom" })).toBe("1\ta\n2\tb")
  expect(await t.say("Read", { file_path: "le" })).toBe("1\ta\n2\té")
  expect(await t.say("Read", { file_path: "be" })).toBe("1\ta\n2\té")
})

test("the same lines of an unchanged file are not shown twice", async () => {
  await using t = openTools()
  const path = t.put("a.txt", "one\ntwo")
  utimesSync(path, 1, 1)
  const first = await t.say("Read", { file_path: "a.txt" })
  expect(await t.say("Read", { file_path: path })).toContain("unchanged since your last read")
  expect(await t.say("Read", { file_path: "a.txt", offset: 2 })).toBe("2\ttwo")
  expect(await t.say("Read", { file_path: "a.txt" })).toBe(first)
  // Same size, same time of modification: only the content tells.
  writeFileSync(path, "one\nsix")
  utimesSync(path, 1, 1)
  expect(await t.say("Read", { file_path: "a.txt" })).toBe("1\tone\n2\tsix")
  t.workspace.stamps.forgetShown()
  expect(await t.say("Read", { file_path: "a.txt" })).toBe("1\tone\n2\tsix")
})

test("what cannot be read is refused with what to do", async () => {
  await using t = openTools()
  t.put("empty", "")
  t.put("program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1]))
  t.put("application.ts", "")
  mkdirSync(t.path("folder"))
  Bun.spawnSync(["mkfifo", t.path("fifo")])
  const say = (file_path: string) => t.say("Read", { file_path })
  expect(await say("empty")).toBe(`${t.path("empty")} exists and is empty.`)
  expect(await say("program")).toContain("is a binary file")
  expect(await say("aplication.ts")).toBe(
    `${t.path("aplication.ts")} does not exist. Did you mean ${t.path("application.ts")}?`,
  )
  expect(await say("folder")).toContain("is a folder")
  expect(await say("fifo")).toContain("is a pipe")
  expect(await say("/dev/null")).toContain("is a device")
  expect(await say("/dev/stdin")).not.toStartWith("1\t")
  expect(await say("a\0b")).toContain("NUL byte")
  expect(await say("")).toContain("empty")
  expect(await t.say("Read", { file_path: "empty", ofset: 3 })).toBe("Unknown field `ofset`; did you mean `offset`?")
})

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)

test("images come as images, small enough for the API", async () => {
  await using t = openTools()
  t.put("dot.png", png)
  const outcome = await t.call("Read", { file_path: "dot.png" })
  expect(outcome.content).toEqual([
    { type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } },
  ])
  expect(outcome.display).toEqual({ kind: "image", mediaType: "image/png", bytes: png.length, path: t.path("dot.png") })

  t.put("large.png", await new Bun.Image(png).resize(3000, 1500).png().bytes())
  const large = await t.call("Read", { file_path: "large.png" })
  const [block] = typeof large.content === "string" ? [] : large.content
  if (block?.type !== "image" || block.source.type !== "base64") throw new Error("no image")
  const size = await new Bun.Image(Buffer.from(block.source.data, "base64")).metadata()
  expect(size).toMatchObject({ width: 1568, height: 784, format: "png" })
})

test("an image that is none is shown as the text it is, a broken one is refused", async () => {
  await using t = openTools()
  t.put("pointer.png", "version 1\noid sha256:1234\n")
  t.put("broken.png", png.subarray(0, 20))
  expect(await t.say("Read", { file_path: "pointer.png" })).toStartWith("1\tversion 1")
  expect(await t.call("Read", { file_path: "broken.png" })).toMatchObject({ isError: true })
})

test("notebooks come as cells with their outputs", async () => {
  await using t = openTools()
  const cells = [
    { cell_type: "markdown", id: "m1", source: ["# Title\n", "text"] },
    {
      cell_type: "code",
      source: "print(1)",
      outputs: [
        { output_type: "stream", text: ["1\n"] },
        { output_type: "display_data", data: { "text/plain": "<plot>", "image/png": "aaaa" } },
        { output_type: "error", ename: "E", evalue: "v", traceback: ["\u001b[31mE: v\u001b[0m"] },
      ],
    },
  ]
  t.put("n.ipynb", JSON.stringify({ cells, nbformat: 4 }))
  expect(await t.say("Read", { file_path: "n.ipynb" })).toBe(
    "[cell 0 id m1: markdown]\n# Title\ntext\n\n[cell 1: code]\nprint(1)\n[output]\n1\n[output]\n<plot>\n(also as image/png)\n[output]\nE: v",
  )
  t.put("not.ipynb", "plain")
  expect(await t.say("Read", { file_path: "not.ipynb" })).toBe("1\tplain")
})
