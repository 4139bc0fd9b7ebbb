/** What is no turn, in every order: interrupted, beside what waits, twice in a row, unkept, and with a log that fails. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { textOf } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import { fillDiskUnder } from "../../kit/fill-disk.ts"
import { act, lastSaid, promptId } from "../../kit/going-back.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, says, use, write } from "../../kit/script.ts"

const script = ["one", "two", "three", "four", "five", "six"].map((word) => says(word))

const back = (t: TestSession, text: string, what: "files" | "conversation" | "both"): Promise<void> =>
  act(t, { type: "rewind", promptId: promptId(t, text), what })
const told = (t: TestSession, kinds: RegExp): string[] => t.story().filter((line) => kinds.test(line))

test("an interrupt ends the person's own command and keeps what waits", async () => {
  await using t = await openTestSession({ script })
  void t.session.submit({ type: "shell", command: "echo begun | tee begun.txt; sleep 60" })
  t.say("later")
  // The file is there before anything is printed.
  while (!existsSync(t.path("begun.txt")) || t.read("begun.txt") === "") await Bun.sleep(5)
  await act(t, { type: "interrupt" })
  expect(told(t, /^(shell|prompt|queued)/)).toEqual([
    "queued later",
    "shell echo begun | tee begun.txt; sleep 60: begun",
  ])
  expect(t.requests()).toHaveLength(0)
  await t.prompt("and now")
  expect(told(t, /^prompt/)).toEqual(["prompt later", "prompt and now"])
  // What does not end when it is told to has its time of grace.
})

test("what the person's own command prints is told while it runs, and never too much at once", async () => {
  await using t = await openTestSession({ script })
  void t.session.submit({
    type: "shell",
    command: "head -c 3000000 /dev/zero | tr '\\0' x; until [ -e go ]; do sleep 0.01; done",
  })
  const shown = await t.until((event) => event.type === "tool_progress" && event.progress.totalBytes === 3_000_000)
  const meant = t.entries().find((entry): entry is Entry & { kind: "intent" } => entry.kind === "intent")
  if (shown.type !== "tool_progress") throw new Error("no progress")
  expect(shown.callId).toBe(meant?.callId ?? "")
  expect(shown.progress.output.length).toBeLessThanOrEqual(8192)
  expect(t.story().filter((line) => line.startsWith("shell"))).toEqual([])
  writeFileSync(t.path("go"), "")
  await t.settled()
  expect(t.entries().at(-1)).toMatchObject({ kind: "shell", exitCode: 0 })
})

test("cd in a command of the person's own stays for the next one, inside the folders of the session", async () => {
  await using t = await openTestSession({ script, files: { "src/a.txt": "x" } })
  await act(t, { type: "shell", command: "cd src" })
  await act(t, { type: "shell", command: "pwd; ls" })
  await act(t, { type: "shell", command: "cd /" })
  await act(t, { type: "shell", command: "ls" })
  const src = t.path("src")
  expect(t.entries().flatMap((entry) => (entry.kind === "shell" ? [entry.output.trimEnd()] : []))).toEqual([
    `Working folder: ${src}`,
    `${src}\na.txt`,
    `Working folder: still ${src}. / is outside the folders of this session; add it with --add-dir.`,
    "a.txt",
  ])
  expect((await t.ask({ type: "state" })).cwd).toBe(src)
})

test("what was said after the interrupt of a chore goes on", async () => {
  await using t = await openTestSession({ script })
  void t.session.submit({ type: "shell", command: "sleep 60" })
  void t.session.submit({ type: "interrupt" })
  await t.prompt("after it")
  expect(told(t, /^prompt/)).toEqual(["prompt after it"])
})

test("what an interrupt left waiting goes on waiting while something else is done", async () => {
  await using t = await openTestSession({ script: [{ ...says("slowly"), timing: { ttftMs: 5_000 } }, ...script] })
  t.say("first")
  await t.until((event) => event.type === "request_start")
  // The slow answer is for this request: it must be there before the interrupt.
  while (t.simulator.requests.length === 0) await Bun.sleep(1)
  t.say("second")
  await act(t, { type: "interrupt" })
  await act(t, { type: "shell", command: "true" })
  await act(t, { type: "clear" })
  expect(told(t, /^prompt/)).toEqual(["prompt first"])
  await t.prompt("third")
  expect(told(t, /^prompt/)).toEqual(["prompt first", "prompt second", "prompt third"])
})

test("an interrupted compaction changes nothing and says so", async () => {
  await using t = await openTestSession({
    script: ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes("Write a summary")
        ? { ...says("a summary"), timing: { ttftMs: 60_000 } }
        : says("Answered at length. ".repeat(2_000)),
  })
  await t.prompt("first")
  void t.session.submit({ type: "compact" })
  await t.until(
    (event) => event.type === "entry" && event.entry.kind === "request" && event.entry.summary !== undefined,
  )
  // It is recorded before it is sent: interrupted here, it may reach the model after the next one, or never.
  while (t.requests().length < 2) await Bun.sleep(1)
  await act(t, { type: "interrupt" })
  expect(told(t, /^(compaction|notice)/)).toEqual(["notice The compaction was interrupted; nothing was changed."])
  await t.prompt("second")
  expect(lastSaid(t)).toEqual(["first", "second"])
})

test("a session that is not kept can be cleared, rewound and brought back all the same", async () => {
  await using t = await openTestSession({ script, log: "none" })
  await t.prompt("first")
  await act(t, { type: "clear" })
  await t.prompt("second")
  expect(lastSaid(t)).toEqual(["second"])
  await act(t, { type: "redo" })
  await t.prompt("third")
  expect(lastSaid(t)).toEqual(["first", "third"])
})

test("each redo undoes one rewind more, and there is one for each", async () => {
  await using t = await openTestSession({ script })
  await t.prompt("first")
  await t.prompt("second")
  await t.prompt("third")
  await back(t, "third", "conversation")
  await back(t, "second", "conversation")
  await act(t, { type: "redo" })
  await act(t, { type: "redo" })
  await t.prompt("fourth")
  expect(lastSaid(t)).toEqual(["first", "second", "third", "fourth"])
})

test("a redo that left something behind is taken back by the next one", async () => {
  await using t = await openTestSession({ script })
  await t.prompt("first")
  await act(t, { type: "clear" })
  await t.prompt("second")
  await act(t, { type: "redo" })
  await act(t, { type: "redo" })
  await t.prompt("third")
  expect(lastSaid(t)).toEqual(["second", "third"])
})

test("files alone go back and forth without the conversation", async () => {
  await using t = await openTestSession({ script: [calls(write("a.txt", "mine\n")), ...script] })
  await t.prompt("first")
  await back(t, "first", "files")
  expect(existsSync(t.path("a.txt"))).toBe(false)
  await t.prompt("second")
  await act(t, { type: "redo" })
  expect(t.read("a.txt")).toBe("mine\n")
  await t.prompt("third")
  const asked = (t.requests().at(-1) ?? []).map(({ content }) => textOf(content as never))
  const texts = asked.map((text) => text.replaceAll(/<system-reminder>.*?<\/system-reminder>/gs, "").trim())
  expect(texts.filter((text) => text !== "")).toEqual(["first", "one", "second", "two", "third"])
})

test("with a log that cannot be written no chore does anything", async () => {
  await using t = await openTestSession({ script: [calls(write("a.txt", "mine\n")), ...script] })
  await t.prompt("first")
  const rewind: Op = { type: "rewind", promptId: promptId(t, "first"), what: "both" }
  fillDiskUnder(t.logPath)
  await act(t, { type: "shell", command: "touch made.txt" })
  await act(t, rewind)
  await act(t, { type: "shell", command: "touch made.txt" })
  expect([existsSync(t.path("made.txt")), existsSync(t.path("a.txt"))]).toEqual([false, true])
  const noticed = await t.until((event) => event.type === "entry" && event.entry.kind === "notice")
  expect(noticed).toMatchObject({ entry: { text: expect.stringContaining("there is no space left on the disk") } })
})

const todos = [{ content: "x", status: "pending", activeForm: "xing" }]

test("beginning anew with a plan forgets the list of work for everyone who watches", async () => {
  await using t = await openTestSession({
    mode: "plan",
    answers: (question) =>
      question.ask.kind === "plan"
        ? { kind: "approve", mode: "acceptEdits", wishes: [], fresh: true }
        : { kind: "allow" },
    script: [
      calls(use("TodoWrite", { todos })),
      { content: [{ tool: "ExitPlanMode", input: {} }] },
      { when: { lastUserText: "Do the one thing" }, content: "Fresh and done." },
      says("not to be said"),
    ],
  })
  void t
    .until((event) => event.type === "entry" && event.entry.kind === "plan")
    .then((event) => {
      if (event.type !== "entry" || event.entry.kind !== "plan") return
      mkdirSync(dirname(event.entry.path), { recursive: true })
      writeFileSync(event.entry.path, "# Plan\n\nDo the one thing.\n")
    })
  await t.prompt("plan it")
  const lists = t.entries().flatMap((entry) => (entry.kind === "todo" ? [entry.todos.length] : []))
  expect(lists).toEqual([1, 0])
})

/** Ends the session as if the program had been killed right after this entry was written. */
async function killedAfter(t: TestSession, isLast: (entry: Entry) => boolean): Promise<TestSession> {
  await t.session.close()
  const last = t.entries().findLast(isLast)
  const lines = readFileSync(t.logPath, "utf8").split("\n")
  const at = lines.findIndex((line) => line.includes(`"uuid":"${last?.uuid}"`))
  expect(at).toBeGreaterThan(0)
  writeFileSync(t.logPath, `${lines.slice(0, at + 1).join("\n")}\n`)
  return t.reopen()
}

test("killed during a command of the person's own: the model hears of it with the next prompt", async () => {
  await using first = await openTestSession({ script })
  await first.prompt("first")
  await act(first, { type: "shell", command: "touch made.txt" })
  await using t = await killedAfter(first, ({ kind }) => kind === "intent")
  expect(told(t, /^shell/)).toEqual([
    "shell touch made.txt: [The program ended while this was running; what it printed is not known. It may have taken effect in part or in whole.]",
  ])
  await t.prompt("second")
  expect(lastSaid(t).at(-1)).toContain("$ touch made.txt\n[The program ended")
  await using again = await t.reopen()
  expect(told(again, /^shell/)).toHaveLength(1)
})

test("killed while files go back: it is said, and going back again ends it", async () => {
  await using first = await openTestSession({ script: [calls(write("a.txt", "mine\n")), ...script] })
  await first.prompt("first")
  await back(first, "first", "both")
  await using t = await killedAfter(first, (entry) => entry.kind === "snapshot" && entry.when === "restore")
  expect(told(t, /^(notice|head)/)).toEqual([
    "notice The program ended while files were being restored: each is complete, but some may not be restored yet. Use /rewind again to restore the rest.",
  ])
  await back(t, "first", "both")
  expect(existsSync(t.path("a.txt"))).toBe(false)
  await using again = await t.reopen()
  expect(told(again, /^(notice|head)/).slice(1)).toEqual(["head rewind"])
})

test("closing ends what is being done, and nothing is taken any more", async () => {
  await using t = await openTestSession({ script })
  void t.session.submit({ type: "shell", command: "touch begun.txt; sleep 60" })
  t.say("never said now")
  while (!existsSync(t.path("begun.txt"))) await Bun.sleep(5)
  await Promise.all([t.session.close(), t.session.close()])
  for (const type of ["redo", "clear", "compact", "uncompact", "background", "interrupt"] as const)
    expect(await t.session.submit({ type })).toEqual({ ok: false, failure: { kind: "closed" } })
  expect(told(t, /^(shell|prompt)/)).toEqual(["shell touch begun.txt; sleep 60: "])
  await using again = await t.reopen()
  await again.prompt("now")
  expect(told(again, /^prompt/)).toEqual(["prompt never said now", "prompt now"])
})

test("while a question is open or something is done, only what needs no order is taken", async () => {
  await using t = await openTestSession({
    mode: "default",
    answers: () => undefined,
    script: [calls(write("a.txt", "x")), ...script],
  })
  t.say("first")
  const asked = await t.until((event) => event.type === "question_open")
  for (const type of ["redo", "clear", "compact", "uncompact"] as const)
    expect(await t.session.submit({ type })).toEqual({ ok: false, failure: { kind: "working" } })
  expect(await t.session.submit({ type: "rewind", promptId: "x", what: "both" })).toMatchObject({ ok: false })
  expect(await t.session.submit({ type: "background" })).toEqual({ ok: false, failure: { kind: "nothing_runs" } })
  expect((await t.session.submit({ type: "rename", title: "Mine" })).ok).toBe(true)
  expect((await t.session.submit({ type: "set_mode", mode: "acceptEdits" })).ok).toBe(true)
  if (asked.type === "question_open")
    await act(t, { type: "answer", questionId: asked.question.id, answer: { kind: "allow" } })
  expect(t.read("a.txt")).toBe("x")
  void t.session.submit({ type: "shell", command: "sleep 0.2" })
  expect(await t.session.submit({ type: "clear" })).toEqual({ ok: false, failure: { kind: "working" } })
  await t.settled()
})
