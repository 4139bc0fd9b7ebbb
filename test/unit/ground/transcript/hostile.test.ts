/** Lines that no program of ours wrote: whatever stands in a log, the conversation folded from it is valid. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import fc from "fast-check"
import { loadLog, loadTail } from "#ground/transcript/load.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { foldMessages, repaired } from "../../../kit/fold-log.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { complaints } from "../../../kit/valid-messages.ts"
import { runs } from "../../../kit/runs.ts"

const anyId = fc.constantFrom("a", "b", "c", "")
/** Few enough for lines to name each other, and themselves. */
const anyUuid = fc.nat(30).map((n) => `00000000-0000-4000-8000-0000000000${String(n).padStart(2, "0")}`)
/** A value where a text, a number or a list was expected, and now and then the right one. */
const odd = <T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 24, arbitrary: good },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, "constructor", "__proto__") },
  )
const anyText = odd(fc.constantFrom("", " ", "hello", "<system-reminder>"))
const anyBlock = fc.oneof(
  fc.record({ type: odd(fc.constant("text")), text: anyText }),
  fc.record({ type: odd(fc.constant("tool_use")), id: odd(anyId), name: anyText, input: odd(fc.constant({})) }),
  fc.record({ type: fc.constant("tool_result"), tool_use_id: odd(anyId), content: odd(fc.constant("done")) }),
  fc.record({ type: fc.constant("thinking"), thinking: anyText, signature: odd(fc.constantFrom("", "sig")) }),
  fc.record({
    type: fc.constantFrom("thinking", "redacted_thinking"),
    thinking: anyText,
    proof: odd(fc.record({ by: odd(fc.constant("anthropic")), value: odd(anyText) })),
  }),
  fc.record({ type: fc.constantFrom("image", "document", "server_tool_use"), source: fc.jsonValue({ maxDepth: 1 }) }),
)
const anyMessage = fc.record({
  id: odd(anyId),
  model: anyText,
  role: anyText,
  content: odd(fc.array(anyBlock, { maxLength: 3 })),
  usage: odd(fc.constant({ input_tokens: "7" })),
})
const anyBody = fc.record({
  rung: odd(fc.constantFrom("media", "results", "turns", "summary")),
  messageId: odd(anyId),
  callId: odd(anyId),
  promptId: odd(anyId),
  turnId: odd(anyId),
  content: odd(fc.array(anyBlock, { maxLength: 2 })),
  when: odd(fc.constantFrom("steer", "queue")),
  question: odd(fc.constant({ id: "q", ask: {} })),
  questionId: odd(anyId),
  path: anyText,
  files: odd(fc.constant([])),
  tool: anyText,
  reason: anyText,
  stopReason: anyText,
  model: anyText,
  usage: odd(fc.constant({})),
  to: odd(fc.option(anyUuid)),
  why: odd(fc.constantFrom("rewind", "clear", "switch", "413")),
  summary: anyText,
  messages: odd(
    fc.array(fc.record({ role: odd(fc.constantFrom("user", "assistant")), content: fc.array(anyBlock) }), {
      maxLength: 3,
    }),
  ),
  standing: odd(fc.array(fc.record({ kind: odd(fc.constantFrom("mode", "title", "compaction")), text: anyText }))),
  stubs: odd(fc.array(fc.record({ callId: odd(anyId), text: anyText }), { maxLength: 2 })),
})
const anyLine = fc.record({
  type: odd(fc.constantFrom("user", "assistant", "attachment", "system", "header")),
  subtype: odd(
    fc.constantFrom(
      "queued",
      "reply_end",
      "orphan",
      "intent",
      "question",
      "answer",
      "shrink",
      "turn_start",
      "cwd",
      "head",
      "compaction",
      "stub",
    ),
  ),
  uuid: odd(anyUuid),
  parentUuid: odd(fc.option(anyUuid)),
  timestamp: odd(fc.constant("2026-01-01T00:00:00.000Z")),
  message: odd(anyMessage),
  attachment: odd(fc.record({ type: anyText, text: anyText })),
  codewright: odd(anyBody),
  toolUseResult: odd(fc.constant({})),
})

test("any lines at all fold into valid messages", () => {
  using folder = temporaryFolder()
  const path = folder.join("log.jsonl")
  let folded = 0
  fc.assert(
    fc.property(fc.array(anyLine, { minLength: 8, maxLength: 16 }), (lines) => {
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
      const loaded = loadLog(path)
      if (!loaded.ok) return
      const messages = foldMessages(repaired(loaded.value.entries))
      expect(complaints(messages)).toEqual([])
      expect(complaints(foldMessages(repaired(pathOf(loaded.value.entries))))).toEqual([])
      const tail = loadTail(path)
      expect(tail.ok && complaints(foldMessages(repaired(pathOf(tail.value.entries))))).toEqual([])
      if (messages.length > 1) folded++
    }),
    { ...runs(200) },
  )
  // Most of it is nonsense, but enough must have been understood.
  expect(folded).toBeGreaterThan(20)
})
