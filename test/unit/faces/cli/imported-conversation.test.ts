/** Whatever the order and the gaps of another agent's conversation, the log of it can be sent to a model, and runs nothing when it is resumed. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { ConversationItem } from "#ground/import/found.ts"
import { entriesOf } from "#faces/cli/import/conversation-log.ts"
import { seededIds } from "#lib/ids.ts"
import { foldMessages, repaired } from "../../../kit/fold-log.ts"
import { runs } from "../../../kit/runs.ts"
import { complaints } from "../../../kit/valid-messages.ts"

const id = fc.constantFrom("a", "b", "c", "")
const text = fc.string({ minLength: 1 }).map((it) => `x${it}`)
const at = fc.integer({ min: 0, max: 10 })

const item: fc.Arbitrary<ConversationItem> = fc.oneof(
  fc.record({ kind: fc.constant("prompt" as const), text, at }),
  fc.record({ kind: fc.constantFrom("text" as const, "thinking" as const), text, model: text, at }),
  fc.record({
    kind: fc.constant("call" as const),
    id,
    tool: fc.constantFrom("Bash", "apply_patch"),
    input: fc.constant({ command: "touch x" }),
    model: text,
    at,
  }),
  fc.record({ kind: fc.constant("result" as const), id, text: fc.string(), isError: fc.boolean(), at }),
)

test("property: every conversation becomes valid messages, in which every call has a result", () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 30 }), (items) => {
      const entries = entriesOf({ cwd: "/w", items, unreadable: 0 }, seededIds(1))
      expect(complaints(foldMessages(entries))).toEqual([])
      // A resume has nothing to add, so nothing was left open.
      expect(repaired(entries)).toEqual([...entries])
      const said = new Set(entries.map(({ kind }) => kind))
      for (const kind of said)
        expect(["turn_start", "prompt", "reply", "reply_end", "result", "turn_end"]).toContain(kind)
    }),
    runs(150),
  )
})
