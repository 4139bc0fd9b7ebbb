/** What was sent to the model, as it is printed by /inspect. */

import { expect, test } from "bun:test"
import { inspectedItem } from "#faces/tui/inspected.ts"
import { inspectedText } from "#session/slash/inspect-text.ts"
import { itemRows } from "#faces/tui/parts/item.ts"
import { openFeed } from "#session/journal/feed.ts"
import { type InspectedBlock, type InspectedRequest, requestRows } from "#session/request/inspect.ts"
import type { Session } from "#session/port/session.ts"
import { openPaperSession } from "../../../kit/paper-session.ts"

const block = (role: InspectedBlock["role"], source: string, cached = false, text = source): InspectedBlock => ({
  role,
  source,
  text,
  tokens: 1200,
  cached,
})
const tools = Array.from({ length: 9 }, (_, i) => block("tools", `tool T${i}`))
const requests: readonly InspectedRequest[] = [
  {
    number: 1,
    at: new Date(2026, 2, 4, 10, 20, 30).getTime(),
    model: "claude-sonnet-5",
    maxTokens: 32_000,
    thinking: "off",
    blocks: [...tools, block("user", "prompt")],
    sameAsBefore: 0,
    usage: { input_tokens: 25, output_tokens: 5, cache_creation_input_tokens: 75, cache_read_input_tokens: 0 },
    proved: true,
  },
  {
    number: 2,
    at: new Date(2026, 2, 4, 10, 20, 31).getTime(),
    model: "claude-sonnet-5",
    maxTokens: 32_000,
    thinking: "off",
    blocks: [
      ...tools.map((tool) => ({ ...tool, cached: true })),
      block("user", "prompt", true),
      block("assistant", "call of Bash"),
      block("user", "result of Bash", false, '{"content":"\u001b[31mred\\nlines\u202e"}'),
    ],
    sameAsBefore: 10,
    usage: { input_tokens: 25, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 75 },
    proved: false,
  },
]

const sessionWith = (sent: readonly InspectedRequest[]): Session =>
  openPaperSession({
    feed: openFeed(),
    submit: () => {},
    answers: {
      requests: ({ last }) => requestRows(sent, last),
      request: ({ number }) => (number === undefined ? sent.at(-1) : sent[number - 1]) ?? null,
    },
  })

async function rows(words: string): Promise<string[]> {
  const shown = await inspectedText(sessionWith(requests).ask, words)
  if (!shown.ok) return [shown.failure]
  // oxlint-disable-next-line no-control-regex -- styles are no part of the words.
  return itemRows(inspectedItem(shown.value), 100, "full").map((row) => row.replaceAll(/\u001b\[[\d;]*m/g, ""))
}

test("the newest request: what is new in it, and what is as before in one line", async () => {
  expect(await rows("")).toEqual([
    "",
    "● Request 2 of 2",
    "    10:20:31, claude-sonnet-5, at most 32k tokens of answer, thinking off",
    "    12 blocks, ~14k tokens, 75% cached",
    "    Not exactly what was sent: the checksum differs. This is a bug; please report it with /bug.",
    "",
    "    1-10  unchanged since the last request, ~12k tokens (/inspect 2 all)",
    "    11  assistant  call of Bash    ~1.2k  new",
    "    12  user       result of Bash  ~1.2k  new",
    "",
    "    /inspect 2 <block> to view a whole block, /inspect list for all requests.",
  ])
  expect(await rows("last")).toEqual(await rows(""))
  expect(await rows("2 all")).toContain("     1  tools      tool T0         ~1.2k  cached")
  expect(await rows("1")).toContain("    Exactly what was sent (verified against its checksum).")
  expect(await rows("1")).toContain("    10  user   prompt   ~1.2k")
})

test("all requests, and one block whole, with nothing in it that a terminal would obey", async () => {
  expect(await rows("list")).toEqual([
    "",
    "● Requests of this session",
    "    1  10:20:30  claude-sonnet-5  10 blocks  ~12k tokens   0% cached",
    "    2  10:20:31  claude-sonnet-5  12 blocks  ~14k tokens  75% cached  2 new  NOT as sent",
    "    /inspect <number> to view one.",
  ])
  expect((await rows("2 12")).join("\n")).toContain('{"content":"red\\nlines<U+202E>"}')
})

test("what there is not", async () => {
  expect(await rows("3")).toEqual(["There is no request 3. They are numbered 1 to 2."])
  expect(await rows("0")).toEqual(["There is no request 0. They are numbered 1 to 2."])
  expect(await rows("2 13")).toEqual(["There is no block 13. Request 2 has 12."])
  for (const words of ["x", "1 2 3", "-1", "1e3"])
    expect(await rows(words)).toEqual(["/inspect takes a request's number, perhaps a block's number or all, or: list."])
  expect(await inspectedText(sessionWith([]).ask, "")).toEqual({
    ok: false,
    failure: "Nothing was sent to the model yet.",
  })
})
