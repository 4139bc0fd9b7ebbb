/** Files and conversation go back together, whatever changed the files; and forth again. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Op } from "#agent/words/op.ts"
import { textOf } from "#agent/words/message.ts"
import { act, promptId } from "../../kit/going-back.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, write } from "../../kit/script.ts"

const back = (t: TestSession, text: string, more: Partial<Op & { type: "rewind" }> = {}): Promise<void> =>
  act(t, { type: "rewind", promptId: promptId(t, text), what: "both", ...more })

const files = { "a.txt": "alpha\n", "b.txt": "beta\n", "deep/c.txt": "gamma\n", "mine.txt": "mine\n" }
const script = [
  calls(read("a.txt")),
  calls(edit("a.txt", "alpha", "ALPHA"), write("new.txt", "new\n")),
  says("one"),
  calls(bash("rm -rf deep; sed -i s/beta/BETA/ b.txt; mkdir made; echo x > made/x; chmod 600 a.txt; ln -s a.txt link")),
  says("two"),
  says("three"),
]

async function worked(): Promise<TestSession> {
  const t = await openTestSession({ script, files, answers: () => ({ kind: "allow" }) })
  chmodSync(t.path("a.txt"), 0o644)
  await t.prompt("edit")
  await t.prompt("wreck")
  return t
}

test("what a shell command did is undone: deletions, changes, new files, modes and links", async () => {
  await using t = await worked()
  await back(t, "wreck")
  expect([t.read("a.txt"), t.read("b.txt"), t.read("deep/c.txt"), t.read("new.txt")]).toEqual([
    "ALPHA\n",
    "beta\n",
    "gamma\n",
    "new\n",
  ])
  expect([existsSync(t.path("made")), existsSync(t.path("link"))]).toEqual([false, false])
  expect(statSync(t.path("a.txt")).mode & 0o777).toBe(0o644)
  await t.prompt("go on")
  expect(
    t
      .requests()
      .at(-1)
      ?.filter(({ role }) => role === "user")
      .map(({ content }) => textOf(content as never))
      .at(-1),
  ).toEndWith("go on")
  expect(JSON.stringify(t.requests().at(-1))).not.toContain("wreck")
})

test.each(["back", "forth"] as const)(
  "where files cannot go %s, the conversation does not either, and the person is told",
  async (where) => {
    await using t = await worked()
    if (where === "forth") await back(t, "wreck")
    const texts = (): string[] => ["a.txt", "b.txt"].map((name) => t.read(name))
    const before = { heads: headsIn(t), files: texts() }
    await t.session.close()
    // Another process finds no snapshots.
    rmSync(join(t.root, "../state/file-history"), { recursive: true })
    await using again = await t.reopen()
    await (where === "back" ? back(again, "wreck") : act(again, { type: "redo" }))
    expect({ heads: headsIn(again), files: texts() }).toEqual(before)
    expect(again.entries().at(-1)).toMatchObject({ kind: "notice", level: "warning" })
  },
)

const headsIn = (t: TestSession): number => t.entries().filter(({ kind }) => kind === "head").length

test("to the very beginning, and all the way back by redo", async () => {
  await using t = await worked()
  const before = ["a.txt", "b.txt", "new.txt", "made/x"].map((name) => t.read(name))
  await back(t, "edit")
  expect(t.read("a.txt")).toBe("alpha\n")
  expect(existsSync(t.path("new.txt"))).toBe(false)
  await act(t, { type: "redo" })
  expect(["a.txt", "b.txt", "new.txt", "made/x"].map((name) => t.read(name))).toEqual(before)
  expect(existsSync(t.path("deep"))).toBe(false)
})

test("what the person changed meanwhile is kept and said, unless they insist", async () => {
  await using t = await worked()
  writeFileSync(t.path("b.txt"), "my own\n")
  await back(t, "edit", { what: "files" })
  expect(t.read("b.txt")).toBe("my own\n")
  expect(t.read("a.txt")).toBe("alpha\n")
  const head = t.entries().findLast((entry) => entry.kind === "head")
  expect(head).toMatchObject({ files: { kept: [expect.stringContaining("b.txt")] } })
  await back(t, "edit", { what: "files", force: true })
  expect(t.read("b.txt")).toBe("beta\n")
})

test("what was not touched keeps its time, and the conversation alone leaves files alone", async () => {
  await using t = await worked()
  const { mtimeMs } = statSync(t.path("mine.txt"))
  await back(t, "edit", { what: "conversation" })
  expect(t.read("a.txt")).toBe("ALPHA\n")
  await act(t, { type: "redo" })
  await back(t, "edit")
  expect(statSync(t.path("mine.txt")).mtimeMs).toBe(mtimeMs)
})

test("after a resume the way back is still there, and can be looked at first", async () => {
  await using first = await worked()
  await using t = await first.reopen()
  const points = await t.ask({ type: "points" })
  expect(points.ok && points.value.map(({ text }) => text)).toEqual(["edit", "wreck"])
  const preview = await t.ask({ type: "preview", promptId: promptId(t, "wreck") })
  expect(preview.ok && preview.value.files.map(({ path, change }) => `${change} ${path}`).sort()).toEqual([
    "created deep/c.txt",
    "mode a.txt",
    "modified b.txt",
    "removed link",
    "removed made/x",
  ])
  await back(t, "edit")
  expect(readFileSync(t.path("a.txt"), "utf8")).toBe("alpha\n")
})

test("a session that changes nothing keeps nothing", async () => {
  await using t = await openTestSession({ script: [calls(read("a.txt")), says("read")], files })
  await t.prompt("look")
  expect(t.entries().filter(({ kind }) => kind === "snapshot")).toEqual([])
})
