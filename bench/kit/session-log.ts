/** A session's log of any size, written as a session would: prompts, calls, results, answers, and compactions now and then. */

import { appendFileSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import type { Entry, EntryBody } from "../../src/agent/words/entry.ts"
import { noUsage } from "../../src/agent/words/model.ts"
import { encodeEntry } from "../../src/ground/transcript/line.ts"
import { sealed } from "../../src/ground/transcript/seal.ts"

export interface SessionLog {
  readonly path: string
  readonly sessionId: string
  readonly cwd: string
  /** How many entries it has, about. */
  readonly entries: number
  /** How long each tool result is. */
  readonly resultCharacters: number
  /** The place of the last compaction, counted in entries from the end; never compacted when absent. */
  readonly compactedBefore?: number
  /** How many of the newest results are sent; those before were cleared, a hundred at a time. All when absent. */
  readonly keptResults?: number
  /** What makes the words of one session differ from those of another. */
  readonly salt: number
}

export function writeSessionLog(log: SessionLog): void {
  const { path, sessionId, cwd, salt } = log
  mkdirSync(dirname(path), { recursive: true })
  const origin = { sessionId, cwd, version: "0", gitBranch: "main", entrypoint: "cli" }
  let text = `${sealed({ type: "header", format: 1, sessionId, version: "0", cwd })}\n`
  let last: string | null = null
  let count = 0
  const put = (body: EntryBody): void => {
    const uuid = `${salt}-${count++}`
    const entry: Entry = { ...body, uuid, parentUuid: last, at: 1_700_000_000_000 + count * 1000 }
    text += `${encodeEntry(entry, origin)}\n`
    last = uuid
    if (text.length < 4_000_000) return
    appendFileSync(path, text)
    text = ""
  }
  let stubbed = 0
  put({ kind: "mode", mode: "default" })
  put({ kind: "model", model: "claude-opus-5-5", why: "start" })
  const compactedAt = log.entries - (log.compactedBefore ?? Infinity)
  for (let turn = 0; count < log.entries; turn++) {
    if (count < compactedAt && count + 8 >= compactedAt) put(compaction)
    if (turn - stubbed >= (log.keptResults ?? Infinity) + 100) {
      const cleared = Array.from({ length: 100 }, (_, n) => `c${salt}-${stubbed + n}`)
      stubbed += 100
      put({
        kind: "stub",
        stubs: cleared.map((callId) => ({ callId, text: `[The result of ${callId} was left out to make room.]` })),
        wonTokens: 100 * (log.resultCharacters / 4),
      })
    }
    for (const body of turnOf(turn)) put(body)
  }
  appendFileSync(path, text)

  function turnOf(turn: number): EntryBody[] {
    const id = `${salt}-${turn}`
    const words = (n: number): string => wordAt(salt * 7919 + turn * 31 + n)
    const usage = { ...noUsage, input_tokens: 900, output_tokens: 60 }
    const reply = { messageId: `m${id}`, model: "claude-opus-5-5", usage }
    const file = `src/${words(1)}/${words(2)}.ts`
    return [
      { kind: "turn_start", turnId: `t${id}` },
      { kind: "prompt", promptId: `p${id}`, content: [{ type: "text", text: `please ${words(3)} the ${words(4)}` }] },
      { kind: "reply", ...reply, block: { type: "tool_use", id: `c${id}`, name: "Read", input: { file_path: file } } },
      {
        kind: "result",
        callId: `c${id}`,
        tool: "Read",
        content: `${words(5)} ${words(6)} `.repeat(Math.ceil(log.resultCharacters / 16)).slice(0, log.resultCharacters),
        isError: false,
        durationMs: 2,
      },
      { kind: "reply", ...reply, block: { type: "text", text: `The ${words(4)} is a ${words(7)} of ${words(8)}.` } },
      { kind: "reply_end", ...reply, stopReason: "end_turn", costUsd: 0.01, durationMs: 900 },
      { kind: "turn_end", turnId: `t${id}`, reason: "completed" },
    ]
  }
}

const compaction: EntryBody = {
  kind: "compaction",
  trigger: "auto",
  preTokens: 160_000,
  postTokens: 4_000,
  by: "model",
  summary: "What was done so far.",
  messages: [{ role: "user", content: [{ type: "text", text: "What was done so far." }] }],
  standing: [
    { kind: "mode", mode: "default" },
    { kind: "model", model: "claude-opus-5-5", why: "start" },
    { kind: "spent", turns: 10, models: [] },
  ],
}

const syllables = ["ba", "do", "ki", "lu", "me", "no", "ra", "si", "tu", "ve", "wo", "xa", "pi", "fe", "go", "ju"]

/** One of some sixty thousand words, the same for the same number. */
function wordAt(number: number): string {
  const mixed = Math.imul(number, 2_654_435_761) >>> 0
  return [0, 4, 8, 12].map((shift) => syllables[(mixed >>> (shift + 8)) & 15]).join("")
}
