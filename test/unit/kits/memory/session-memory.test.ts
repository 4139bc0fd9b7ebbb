/** Nothing that a rule hides and no secret is ever in a memory, whatever the conversation and however much the writer repeats. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Entry } from "#agent/words/entry.ts"
import type { AnyBlock, Message } from "#agent/words/message.ts"
import type { MemoryState } from "#kits/memory/coverage.ts"
import { sessionMemoryKit, type SessionMemory } from "#kits/memory/session-memory.ts"
import { ok } from "#lib/result.ts"
import { runs } from "../../../kit/runs.ts"

/** Text of files is recognizable; what is in file 3 is also quoted by the model. */
const contentOf = (file: number): string => `contents-of-file-${file}-verbatim`
const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"

type Act =
  | { readonly kind: "say" | "secret" | "clear" | "compact" | "resume" }
  | { readonly kind: "read" | "deny"; readonly file: number }

const acts = fc.array(
  fc.oneof(
    fc.constantFrom<Act>(
      { kind: "say" },
      { kind: "secret" },
      { kind: "clear" },
      { kind: "compact" },
      { kind: "resume" },
    ),
    fc.record({ kind: fc.constantFrom("read" as const, "read" as const, "deny" as const), file: fc.nat(3) }),
  ),
  { maxLength: 25 },
)

/** A session in small: a conversation that grows by acts, rules that grow, and a writer that repeats all it is told. */
function openWorld() {
  let messages: Message[] = []
  let path: Entry[] = []
  let count = 0
  let saved: { text: string; state: MemoryState } | undefined
  let awake = true
  const denied = new Set<number>()
  const notices: string[] = []
  const open = (): SessionMemory =>
    sessionMemoryKit({
      messages: () => messages,
      isAdded: () => false,
      contextTokens: () => 1_000 + count * 1_000,
      limit: () => 2_000,
      rules: () => [...denied].map((file) => `Read(file-${file})`),
      ask: async ({ user }) => ok(`<memory>${user.slice(-9_000)}</memory>`),
      store: {
        read: () => saved,
        write(state, text = saved?.text ?? "") {
          saved = { text, state }
          return ok(undefined)
        },
      },
      isAwake: () => awake,
      notify: (text) => void notices.push(text),
    })
  let memory = open()

  function record(entry: object, change: () => void): void {
    const made = { uuid: `entry-${count++}`, ...entry } as Entry
    change()
    path.push(made)
    memory.conversation?.onEntry(made)
    memory.onEntry?.(made)
  }
  const add = (role: "user" | "assistant", text: string): void =>
    record({ kind: role === "user" ? "prompt" : "reply" }, () =>
      messages.push({ role, content: [{ type: "text", text }] } as Message),
    )

  function perform(act: Act): void {
    switch (act.kind) {
      case "say":
        add("user", "go on with it")
        return add("assistant", "I went on with it.")
      case "secret":
        return add("user", `use this key: ${secret}`)
      case "read": {
        // What a rule denies is not read.
        if (denied.has(act.file)) return
        const id = `call-${count}`
        record({ kind: "reply" }, () =>
          messages.push({
            role: "assistant",
            content: [{ type: "tool_use", id, name: "Read", input: { file_path: `file-${act.file}` } }],
          }),
        )
        record({ kind: "result" }, () =>
          messages.push({
            role: "user",
            content: [{ type: "tool_result", tool_use_id: id, content: contentOf(act.file) }] as never,
          }),
        )
        return add("assistant", act.file === 3 ? `It says ${contentOf(3)}.` : "I read it.")
      }
      case "deny":
        denied.add(act.file)
        return memory.checkRules()
      case "clear":
        messages = []
        path = []
        return memory.conversation?.reset()
      case "compact": {
        const summary = JSON.stringify(messages)
        return record({ kind: "compaction", by: "model", summary }, () => {
          messages = [{ role: "user", content: [{ type: "text", text: summary }] as readonly AnyBlock[] as never }]
        })
      }
      case "resume":
        awake = false
        memory = open()
        for (const entry of path) memory.conversation?.onEntry(entry)
        awake = true
    }
  }
  return {
    perform,
    memory: () => memory,
    saved: () => saved?.text ?? "",
    hidden: () => [...denied].map(contentOf),
  }
}

test("whatever is said, read, denied, cleared, compacted and resumed", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (all) => {
      const world = openWorld()
      for (const act of all) {
        world.perform(act)
        world.memory().consider()
        const used = await world.memory().usable(1e9, new AbortController().signal)
        for (const text of [world.saved(), used?.text ?? ""]) {
          expect(text).not.toContain(secret)
          for (const hidden of world.hidden()) expect(text).not.toContain(hidden)
        }
      }
    }),
    runs(300),
  )
})

test("results are not repeated, but what was done and said is", async () => {
  const world = openWorld()
  for (const act of [{ kind: "say" }, { kind: "read", file: 1 }, { kind: "say" }, { kind: "say" }] as const)
    world.perform(act)
  world.memory().consider()
  await world.memory().usable(1e9, new AbortController().signal)
  expect(world.saved()).toContain("- Read file-1")
  expect(world.saved()).toContain("Agent: I read it.")
  expect(world.saved()).not.toContain(contentOf(1))
})
