/** TodoWrite and TodoRead: the list is kept whole, survives a resume, and is brought to mind when forgotten. */

import { expect, test } from "bun:test"
import type { Todo } from "#agent/words/todo.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, use } from "../../kit/script.ts"
import { displays, given, play } from "./played.ts"

const todo = (content: string, status: Todo["status"]) => ({ content, status, activeForm: `Doing: ${content}` })
const writes = (...todos: ReturnType<typeof todo>[]) => use("TodoWrite", { todos })

test("a list is written, read and cleared, also after a resume", async () => {
  const list = [todo("parse", "in_progress"), todo("print", "pending")]
  const finished = [todo("parse", "completed"), todo("print", "completed")]
  await using t = await openTestSession({
    script: [
      calls(use("TodoRead", {})),
      calls(writes(...list)),
      calls(writes({ ...todo("x", "pending"), content: " " })),
      says("Kept."),
      calls(use("TodoRead", {})),
      calls(writes(...list.map((one) => ({ ...one, status: "in_progress" as const })))),
      calls(writes(...finished)),
      calls(use("TodoRead", {})),
      says("Cleared."),
    ],
  })
  await play(t)
  expect(given(t)).toEqual([
    ["The list is empty."],
    ["The list is saved. Continue with the item in progress, and update the list as soon as it is done."],
    [{ error: "TodoWrite was not run: its input is not valid. Field `todos.0.content` must not be empty." }],
  ])
  expect(displays(t)).toEqual([{ kind: "todos", todos: [] }, { kind: "todos", todos: list }, undefined])

  await using again = await t.reopen()
  await play(again, "go on")
  expect(given(again).slice(4)).toEqual([
    ["1. [in_progress] parse\n2. [pending] print"],
    [
      "The list is saved. 2 items are in progress; there should be exactly one. Continue with the item in progress, and update the list as soon as it is done.",
    ],
    ["All items are completed and the list is cleared. Verify the result if you have not, then tell the user."],
    ["The list is empty."],
  ])
  const last = again.results().at(-2)
  expect(last?.data).toEqual({ oldTodos: list.map((one) => ({ ...one, status: "in_progress" })), newTodos: finished })
  expect(again.entries().flatMap((entry) => (entry.kind === "todo" ? [entry.todos.length] : []))).toEqual([2, 2, 0])
})

test("after ten answers without the list there is a reminder, and the next one only ten answers later", async () => {
  const steps = (count: number) => Array.from({ length: count }, () => calls(read("a.txt")))
  await using t = await openTestSession({
    files: { "a.txt": "a\n" },
    script: [calls(writes(todo("parse", "in_progress"))), ...steps(22), says("Done.")],
  })
  await play(t)
  const reminder = {
    added:
      "<system-reminder>\nTodoWrite has not been used for a while. If the task has several steps, bring the list up to date; if not, ignore this. It says:\n1. [in_progress] parse\nDo not mention this note to the user.\n</system-reminder>",
  }
  const added = given(t).map((all) => all.slice(1))
  expect(added.flatMap((more, step) => (more.length > 0 ? [{ step, more }] : []))).toEqual([
    { step: 10, more: [reminder] },
    { step: 20, more: [reminder] },
  ])
})

test("a list that the user changes is recorded as theirs, and the next request says so exactly once", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "a\n" },
    script: [
      calls(writes(todo("parse", "in_progress"), todo("print", "pending"))),
      says("Kept."),
      calls(read("a.txt")),
      says("Done."),
      says("Nothing new."),
    ],
  })
  await t.prompt("go")
  expect(await t.session.submit({ type: "set_todos", todos: [todo(" ", "pending")] })).toEqual({
    ok: false,
    failure: { kind: "empty_todo" },
  })
  const changed = [todo("print", "in_progress"), todo("a test", "pending")]
  expect((await t.session.submit({ type: "set_todos", todos: changed })).ok).toBe(true)
  expect(await t.ask({ type: "todos" })).toEqual(changed)
  expect(t.entries().flatMap((entry) => (entry.kind === "todo" ? [entry.by] : []))).toEqual([undefined, "person"])
  await t.prompt("and now?")
  await t.prompt("and then?")
  const reminder =
    "The user changed your list of work. It is now:\n1. [in_progress] print\n2. [pending] a test\nFollow it, and keep their changes when you update it. Do not mention this note."
  const times = t
    .requests()
    .map((request) => JSON.stringify(request).split(JSON.stringify(reminder).slice(1, -1)).length - 1)
  expect(times).toEqual([0, 0, 1, 1, 1])
})

test("an edit just before the end of a session is told after it is resumed", async () => {
  await using t = await openTestSession({ script: [says("Hello."), says("Yes."), says("Yes.")] })
  await t.prompt("hello")
  await t.session.submit({ type: "set_todos", todos: [todo("mine", "pending")] })
  await using again = await t.reopen()
  await again.prompt("go on")
  await again.prompt("go on")
  const times = again
    .requests()
    .map((request) => JSON.stringify(request).split("The user changed your list").length - 1)
  expect(times).toEqual([0, 1, 1])
})
