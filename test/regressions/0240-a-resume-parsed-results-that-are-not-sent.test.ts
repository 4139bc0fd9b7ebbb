/** A resume parsed every result of the log, also those that were cleared from the conversation: 310 MB took 570 MB. */

import { expect, test } from "bun:test"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import { encodeEntry } from "#ground/transcript/line.ts"
import { loadSession, loadTail } from "#ground/transcript/load.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { sealed } from "#ground/transcript/seal.ts"
import { foldMessages } from "../kit/fold-log.ts"
import { runs } from "../kit/runs.ts"
import { temporaryFolder } from "../kit/tmp.ts"

const origin = { sessionId: "s", cwd: "/w", version: "0", gitBranch: "", entrypoint: "cli" }
/** Each looks like the end of the field that it is in. */
const traps = [
  "plain",
  '"}]},"toolUseResult":{"a":1}',
  '","is_error":true}]},',
  "\\",
  'é"}]},"codewright":{"tool":"x"}',
]

type Step =
  { readonly result: number; readonly isError: boolean } | { readonly stub: number } | { readonly back: number }

/** Turns with a call each, and now and then some results cleared, or a rewind. */
function written(steps: readonly Step[]): Entry[] {
  const entries: Entry[] = []
  let tip: string | null = null
  const put = (body: EntryBody): void => {
    const uuid = `u${entries.length}`
    entries.push({ ...body, uuid, parentUuid: tip, at: 1_700_000_000_000 + entries.length })
    tip = body.kind === "head" ? body.to : uuid
  }
  for (const [n, step] of steps.entries()) {
    if ("stub" in step) {
      const calls = pathOf(entries).flatMap((entry) => (entry.kind === "result" ? [entry.callId] : []))
      const stubs = calls.slice(0, step.stub).map((callId) => ({ callId, text: `[${callId} was left out]` }))
      if (stubs.length > 0) put({ kind: "stub", stubs, wonTokens: 1 })
    } else if ("back" in step) {
      const turns = entries.filter(({ kind }) => kind === "turn_start")
      put({ kind: "head", to: turns[step.back % turns.length]?.parentUuid ?? null, why: "rewind" })
    } else for (const body of turnOf(n, step)) put(body)
  }
  return entries
}

function turnOf(n: number, { result, isError }: { readonly result: number; readonly isError: boolean }): EntryBody[] {
  const reply = { messageId: `m${n}`, model: "claude-sonnet-5", usage: noUsage }
  const trap = traps[result % traps.length] ?? ""
  const data = { stdout: trap, backgroundTaskId: `b${n}` }
  return [
    { kind: "turn_start", turnId: `t${n}` },
    { kind: "prompt", promptId: `p${n}`, content: [{ type: "text", text: `do ${n}` }] },
    { kind: "reply", ...reply, block: { type: "tool_use", id: `c${n}`, name: "Bash", input: { command: "true" } } },
    {
      kind: "result",
      callId: `c${n}`,
      tool: "Bash",
      content: `${trap}${"long ".repeat(result * 400)}${trap}`,
      isError,
      ...(result % 2 === 0 && { data, display: { kind: "text", text: trap } }),
      durationMs: n,
    },
    { kind: "reply", ...reply, messageId: `n${n}`, block: { type: "text", text: "Done." } },
    { kind: "turn_end", turnId: `t${n}`, reason: "completed" },
  ]
}

function logOf(path: string, entries: readonly Entry[]): string {
  const header = sealed({ type: "header", format: 1, sessionId: "s", version: "0", cwd: "/w" })
  writeFileSync(path, [header, ...entries.map((entry) => encodeEntry(entry, origin)), ""].join("\n"))
  return path
}

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ result: fc.nat(6), isError: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ stub: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ back: fc.nat(8) }) },
  ),
  { maxLength: 20 },
)

test("what is sent is the same as from reading everything, and only cleared results lack their text", () => {
  using folder = temporaryFolder()
  fc.assert(
    fc.property(steps, (given) => {
      const path = logOf(folder.join("log.jsonl"), written(given))
      const [whole, sent] = [loadTail(path), loadSession(path)]
      if (!whole.ok || !sent.ok) throw new Error("the log cannot be read")
      expect(foldMessages(pathOf(sent.value.entries))).toEqual(foldMessages(pathOf(whole.value.entries)))
      const { entries, wholeFrom } = sent.value
      expect(entries.slice(wholeFrom)).toEqual(whole.value.entries.slice(wholeFrom))
      const named = (list: readonly Entry[]) =>
        list.map((entry) => (entry.kind === "result" ? { ...entry, content: "", display: undefined } : entry))
      expect(named(entries)).toEqual(named(whole.value.entries))
    }),
    runs(60),
  )
})

test("the text of no cleared result is kept, and watchers are shown what comes after them", () => {
  using folder = temporaryFolder()
  const turns = Array.from({ length: 20 }, () => ({ result: 5, isError: false }))
  const path = logOf(folder.join("log.jsonl"), written([...turns, { stub: 15 }, { result: 5, isError: false }]))
  const sent = loadSession(path)
  if (!sent.ok) throw new Error("the log cannot be read")
  const { entries, wholeFrom } = sent.value
  expect(entries.filter((entry) => entry.kind === "result" && entry.content === "")).toHaveLength(15)
  expect(entries[wholeFrom]).toMatchObject({ kind: "turn_start", turnId: "t15" })
})

test("of a long conversation, watchers are shown the end, from the beginning of a turn", () => {
  using folder = temporaryFolder()
  const turns = Array.from({ length: 1_000 }, () => ({ result: 6, isError: false }))
  const path = logOf(folder.join("log.jsonl"), written(turns))
  const sent = loadSession(path)
  if (!sent.ok) throw new Error("the log cannot be read")
  const { entries, wholeFrom } = sent.value
  expect(entries).toHaveLength(6_000)
  expect(entries[wholeFrom]?.kind).toBe("turn_start")
  const shown = logOf(folder.join("shown.jsonl"), entries.slice(wholeFrom))
  expect(statSync(path).size).toBeGreaterThan(12_000_000)
  expect(statSync(shown).size).toBeWithin(3_900_000, 4_001_000)
})

test("a damaged line of a cleared result is told as before", () => {
  using folder = temporaryFolder()
  const path = logOf(folder.join("log.jsonl"), written([{ result: 5, isError: false }, { stub: 1 }]))
  writeFileSync(path, readFileSync(path, "utf8").replace("long", "lang"))
  const sent = loadSession(path)
  expect(sent.ok && sent.value.notes[0]).toBe("Line 5 of the session is damaged and was skipped.")
})
