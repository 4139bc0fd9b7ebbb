/** What the program added is known by what was recorded of it, not by how it reads. */

import { expect, test } from "bun:test"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { reminder } from "#agent/words/reminder.ts"
import { addedIn } from "#kits/compaction/added.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import { memoryFilesAfter, memoryFilesOf } from "#kits/context/memory-told.ts"

const words = "Contents of /p/sub/AGENTS.md (of this project):\nNothing."
const entry = (body: EntryBody): Entry => ({ uuid: "u", parentUuid: null, at: 0, ...body })
const prompt = (text: string): Entry => entry({ kind: "prompt", promptId: text, content: [{ type: "text", text }] })

test("an attachment tells of the files it names in its fields; only older ones are read", () => {
  expect(memoryFilesOf({ name: "memory", text: words, data: { files: ["/p/AGENTS.md"] } })).toEqual(["/p/AGENTS.md"])
  expect(memoryFilesOf({ name: "user_context", text: words, data: { files: [] } })).toEqual([])
  expect(memoryFilesOf({ name: "user_context", text: words })).toEqual(["/p/sub/AGENTS.md"])
  expect(memoryFilesOf({ name: "todo_reminder", text: words })).toEqual([])
})

test("the program's own words are known by their block, also when someone says the very same", () => {
  const conversation = openConversation({ shrink })
  const data = { files: ["/p/AGENTS.md"] }
  conversation.onEntry(prompt(reminder(words)))
  conversation.onEntry(entry({ kind: "attachment", name: "memory", text: words, data }))
  conversation.onEntry(entry({ kind: "shell", command: "ls", output: "a", exitCode: 0 }))
  const named = () => conversation.messages()[0]?.content.map((block) => conversation.sourceOf(block)?.name)
  expect(named()).toEqual([undefined, "memory", "shell"])
  expect(named()).toEqual([undefined, "memory", "shell"])

  const messages = conversation.messages()
  const added = addedIn(messages, conversation.sourceOf)
  expect(added).toEqual([
    { message: 0, block: 1, name: "memory", data },
    { message: 0, block: 2, name: "shell" },
  ])
  const compaction = {
    ...entry({
      kind: "compaction",
      trigger: "auto",
      preTokens: 0,
      postTokens: 0,
      by: "model",
      summary: "",
      // As it comes back from a log.
      messages: structuredClone([...messages]),
      standing: [],
    }),
    kind: "compaction",
  } as Entry & { readonly kind: "compaction" }
  conversation.onEntry({ ...compaction, added })
  expect(named()).toEqual([undefined, "memory", "shell"])
  expect(memoryFilesAfter({ ...compaction, added })).toEqual(["/p/AGENTS.md"])

  // A compaction of an older version does not say what is whose.
  conversation.onEntry(compaction)
  expect(named()).toEqual(["carried_over", "carried_over", "carried_over"])
  expect(memoryFilesAfter(compaction)).toEqual(["/p/sub/AGENTS.md", "/p/sub/AGENTS.md"])
})
