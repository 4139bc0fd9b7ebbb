import { expect, test } from "bun:test"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import type { Outcome } from "#agent/words/tool.ts"
import type { FileFailure } from "#ground/workspace/failure.ts"
import type { Files } from "#ground/workspace/files.ts"
import { encode } from "#ground/workspace/text.ts"
import { multiEditTool } from "#kits/tools/multi-edit.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed } from "#lib/result.ts"
import { openTools, type TestTools } from "./open-tools.ts"
import { runs } from "../../../kit/runs.ts"

const edit = (file_path: string, old_string: string, new_string: string, more: JsonObject = {}) => ({
  file_path,
  old_string,
  new_string,
  ...more,
})

async function putAndRead(t: TestTools, files: { readonly [name: string]: string | Uint8Array }): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    t.put(name, content)
    await t.call("Read", { file_path: name })
  }
}

const textIn = (t: TestTools, name: string): string => readFileSync(t.path(name), "utf8")

test("edits in several files, each on what the ones before it left", async () => {
  await using t = openTools()
  await putAndRead(t, { "a.ts": "one\ntwo\nthree\n", "b.ts": "x\n" })
  const outcome = await t.call("MultiEdit", {
    edits: [
      edit("a.ts", "one", "uno"),
      edit("b.ts", "x", "y"),
      edit("a.ts", "uno\ntwo", "1\n2"),
      edit("new/c.ts", "", "made\n"),
      edit("new/c.ts", "made", "remade"),
    ],
  })
  expect(outcome).toMatchObject({
    isError: false,
    content: `Made 5 edits in 3 files.\nEdited ${t.path("a.ts")}:\n1\t1\n2\t2\n3\tthree\nEdited ${t.path("b.ts")}:\n1\ty\nCreated ${t.path("new/c.ts")}:\n1\tremade`,
    display: {
      kind: "diffs",
      files: [
        { path: t.path("a.ts"), created: false, hunks: [{ lines: ["-one", "-two", "+1", "+2", " three"] }] },
        { path: t.path("b.ts"), created: false },
        { path: t.path("new/c.ts"), created: true },
      ],
    },
  })
  expect(outcome.data).toEqual({
    files: [
      {
        filePath: t.path("a.ts"),
        edits: [
          { oldString: "one", newString: "uno", replaceAll: false },
          { oldString: "uno\ntwo", newString: "1\n2", replaceAll: false },
        ],
        structuredPatch: expect.any(Array),
        originalFile: "one\ntwo\nthree\n",
        userModified: false,
      },
      expect.objectContaining({ filePath: t.path("b.ts"), originalFile: "x\n" }),
      expect.objectContaining({ filePath: t.path("new/c.ts"), originalFile: null }),
    ],
  })
  expect([textIn(t, "a.ts"), textIn(t, "b.ts"), textIn(t, "new/c.ts")]).toEqual(["1\n2\nthree\n", "y\n", "remade\n"])
  // Our own writes are known; what follows needs no new read.
  expect(await t.call("Edit", edit("b.ts", "y", "z"))).toMatchObject({ isError: false })
})

test("the form for one file, and replace_all", async () => {
  await using t = openTools()
  await putAndRead(t, { a: "x y x y" })
  const edits = [
    { old_string: "x", new_string: "z", replace_all: "true" },
    { old_string: "z y z", new_string: "done" },
  ]
  const outcome = await t.call("MultiEdit", { file_path: "a", edits })
  expect(outcome).toMatchObject({ isError: false, display: { kind: "diff", path: t.path("a") } })
  expect(textIn(t, "a")).toBe("done y")
})

test("one edit that cannot be made means that none is", async () => {
  await using t = openTools()
  await putAndRead(t, { a: "one\ntwo\n", b: "same same\n" })
  const say = (...edits: JsonObject[]) => t.say("MultiEdit", { edits })
  expect(await say(edit("a", "one", "1"), edit("b", "same", "other"))).toBe(
    `Edit 2 of 2 cannot be made, so none was. old_string occurs 2 times in ${t.path("b")} (lines 1, 1). Give more of its surroundings, or set replace_all to change them all.`,
  )
  const overtaken = await say(edit("a", "one\ntwo", "three"), edit("a", "two", "2"))
  expect(overtaken).toContain("Edit 2 of 2 cannot be made, so none was. old_string is not in")
  expect(overtaken).toEndWith("It was there before the edits above it: one of them changed that text.")
  expect(await say(edit("a", "one", "1"), edit("a", "zzz qqq", "2"))).not.toContain("It was there before")
  expect(await say(edit("a", "one", "one"))).toBe("old_string and new_string are the same, so nothing would change.")
  expect(await say(edit("a", "one", "1"), edit("a", "1", "one"))).toBe(
    "The edits undo each other: nothing would change.",
  )
  expect(await say({ old_string: "a", new_string: "b" })).toBe(
    "It names no file. Give file_path in it, or once beside edits.",
  )
  expect(await t.say("MultiEdit", { edits: [] })).toContain("needs at least one edit")
  expect([textIn(t, "a"), textIn(t, "b")]).toEqual(["one\ntwo\n", "same same\n"])
})

test("every file must have been read and be fresh; all that are not are named at once", async () => {
  await using t = openTools()
  await putAndRead(t, { known: "a", stale: "a" })
  t.put("secret", "password=hunter2")
  writeFileSync(t.path("stale"), "b")
  const edits = ["known", "secret", "stale", "missing"].map((name) => edit(name, "a", "c"))
  const said = await t.say("MultiEdit", { edits })
  expect(said.split("\n")).toEqual([
    expect.stringMatching(/secret exists but was not read/),
    expect.stringMatching(/stale changed on disk/),
    "What changed since:",
    "@@ -1,1 +1,1 @@",
    "-a",
    "+b",
  ])
  expect(said).not.toContain("hunter2")
  expect(await t.say("MultiEdit", { edits: [edit("known", "a", "c"), edit("missing", "a", "c")] })).toContain(
    `${t.path("missing")} does not exist.`,
  )
  expect(textIn(t, "known")).toBe("a")
})

test("the footprint names every path once, and each edit stays bound to its own", async () => {
  await using t = openTools()
  await putAndRead(t, { "a/f": "x", "b/f": "x" })
  symlinkSync("a", t.path("way"))
  const tool = multiEditTool(t.workspace)
  const parsed = tool.parse({ edits: [edit("way/f", "x", "y"), edit("b/f", "x", "y"), edit("b/f", "y", "z")] })
  if (!parsed.ok) throw new Error(parsed.message)
  expect(tool.footprint(parsed.value).writes).toEqual([t.path("way/f"), t.path("b/f")])
  expect(tool.title(parsed.value)).toBe("MultiEdit way/f and 1 more")
  Bun.spawnSync(["ln", "-sfn", "b", t.path("way")])
  const outcome = await tool.run(parsed.value, {
    callId: "c",
    signal: new AbortController().signal,
    progress: () => {},
  })
  expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining("leads somewhere else") })
  expect([textIn(t, "a/f"), textIn(t, "b/f")]).toEqual(["x", "x"])
})

test("a file of two names is edited once, its link and mode stay", async () => {
  await using t = openTools()
  await putAndRead(t, { "run.sh": "echo a b\n" })
  chmodSync(t.path("run.sh"), 0o755)
  symlinkSync("run.sh", t.path("link"))
  const outcome = await t.call("MultiEdit", { edits: [edit("link", "a", "A"), edit("run.sh", "A b", "A B")] })
  expect(outcome.content).toStartWith("Made 2 edits in 1 file.")
  expect(textIn(t, "run.sh")).toBe("echo A B\n")
  expect(lstatSync(t.path("link")).isSymbolicLink()).toBe(true)
  expect(statSync(t.path("run.sh")).mode & 0o777).toBe(0o755)
})

test("a read-only file or a character that cannot be encoded keeps all files as they were", async () => {
  await using t = openTools()
  await putAndRead(t, { a: "x", locked: "x", latin: Buffer.from("caf\xe9", "latin1") })
  chmodSync(t.path("locked"), 0o444)
  const say = (second: JsonObject) => t.say("MultiEdit", { edits: [edit("a", "x", "y"), second] })
  expect(await say(edit("locked", "x", "y"))).toMatch(/locked is marked read-only[^]*No file was changed\.$/)
  expect(await say(edit("latin", "café", "5 €"))).toContain('Latin-1, which has no "€"')
  expect(textIn(t, "a")).toBe("x")
})

test("quotes and blanks are forgiven, and it is said which", async () => {
  await using t = openTools()
  await putAndRead(t, { a: "say “hello”\nnow\n" })
  const said = await t.say("MultiEdit", {
    file_path: "a",
    edits: [
      { old_string: "now", new_string: "later" },
      { old_string: 'say "hello"', new_string: 'say "bye"' },
    ],
  })
  expect(said).toContain("The match differed only in quotes or spaces at line ends in: edit 2.")
  expect(textIn(t, "a")).toBe("say “bye”\nlater\n")
})

test("a long result shows the first files and names the others", async () => {
  await using t = openTools()
  const names = Array.from({ length: 40 }, (_, i) => `f${i}`)
  await putAndRead(t, Object.fromEntries(names.map((name) => [name, `${"w".repeat(600)}\nx\n`])))
  const said = await t.say("MultiEdit", { edits: names.map((name) => edit(name, "x", "y")) })
  expect(said.length).toBeLessThan(25_000)
  expect(said).toContain(`Edited ${t.path("f0")}:\n`)
  expect(said).toEndWith(`Edited ${t.path("f39")}.`)
})

test("a file of 50 MB is edited in many places at once", async () => {
  await using t = openTools()
  const line = `${"z".repeat(99)}\n`
  const body = line.repeat(500_000)
  t.put("huge", `first\n${body}last\n`)
  await t.call("Read", { file_path: "huge", limit: 5 })
  const outcome = await t.call("MultiEdit", {
    file_path: "huge",
    edits: [
      { old_string: "first\n", new_string: "FIRST\n" },
      { old_string: "last\n", new_string: "LAST\n" },
    ],
  })
  expect(outcome.isError).toBe(false)
  const after = readFileSync(t.path("huge"))
  expect(after.length).toBe(body.length + 11)
  expect([after.subarray(0, 6).toString(), after.subarray(-5).toString()]).toEqual(["FIRST\n", "LAST\n"])
})

test("edits and their reverse restore every byte", async () => {
  await using t = openTools()
  const line = fc.constantFrom("alpha", "beta", "“é”", "  x", "")
  const ending = fc.constantFrom("\n", "\r\n")
  const shape = fc.constantFrom(
    { encoding: "utf8", bom: false } as const,
    { encoding: "utf8", bom: true } as const,
    { encoding: "utf16le", bom: true } as const,
    { encoding: "utf16be", bom: true } as const,
  )
  const file = fc.tuple(fc.array(line, { maxLength: 5 }), ending, shape)
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), async (files) => {
      const originals = files.map(([lines, end, form]) => {
        const bytes = encode(["MARK-ONE", ...lines, "MARK-TWO", ...lines].join(end), form)
        if (!bytes.ok) throw new Error("not encodable")
        return bytes.value
      })
      await putAndRead(t, Object.fromEntries(originals.map((bytes, i) => [`f${i}`, bytes])))
      const there = originals.flatMap((_, i) => [
        edit(`f${i}`, "MARK-ONE", "First\nmark"),
        edit(`f${i}`, "MARK-TWO", "MARK-ONE"),
        edit(`f${i}`, "First", "Erste"),
      ])
      const back = there
        .toReversed()
        .map(({ file_path, old_string: to, new_string: from }) => edit(file_path, from, to))
      expect(await t.call("MultiEdit", { edits: there })).toMatchObject({ isError: false })
      originals.forEach((bytes, i) => expect(readFileSync(t.path(`f${i}`)).equals(bytes)).toBe(false))
      expect(await t.call("MultiEdit", { edits: back })).toMatchObject({ isError: false })
      originals.forEach((bytes, i) => expect(readFileSync(t.path(`f${i}`)).equals(bytes)).toBe(true))
    }),
    { ...runs(15) },
  )
})

interface Faults {
  /** Which stage, commit and plain write fail, counted from 1. */
  readonly stage?: (nth: number) => boolean
  readonly commit?: (nth: number) => boolean
  readonly write?: (nth: number) => boolean
  readonly beforeCommit?: (nth: number) => void
}

/** Files that fail where they are told to. */
function faulty(files: Files, faults: Faults): Files {
  const count = { stage: 0, commit: 0, write: 0 }
  const noSpace = (path: string) => failed<FileFailure>({ kind: "no_space", path })
  return {
    ...files,
    async stage(...write) {
      count.stage++
      if (faults.stage?.(count.stage)) return noSpace(write[0])
      const staged = await files.stage(...write)
      if (!staged.ok) return staged
      const commit: typeof staged.value.commit = () => {
        count.commit++
        faults.beforeCommit?.(count.commit)
        if (!faults.commit?.(count.commit)) return staged.value.commit()
        staged.value.drop()
        return noSpace(write[0])
      }
      return { ok: true, value: { ...staged.value, commit } }
    },
    async write(...write) {
      count.write++
      return faults.write?.(count.write) ? noSpace(write[0]) : files.write(...write)
    },
  }
}

/** All that is below a folder, with contents and modes. */
function snapshot(folder: string, under = ""): { readonly [path: string]: string } {
  const entries = readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
    const path = join(under, entry.name)
    const mode = (statSync(join(folder, path)).mode & 0o777).toString(8)
    if (entry.isDirectory()) return [[`${path}/`, mode], ...Object.entries(snapshot(folder, path))]
    return [[path, `${mode} ${readFileSync(join(folder, path)).toString("hex")}`]]
  })
  return Object.fromEntries(entries)
}

const mixed = {
  "a.txt": Buffer.from("\ufeffone\r\ntwo\nthree", "utf8"),
  "b.txt": Buffer.from("\ufeffone\r\n", "utf16le"),
  "c.txt": Buffer.from("one caf\xe9", "latin1"),
  empty: "",
}
const overAll = [
  edit("a.txt", "one", "1"),
  edit("new/deep/x", "", "made"),
  edit("b.txt", "one", "1"),
  edit("new/y", "", "made too"),
  edit("c.txt", "one", "1"),
  edit("empty", "", "filled"),
]

async function editFaulty(t: TestTools, faults: Faults, signal = new AbortController().signal): Promise<Outcome> {
  const tool = multiEditTool({ ...t.workspace, files: faulty(t.workspace.files, faults) })
  const parsed = tool.parse({ edits: overAll })
  if (!parsed.ok) throw new Error(parsed.message)
  tool.footprint(parsed.value)
  return tool.run(parsed.value, { callId: "c", signal, progress: () => {} })
}

test("whichever write fails, every file is as it was, and can be edited again without a new read", async () => {
  await using t = openTools()
  await putAndRead(t, mixed)
  chmodSync(t.path("a.txt"), 0o640)
  const before = snapshot(t.root)
  for (let n = 1; n <= overAll.length; n++) {
    const staged = await editFaulty(t, { stage: (nth) => nth === n })
    expect(staged).toMatchObject({
      isError: true,
      content: expect.stringMatching(/no space[^]*\nNo file was changed\.$/),
    })
    expect(snapshot(t.root)).toEqual(before)
    const committed = await editFaulty(t, { commit: (nth) => nth === n })
    expect(committed.isError).toBe(true)
    const named = String(committed.content).split("Put back as before: ")[1]?.split(", ") ?? []
    expect(named.length).toBe(n - 1)
    expect(snapshot(t.root)).toEqual(before)
  }
  expect(await editFaulty(t, {})).toMatchObject({ isError: false })
  expect(textIn(t, "new/deep/x")).toBe("made")
})

test("an interrupted call changes nothing, not even when it is interrupted between two files", async () => {
  await using t = openTools()
  await putAndRead(t, mixed)
  const before = snapshot(t.root)
  for (let n = 1; n <= overAll.length; n++) {
    const stop = new AbortController()
    const abortAt = (nth: number): boolean => {
      if (nth === n) stop.abort()
      return false
    }
    expect(await editFaulty(t, { stage: abortAt }, stop.signal)).toMatchObject({ isError: true })
    expect(snapshot(t.root)).toEqual(before)
  }
})

test("someone who changes a file in the middle wins, and the others are as they were", async () => {
  await using t = openTools()
  await putAndRead(t, mixed)
  const before = snapshot(t.root)
  const meddle = (nth: number): void => {
    if (nth === 5) writeFileSync(t.path("c.txt"), "theirs")
  }
  const outcome = await editFaulty(t, { beforeCommit: meddle })
  expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining("c.txt changed on disk") })
  expect(textIn(t, "c.txt")).toBe("theirs")
  writeFileSync(t.path("c.txt"), mixed["c.txt"])
  expect(snapshot(t.root)).toEqual(before)
})

test("what cannot be put back is said, and nobody else's work is overwritten", async () => {
  await using t = openTools()
  await putAndRead(t, mixed)
  const full = await editFaulty(t, { commit: (nth) => nth === 6, write: () => true })
  expect(full.content).toMatch(/Not put back[^]*a\.txt[^]*Read those files before anything else\.$/)
  expect(existsSync(t.path("new"))).toBe(false)

  await putAndRead(t, mixed)
  const meddle = (nth: number): void => {
    if (nth !== 6) return
    writeFileSync(t.path("a.txt"), "theirs")
    mkdirSync(t.path("new/theirs"))
  }
  const outcome = await editFaulty(t, { commit: (nth) => nth === 6, beforeCommit: meddle })
  expect(String(outcome.content)).toMatch(/Not put back[^\n]*a\.txt changed on disk/)
  expect(textIn(t, "a.txt")).toBe("theirs")
  expect(readdirSync(t.path("new"))).toEqual(["theirs"])
  expect(readFileSync(t.path("b.txt"))).toEqual(mixed["b.txt"])
})
