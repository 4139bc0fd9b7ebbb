import { describe, expect, test } from "bun:test"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { refold, notifyFollowers } from "#agent/words/follower.ts"
import { noUsage } from "#agent/words/model.ts"
import type { Todo } from "#agent/words/todo.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { todoKit } from "#kits/todo/kit.ts"

const signal = new AbortController().signal
const todo = (content: string, status: Todo["status"] = "pending"): Todo => ({
  content,
  status,
  activeForm: `${content}...`,
})

function open() {
  const recorded: EntryBody[] = []
  const kit = todoKit({
    record(body) {
      recorded.push(body)
      notifyFollowers([kit], { ...body, uuid: "", parentUuid: null, at: 0 })
    },
  })
  const [write, read] = kit.tools as [AnyTool, AnyTool]
  const run = (tool: AnyTool, input: object) => tool.run(input, { callId: "c", signal, progress: () => {} })
  const answer = (): void =>
    notifyFollowers([kit], {
      kind: "reply_end",
      messageId: "m",
      model: "x",
      stopReason: "tool_use",
      usage: noUsage,
      durationMs: 0,
      uuid: "",
      parentUuid: null,
      at: 0,
    })
  return { kit, recorded, write, read, run, answer }
}

describe("the todo list", () => {
  test("takes items with the fields of before", () => {
    const { write } = open()
    const old = { content: "a", status: "pending", id: "1", priority: "high" }
    expect(write.parse({ todos: [old, { ...todo("b") }, { ...old, activeForm: "Doing a" }] })).toEqual({
      ok: true,
      value: {
        todos: [
          { content: "a", status: "pending", activeForm: "a" },
          todo("b"),
          { content: "a", status: "pending", activeForm: "Doing a" },
        ],
      },
    })
    expect(write.parse({ todos: [{ content: "a", status: "pending" }] }).ok).toBe(false)
    expect(write.parse({ todos: [{ id: "1", priority: "high" }] }).ok).toBe(false)
    expect(write.parse({ todos: "none" }).ok).toBe(false)
  })

  test("is replaced whole, and read back", async () => {
    const { write, read, run, recorded } = open()
    const todos = [todo("a", "in_progress"), todo("b")]
    const outcome = await run(write, { todos })
    expect(recorded).toEqual([{ kind: "todo", todos }])
    expect(outcome.data).toEqual({ oldTodos: [], newTodos: todos } as never)
    expect((await run(read, {})).content).toBe("1. [in_progress] a\n2. [pending] b")
  })

  test("is cleared when all is completed, while the result returns what was sent", async () => {
    const { write, read, run } = open()
    await run(write, { todos: [todo("a")] })
    const outcome = await run(write, { todos: [todo("a", "completed")] })
    expect(outcome.data).toEqual({ oldTodos: [todo("a")], newTodos: [todo("a", "completed")] } as never)
    expect((await run(read, {})).content).toBe("The list is empty.")
  })

  test("says when not exactly one item is in progress", async () => {
    const { write, run } = open()
    const outcome = await run(write, { todos: [todo("a", "in_progress"), todo("b", "in_progress")] })
    expect(outcome.content).toContain("2 items are in progress")
  })

  test("refuses empty texts and unknown states, naming the field", () => {
    const { write } = open()
    expect(write.parse({ todos: [{ content: " ", status: "pending", activeForm: "x" }] })).toMatchObject({
      ok: false,
      message: expect.stringContaining("todos.0.content"),
    })
    expect(write.parse({ todos: [{ content: "a", status: "done", activeForm: "x" }] })).toMatchObject({ ok: false })
  })
})

describe("the hint", () => {
  const due = async (kit: ReturnType<typeof open>["kit"]) => (await kit.attachments?.(signal))?.length ?? 0

  test("comes after ten answers without the list, and then not before ten more", async () => {
    const { kit, answer } = open()
    for (let i = 0; i < 9; i++) answer()
    expect(await due(kit)).toBe(0)
    answer()
    const [first] = (await kit.attachments?.(signal)) ?? []
    expect(first?.text).toContain("It is empty.")
    notifyFollowers([kit], { kind: "attachment", name: first?.name ?? "", text: "", uuid: "", parentUuid: null, at: 0 })
    expect(await due(kit)).toBe(0)
    for (let i = 0; i < 10; i++) answer()
    expect(await due(kit)).toBe(1)
  })

  test("stays away while the list is used", async () => {
    const { kit, answer, write, run } = open()
    for (let i = 0; i < 30; i++) {
      answer()
      if (i % 5 === 0) await run(write, { todos: [todo("a", "in_progress")] })
      expect(await due(kit)).toBe(0)
    }
  })
})

describe("the list is shown again", () => {
  const at = { uuid: "", parentUuid: null, at: 0 }
  const names = async ({ kit }: ReturnType<typeof open>): Promise<readonly string[]> =>
    ((await kit.attachments?.(signal)) ?? []).map(({ name }) => name)

  test("once, when the user changed it", async () => {
    const resumed = open()
    notifyFollowers([resumed.kit], { kind: "todo", todos: [todo("a")], by: "person", ...at })
    const [shown] = (await resumed.kit.attachments?.(signal)) ?? []
    expect(shown?.name).toBe("todo_list")
    expect(shown?.text).toContain("1. [pending] a")
    notifyFollowers([resumed.kit], { kind: "attachment", name: "todo_list", text: shown?.text ?? "", ...at })
    expect(await names(resumed)).toEqual([])
    await resumed.run(resumed.write, { todos: [todo("b")] })
    expect(await names(resumed)).toEqual([])
  })

  test("also when they emptied it, but not when it is as it was", async () => {
    const kit = open()
    await kit.run(kit.write, { todos: [todo("a")] })
    notifyFollowers([kit.kit], { kind: "todo", todos: [], by: "person", ...at })
    expect((await kit.kit.attachments?.(signal))?.[0]?.text).toStartWith("The user cleared your list of work.")
    notifyFollowers([kit.kit], { kind: "todo", todos: [todo("a")], by: "person", ...at })
    expect(await names(kit)).toEqual([])
  })

  test("after a resume only when an edit was not told yet", async () => {
    const kit = open()
    const wrote: Entry = { kind: "todo", todos: [todo("a")], ...at }
    const edit: Entry = { kind: "todo", todos: [todo("b")], by: "person", ...at }
    const told: Entry = { kind: "attachment", name: "todo_list", text: "", ...at }
    refold([kit.kit], [wrote])
    expect(await names(kit)).toEqual([])
    refold([kit.kit], [wrote, edit])
    expect(await names(kit)).toEqual(["todo_list"])
    // A rewind records the list once more.
    notifyFollowers([kit.kit], { kind: "todo", todos: [todo("b")], ...at })
    expect(await names(kit)).toEqual(["todo_list"])
    refold([kit.kit], [wrote, edit, told])
    expect(await names(kit)).toEqual([])
  })

  test("with the result, when the model writes over an edit that it has not seen", async () => {
    const kit = open()
    await kit.run(kit.write, { todos: [todo("a")] })
    notifyFollowers([kit.kit], { kind: "todo", todos: [todo("a"), todo("mine")], by: "person", ...at })
    const refused = await kit.run(kit.write, { todos: [todo("a", "completed")] })
    expect(refused.isError).toBe(true)
    expect(refused.content).toBe(
      "The list was not replaced: the user changed it in the meantime. It is now:\n1. [pending] a\n2. [pending] mine\nWrite it again with their changes.",
    )
    expect(await names(kit)).toEqual([])
    const again = await kit.run(kit.write, { todos: [todo("a", "completed"), todo("mine")] })
    expect(again.isError).toBeFalsy()
  })

  test("not when it is empty, nor after a compaction, which shows it", async () => {
    const kit = open()
    notifyFollowers([kit.kit], { kind: "todo", todos: [], ...at })
    expect(await names(kit)).toEqual([])
    const standing: EntryBody[] = [{ kind: "todo", todos: [todo("a")] }]
    notifyFollowers([kit.kit], {
      kind: "compaction",
      trigger: "auto",
      preTokens: 2,
      postTokens: 1,
      by: "model",
      summary: "",
      messages: [],
      standing,
      ...at,
    })
    expect(await names(kit)).toEqual([])
    expect((await kit.run(kit.read, {})).content).toBe("1. [pending] a")
  })

  test("a rewind gives back the list of that place, and a clear empties it", async () => {
    const kit = open()
    await kit.run(kit.write, { todos: [todo("a")] })
    await kit.run(kit.write, { todos: [todo("b")] })
    refold([kit.kit], [{ kind: "todo", todos: [todo("a")], ...at }])
    expect((await kit.run(kit.read, {})).content).toBe("1. [pending] a")
    refold([kit.kit], [])
    expect((await kit.run(kit.read, {})).content).toBe("The list is empty.")
    expect(await names(kit)).toEqual([])
  })
})
