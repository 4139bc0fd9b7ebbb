/** What a resumed session knows of files and folders, and what waits in it: as if it had never been left. */

import { expect, test } from "bun:test"
import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, write } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const files = { "a.txt": "one\n", "b.txt": "b\n" }
const isOpenQuestion = ({ type }: { readonly type: string }): boolean => type === "question_open"

const changesTold = (t: TestSession): string =>
  t
    .entries()
    .flatMap((entry) => (entry.kind === "attachment" && entry.name === "changed_files" ? [entry.text] : []))
    .join("\n")

for (const [what, script] of [
  ["an earlier answer", [calls(read("a.txt")), calls(edit("a.txt", "one", "two")), says("Done.")]],
  ["the same answer", [calls(read("a.txt"), edit("a.txt", "one", "two")), says("Done.")]],
] as const)
  test(`an edit that waits for consent is made after a resume, of a file that was read in ${what}`, async () => {
    await using t = await openTestSession({ script, files, mode: "default", answers: () => undefined })
    t.say("change it")
    await t.until(isOpenQuestion)
    await using again = await t.reopen({ answers: () => ({ kind: "allow" }) })
    await again.settled()
    expect(again.results().map(({ tool, isError }) => [tool, isError])).toEqual([
      ["Read", false],
      ["Edit", false],
    ])
    expect(again.read("a.txt")).toBe("two\n")
  })

test("a file that nobody changed counts as read, and need not be shown again", async () => {
  await using t = await openTestSession({
    script: [calls(read("a.txt")), says("Read."), calls(read("a.txt"), edit("a.txt", "one", "two")), says("Done.")],
    files,
  })
  await t.prompt("read")
  await using again = await t.reopen()
  await again.prompt("edit")
  expect(again.results().map(({ isError }) => isError)).toEqual([false, false, false])
  expect(again.results()[1]?.content).toContain("is unchanged since your last read")
  expect(again.read("a.txt")).toBe("two\n")
})

test("a file that was changed while nobody was there is told of, and must be read before it is changed", async () => {
  await using t = await openTestSession({
    script: [calls(read("a.txt"), read("b.txt")), says("Read."), calls(edit("a.txt", "one", "two")), says("Done.")],
    files,
  })
  await t.prompt("read")
  await t.session.close()
  writeFileSync(t.path("a.txt"), "one, by hand\n")
  await using again = await t.reopen()
  await again.prompt("edit")
  expect(changesTold(again)).toContain("a.txt changed.")
  expect(changesTold(again)).not.toContain("b.txt")
  expect(again.results().at(-1)).toMatchObject({ tool: "Edit", isError: true })
  expect(again.read("a.txt")).toBe("one, by hand\n")
})

test("what was written here is known, and what changed and was told in full as well", async () => {
  await using t = await openTestSession({
    script: [
      calls(write("new.txt", "one\n"), read("a.txt")),
      says("Written."),
      says("Seen."),
      calls(edit("new.txt", "one", "two"), edit("a.txt", "by hand", "by us")),
      says("Done."),
    ],
    files,
  })
  await t.prompt("write")
  writeFileSync(t.path("a.txt"), "one, by hand\n")
  await t.prompt("look")
  await using again = await t.reopen()
  await again.prompt("edit")
  expect(again.results().slice(-2)).toMatchObject([{ isError: false }, { isError: false }])
  expect([again.read("new.txt"), again.read("a.txt")]).toEqual(["two\n", "one, by us\n"])
})

test("later changes are told line by line, because the text of an unchanged file is known again", async () => {
  async function toldAfter(ms: number): Promise<string> {
    await using t = await openTestSession({ script: [calls(read("a.txt")), says("Read."), says("Fine.")], files })
    await t.prompt("read")
    await using again = await t.reopen()
    await Bun.sleep(ms)
    writeFileSync(t.path("a.txt"), "uno\n")
    await again.prompt("go on")
    return changesTold(again)
  }
  // It is read again by the way, and nobody is told when: a change that comes sooner is only named.
  let ms = 10
  while (!(await toldAfter(ms)).includes("+uno")) ms *= 2
})

test("after a compaction only what it shows again is known, also after a resume", async () => {
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`f${n}.txt`, `text ${n}\n`]))
  await using t = await openTestSession({
    script: [
      calls(bash("seq 1 4000")),
      ...Object.keys(many).map((name) => calls(read(name))),
      says("Read."),
      says("<summary>All files were read.</summary>"),
      calls(edit("f0.txt", "text", "word")),
      calls(edit("f6.txt", "text", "word")),
      says("Done."),
    ],
    files: many,
  })
  await t.prompt("read")
  await t.session.submit({ type: "compact" })
  await t.settled()
  const compaction = t.entries().findLast((entry) => entry.kind === "compaction")
  expect(compaction?.kind === "compaction" && compaction.seen?.length).toBe(5)
  await using again = await t.reopen()
  await again.prompt("edit")
  expect(again.results().slice(-2)).toMatchObject([
    { isError: true, content: expect.stringContaining("f0.txt") },
    { isError: false },
  ])
  expect([again.read("f0.txt"), again.read("f6.txt")]).toEqual(["text 0\n", "word 6\n"])
})

test("folders that were added belong to the session after a resume, a compaction and a fork", async () => {
  using other = temporaryFolder()
  const root = realpathSync(other.path)
  mkdirSync(`${root}/x`)
  await using t = await openTestSession({
    script: [
      calls(bash("seq 1 4000")),
      says("Hello."),
      says("<summary>Nothing but numbers was printed.</summary>"),
      calls(write(`${root}/x/new.txt`, "x")),
      says("Done."),
      calls(write(`${root}/x/more.txt`, "x")),
      says("Done."),
    ],
    place: { addedFolders: [root] },
  })
  await t.prompt("hi")
  await t.session.submit({ type: "compact" })
  await t.settled()
  expect(t.entries().filter(({ kind }) => kind === "compaction")).toHaveLength(1)
  await using again = await t.reopen({ place: { addedFolders: [] } })
  expect((await again.ask({ type: "about" })).addedFolders).toEqual([root])
  await again.prompt("write")
  expect(again.results().at(-1)).toMatchObject({ tool: "Write", isError: false })
  expect(again.entries().filter(({ kind }) => kind === "folders")).toHaveLength(1)
  await using forked = await again.fork({ place: { addedFolders: [] } })
  await forked.prompt("write")
  expect(forked.results().at(-1)).toMatchObject({ tool: "Write", isError: false })
})

test("what waited in the queue waits again, and whoever watches is told", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch begun; sleep 30")), says("First."), says("Second."), says("Third.")],
  })
  t.say("work")
  await t.until((event) => event.type === "entry" && event.entry.kind === "intent")
  t.say("one")
  t.say("two")
  await t.session.submit({ type: "interrupt" })
  await t.settled()
  await using again = await t.reopen()
  expect(await again.until(({ type }) => type === "queue_change")).toMatchObject({ texts: ["one", "two"] })
  expect(await again.prompt("three")).toEqual({ reason: "completed" })
  const prompts = again.entries().flatMap((entry) => (entry.kind === "prompt" ? [entry.content] : []))
  expect(prompts.flat().map((block) => block.type === "text" && block.text)).toEqual(["work", "one", "two", "three"])
})
