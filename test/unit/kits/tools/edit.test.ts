import { expect, test } from "bun:test"
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import { encode } from "#ground/workspace/text.ts"
import { openTools, type TestTools } from "./open-tools.ts"

async function edited(t: TestTools, bytes: Buffer, old_string: string, new_string: string): Promise<Buffer> {
  const path = t.put("file", bytes)
  await t.call("Read", { file_path: "file" })
  const outcome = await t.call("Edit", { file_path: "file", old_string, new_string })
  if (outcome.isError) throw new Error(String(outcome.content))
  return readFileSync(path)
}

test("an edit shows the region with line numbers and tells programs all about it", async () => {
  await using t = openTools()
  t.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")
  await t.call("Read", { file_path: "a.txt" })
  const outcome = await t.call("Edit", { file_path: "a.txt", old_string: "6\n", new_string: "six\nand a half\n" })
  expect(outcome).toEqual({
    isError: false,
    content: `Edited ${t.path("a.txt")}.\n 3\t3\n 4\t4\n 5\t5\n 6\tsix\n 7\tand a half\n 8\t7\n 9\t8\n10\t9`,
    display: { kind: "diff", path: t.path("a.txt"), created: false, hunks: expect.any(Array) },
    data: {
      filePath: t.path("a.txt"),
      oldString: "6\n",
      newString: "six\nand a half\n",
      originalFile: "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n",
      structuredPatch: [
        {
          oldStart: 3,
          oldLines: 7,
          newStart: 3,
          newLines: 8,
          lines: [" 3", " 4", " 5", "-6", "+six", "+and a half", " 7", " 8", " 9"],
        },
      ],
      userModified: false,
      replaceAll: false,
    },
  })
})

test("bytes outside the edit stay, in every encoding and with every line end", async () => {
  await using t = openTools()
  const texts = ["one\ntwo\nthree\n", "one\r\ntwo\r\nthree", "one\r\ntwo\nthree\r\n", "one\ntwo\nthrée"]
  const shapes = [
    { encoding: "utf8", bom: false },
    { encoding: "utf8", bom: true },
    { encoding: "utf16le", bom: true },
    { encoding: "utf16be", bom: true },
    { encoding: "utf16le", bom: false },
    { encoding: "latin1", bom: false },
  ] as const
  for (const text of texts)
    for (const shape of shapes) {
      const bytes = (value: string) => {
        const encoded = encode(value, shape)
        if (!encoded.ok) throw new Error("not encodable")
        return encoded.value
      }
      expect(await edited(t, bytes(text), "two", "2")).toEqual(bytes(text.replace("two", "2")))
      expect(await edited(t, bytes(text), "one\ntwo", "1\n2")).toEqual(
        bytes(text.replace("one", "1").replace("two", "2")),
      )
    }
})

test("an edit and its reverse restore the file", async () => {
  await using t = openTools()
  const line = fc.constantFrom("alpha", "beta", "“é”", "  x", "")
  const ending = fc.constantFrom("\n", "\r\n")
  const shape = fc.constantFrom({ encoding: "utf8", bom: true } as const, { encoding: "utf16be", bom: true } as const)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(line, ending), { maxLength: 6 }), shape, async (lines, form) => {
      const text = `${lines.map((pair) => pair.join("")).join("")}MARK${lines.map((pair) => pair.join("")).join("")}`
      const bytes = encode(text, form)
      if (!bytes.ok) throw new Error("not encodable")
      const there = await edited(t, bytes.value, "MARK", "Other\nmark")
      expect(await edited(t, there, "Other\nmark", "MARK")).toEqual(bytes.value)
    }),
    { numRuns: 30 },
  )
})

test("mode and links stay, read-only files are left alone", async () => {
  await using t = openTools()
  chmodSync(t.put("run.sh", "echo a\n"), 0o755)
  symlinkSync("run.sh", t.path("link"))
  chmodSync(t.put("locked", "a"), 0o444)
  for (const file_path of ["link", "locked"]) await t.call("Read", { file_path })
  const edit = (file_path: string) => t.call("Edit", { file_path, old_string: "a", new_string: "b" })
  expect(await edit("link")).toMatchObject({ isError: false })
  expect(lstatSync(t.path("link")).isSymbolicLink()).toBe(true)
  expect(readFileSync(t.path("run.sh"), "utf8")).toBe("echo b\n")
  expect(statSync(t.path("run.sh")).mode & 0o777).toBe(0o755)
  expect(await edit("locked")).toMatchObject({ isError: true, content: expect.stringContaining("read-only") })
})

test("files must be read first and be fresh", async () => {
  await using t = openTools()
  const path = t.put("a", "one")
  const edit = (old_string: string) => t.say("Edit", { file_path: "a", old_string, new_string: "x" })
  expect(await edit("one")).toContain("was not read in this conversation. Read it first")
  await t.call("Read", { file_path: "a" })
  writeFileSync(path, "two")
  expect(await edit("one")).toContain("changed on disk after it was read")
  await t.call("Read", { file_path: "a" })
  expect(await edit("two")).toContain("Edited")
  expect(await edit("x")).toContain("are the same")
  // Our own edits are known; what follows needs no new read.
  expect(await t.say("Edit", { file_path: "a", old_string: "x", new_string: "y" })).toContain("Edited")
  expect(await t.say("Read", { file_path: "a" })).toBe("1\ty")
})

test("what does not match is answered with what is there", async () => {
  await using t = openTools()
  t.put("a.ts", "function add(a, b) {\n    return a + b\n}\nx = 1\nx = 1\n")
  await t.call("Read", { file_path: "a.ts" })
  const edit = (old_string: string, new_string = "new") => t.say("Edit", { file_path: "a.ts", old_string, new_string })
  expect(await edit("function add(a,b) {\n  return a+b\n}")).toBe(
    `old_string is not in ${t.path("a.ts")}. The closest passage is:\n1\tfunction add(a, b) {\n2\t    return a + b\n3\t}\nCopy the text exactly as it is there, without the line numbers.`,
  )
  expect(await edit("x = 1")).toBe(
    `old_string occurs 2 times in ${t.path("a.ts")} (lines 4, 5). Give more of its surroundings, or set replace_all to change them all.`,
  )
  expect(await edit("zzz qqq")).toContain("nor is anything like it")
  expect(await edit("return a * b", "return a + b")).toContain("seems to be made already")
  expect(await edit("x", "x")).toContain("are the same")
})

test("all occurrences", async () => {
  await using t = openTools()
  t.put("a", "x y x y x y x")
  await t.call("Read", { file_path: "a" })
  expect(await t.say("Edit", { file_path: "a", old_string: "x", new_string: "zz", replace_all: "true" })).toContain(
    "in 4 places",
  )
  expect(readFileSync(t.path("a"), "utf8")).toBe("zz y zz y zz y zz")
})

test("an empty old_string makes a file or fills an empty one, and nothing else", async () => {
  await using t = openTools()
  t.put("empty", "")
  t.put("full", "x")
  const edit = (file_path: string) => t.call("Edit", { file_path, old_string: "", new_string: "made\n" })
  expect(await edit("new/file")).toMatchObject({ isError: false, content: `Created ${t.path("new/file")}.\n1\tmade` })
  expect(await edit("empty")).toMatchObject({ isError: false })
  await t.call("Read", { file_path: "full" })
  expect(await edit("full")).toMatchObject({ isError: true, content: expect.stringContaining("is not empty") })
  expect(await t.say("Edit", { file_path: "ful", old_string: "a", new_string: "b" })).toContain(
    `Did you mean ${t.path("full")}?`,
  )
})

test("quotes and blanks are forgiven, and it is said", async () => {
  await using t = openTools()
  t.put("a", "say “hello”  \nnow\n")
  await t.call("Read", { file_path: "a" })
  const said = await t.say("Edit", { file_path: "a", old_string: 'say "hello"\nnow', new_string: 'say "hello"\nlater' })
  expect(said).toContain("differed only in quotes or spaces")
  expect(readFileSync(t.path("a"), "utf8")).toBe("say “hello”  \nlater\n")
})

test("a character the file's encoding lacks is named, and the file stays", async () => {
  await using t = openTools()
  const bytes = Buffer.from("caf\xe9\n", "latin1")
  const path = t.put("menu", bytes)
  await t.call("Read", { file_path: "menu" })
  expect(await t.say("Edit", { file_path: "menu", old_string: "café", new_string: "5 €" })).toContain(
    'Latin-1, which has no "€"',
  )
  expect(readFileSync(path)).toEqual(bytes)
})

test("nothing of a file that was not read is shown, whatever is asked", async () => {
  await using t = openTools()
  t.put("secret", "password=hunter2")
  const said = await t.say("Edit", { file_path: "secret", old_string: "password=", new_string: "x" })
  expect(said).not.toContain("hunter2")
})
