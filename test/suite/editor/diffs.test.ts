/** A question about an edit is also a diff in the connected editor: whoever answers first answers it, once. */

import { expect, test } from "bun:test"
import type { Question } from "#agent/words/question.ts"
import { openFakeEditor } from "../../kit/fake-editor.ts"
import { type BesideEditor, openBesideEditor } from "../../kit/open-beside-editor.ts"
import { calls, edit, read, says, use, write } from "../../kit/script.ts"
import type { ScenarioBlock } from "#sim/scenario.ts"

const before = "one\ntwo\nthree\n"

/** The model reads a file, then makes this call, about which somebody is asked. */
const open = (call: ScenarioBlock, files: { readonly [name: string]: string } = {}): Promise<BesideEditor> =>
  openBesideEditor({
    script: [calls(read("a.ts")), calls(call), says("Done."), says("Again.")],
    files: { "a.ts": before, ...files },
    mode: "default",
    allow: [],
    answers: () => undefined,
  })

const asked = async ({ t }: BesideEditor): Promise<Question> => {
  const event = await t.until(({ type }) => type === "question_open")
  if (event.type !== "question_open") throw new Error("no question")
  return event.question
}

const allow = async ({ t }: BesideEditor, { id, digest }: Question) =>
  t.session.submit({ type: "answer", questionId: id, digest, answer: { kind: "allow" } })

const answers = ({ t }: BesideEditor): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "answer" ? [entry.answer.kind] : []))

test("saved in the editor: the edit is made, once, and the tab is closed after it", async () => {
  await using run = await open(edit("a.ts", "two", "2"))
  using editor = openFakeEditor(run.locks, { folders: [run.t.root] })
  await run.side.start(run.t.session)
  run.t.say("go")
  const diff = await editor.diff()
  expect([diff.path, diff.text]).toEqual([run.t.path("a.ts"), "one\n2\nthree\n"])
  expect(diff.tab).toMatch(/^✻ \[Codewright\] a\.ts \(\w{6}\) ⧉$/)
  diff.save()
  await run.t.settled()
  expect(run.t.read("a.ts")).toBe("one\n2\nthree\n")
  expect(answers(run)).toEqual(["allow"])
  expect(await allow(run, await asked(run))).toEqual({
    ok: false,
    failure: { kind: "no_such_question", questionId: (await asked(run)).id },
  })
  while (editor.called().length < 2) await run.heardAll()
  expect(editor.called()).toEqual(["openDiff", "close_tab"])
})

test("text changed in the diff is what is written", async () => {
  for (const call of [
    edit("a.ts", "two", "2"),
    write("a.ts", "whole\n"),
    use("MultiEdit", { file_path: "a.ts", edits: [{ old_string: "two", new_string: "2" }] }),
  ]) {
    await using run = await open(call)
    using editor = openFakeEditor(run.locks, { folders: [run.t.root] })
    await run.side.start(run.t.session)
    run.t.say("go")
    const diff = await editor.diff()
    diff.save("one\nmine\nthree\nfour\n")
    await run.t.settled()
    expect(run.t.read("a.ts")).toBe("one\nmine\nthree\nfour\n")
    expect(run.t.results().at(-1)?.isError).toBe(false)
  }
})

test("a file without a last line end, or with CRLF, is written as proposed although the editor ends its lines", async () => {
  await using run = await open(edit("b.ts", "two", "2"), { "b.ts": "one\r\ntwo" })
  using editor = openFakeEditor(run.locks, { folders: [run.t.root] })
  await run.side.start(run.t.session)
  await run.t.session.submit({ type: "seed_read", path: run.t.path("b.ts"), readAt: Date.now() + 1000 })
  run.t.say("go")
  const diff = await editor.diff()
  diff.save(diff.text.replaceAll("\r", ""))
  await run.t.settled()
  expect(run.t.read("b.ts")).toBe("one\r\n2")
})

test("rejected in the editor: nothing is written, and the turn ends as with a no in the terminal", async () => {
  await using run = await open(write("new.ts", "x\n"))
  using editor = openFakeEditor(run.locks, { folders: [run.t.root] })
  await run.side.start(run.t.session)
  run.t.say("go")
  const diff = await editor.diff()
  expect(diff.text).toBe("x\n")
  diff.reject()
  await run.t.settled()
  expect(answers(run)).toEqual(["deny"])
  expect(await Bun.file(run.t.path("new.ts")).exists()).toBe(false)
  expect(run.t.entries().at(-1)).toMatchObject({ kind: "turn_end" })
})

test("saved without any change left counts as a no", async () => {
  await using run = await open(edit("a.ts", "two", "2"))
  using editor = openFakeEditor(run.locks, { folders: [run.t.root] })
  await run.side.start(run.t.session)
  run.t.say("go")
  const diff = await editor.diff()
  diff.save(before)
  await run.t.settled()
  expect([answers(run), run.t.read("a.ts")]).toEqual([["deny"], before])
})

test("answered in the terminal: the tab is closed, and its rejection does not count", async () => {
  await using run = await open(edit("a.ts", "two", "2"))
  using editor = openFakeEditor(run.locks, { folders: [run.t.root] })
  await run.side.start(run.t.session)
  run.t.say("go")
  await editor.diff()
  expect(await allow(run, await asked(run))).toEqual({ ok: true, value: undefined })
  await editor.noDiff()
  await run.t.settled()
  expect([answers(run), run.t.read("a.ts")]).toEqual([["allow"], "one\n2\nthree\n"])
})

test("an editor that quits or dies, or whose tab is only closed, answers nothing", async () => {
  for (const ends of ["quits", "dies", "closes"] as const) {
    await using run = await open(edit("a.ts", "two", "2"))
    using editor = openFakeEditor(run.locks, { folders: [run.t.root] })
    await run.side.start(run.t.session)
    run.t.say("go")
    const diff = await editor.diff()
    if (ends === "closes") diff.closes()
    else editor[ends]()
    const link = await run.side.link()
    while (ends !== "closes" && link.connected()) await Bun.sleep(1)
    if (ends === "closes") while (!editor.called().includes("close_tab")) await run.heardAll()
    expect((await run.t.ask({ type: "questions" })).length).toBe(1)
    await allow(run, await asked(run))
    await run.t.settled()
    expect([answers(run), run.t.read("a.ts")]).toEqual([["allow"], "one\n2\nthree\n"])
  }
})

test("an editor that is connected while a question waits shows it; a command has no diff", async () => {
  await using run = await open(edit("a.ts", "two", "2"))
  run.t.say("go")
  await asked(run)
  using editor = openFakeEditor(run.locks, { folders: [run.t.root] })
  await run.side.start(run.t.session)
  const diff = await editor.diff()
  diff.save()
  await run.t.settled()
  expect(run.t.read("a.ts")).toBe("one\n2\nthree\n")

  await using command = await open(use("Bash", { command: "touch x" }))
  using other = openFakeEditor(command.locks, { folders: [command.t.root] })
  await command.side.start(command.t.session)
  command.t.say("go")
  await allow(command, await asked(command))
  await command.t.settled()
  expect(other.called()).toEqual([])
})

test("a question with a warning is answered in the terminal only", async () => {
  await using run = await open(write(".git/hooks/pre-commit", "#!/bin/sh\n"))
  using editor = openFakeEditor(run.locks, { folders: [run.t.root] })
  await run.side.start(run.t.session)
  run.t.say("go")
  const { ask } = await asked(run)
  expect(ask).toMatchObject({ display: { kind: "diff" }, decision: { reason: { kind: "tool_check" } } })
  for (let i = 0; i < 20; i++) await run.heardAll()
  expect(editor.called()).toEqual([])
})

test("a file that changed since the question was asked is not shown as something else", async () => {
  await using run = await open(edit("a.ts", "two", "2"))
  run.t.say("go")
  await asked(run)
  await Bun.write(run.t.path("a.ts"), "zero\none\ntwo\nthree\n")
  using editor = openFakeEditor(run.locks, { folders: [run.t.root] })
  await run.side.start(run.t.session)
  for (let i = 0; i < 20; i++) await run.heardAll()
  expect(editor.called()).toEqual([])
})
