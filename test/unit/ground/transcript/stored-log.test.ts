/** A log that is only looked at gives the same conversation as one that is read whole, piece by piece. */

import { expect, test } from "bun:test"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import type { EntryBody } from "#agent/words/entry.ts"
import { loadLog } from "#ground/transcript/load.ts"
import { branches, pathOf } from "#ground/transcript/path.ts"
import { openStoredLog } from "#ground/transcript/stored-log.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { answered, called, entriesOf, saidBy, writeLog } from "../../../kit/write-log.ts"

const result = (callId: string, content: string): EntryBody => ({
  kind: "result",
  callId,
  tool: "Bash",
  content,
  isError: false,
  durationMs: 1,
})
const turn = (n: number): EntryBody[] => [
  { kind: "turn_start", turnId: `t${n}` },
  saidBy(`prompt ${n}`),
  called(`c${n}`, "Bash", { command: "make" }),
  result(`c${n}`, "x".repeat(400_000)),
  answered(`answer ${n}`),
]
const opened = (path: string) => {
  const log = openStoredLog(path)
  if (!log.ok) throw new Error(JSON.stringify(log.failure))
  return log.value
}
const loaded = (path: string) => {
  const log = loadLog(path, { torn: "leave" })
  if (!log.ok) throw new Error(JSON.stringify(log.failure))
  return log.value
}

test("several pieces, in which no call is parted from its result", () => {
  using folder = temporaryFolder()
  const path = writeLog(folder.join("s.jsonl"), entriesOf(Array.from({ length: 12 }, (_, n) => turn(n)).flat()))
  const log = opened(path)
  const pieces = [...log.conversation()].map(({ entries }) => entries)
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.flat()).toEqual([...pathOf(loaded(path).entries)])
  for (const entries of pieces) {
    const results = new Set(entries.flatMap((entry) => (entry.kind === "result" ? [entry.callId] : [])))
    for (const entry of entries)
      if (entry.kind === "reply" && entry.block.type === "tool_use") expect(results.has(entry.block.id)).toBe(true)
  }
  expect(log.ofKinds("turn_start")).toHaveLength(12)
})

test("damage, a torn end and gaps are told as a whole reading tells them", () => {
  using folder = temporaryFolder()
  const path = writeLog(folder.join("s.jsonl"), entriesOf([saidBy("a"), saidBy("b"), answered("c"), answered("d")]))
  const lines = readFileSync(path, "utf8").split("\n")
  lines[2] = lines[2]?.replace("prompt", "prampt") ?? ""
  writeFileSync(path, lines.join("\n"))
  appendFileSync(path, '{"parentUuid":"u3","isSid')
  const log = opened(path)
  expect(log.notes).toEqual([...loaded(path).notes])
  expect(log.notes).toHaveLength(3)
  const [piece] = log.conversation()
  expect(piece?.entries.map((_, index) => piece.isAfterGap(index))).toEqual([false, true, false])
})

test("branches, and what is appended while it is open is not seen", () => {
  using folder = temporaryFolder()
  const bodies: EntryBody[] = [saidBy("a"), answered("b"), { kind: "head", to: null, why: "clear" }, saidBy("c")]
  const path = writeLog(folder.join("s.jsonl"), entriesOf(bodies))
  const log = opened(path)
  expect(log.branches()).toEqual([...branches(loaded(path).entries)])
  const before = [...log.conversation()]
  appendFileSync(path, `${readFileSync(path, "utf8").split("\n")[1]}\n`)
  expect([...log.conversation()].map(({ entries }) => entries)).toEqual(before.map(({ entries }) => entries))
})

test("no log, and one of a newer program", () => {
  using folder = temporaryFolder()
  expect(openStoredLog(folder.join("none.jsonl"))).toMatchObject({ ok: false, failure: { kind: "unreadable" } })
  writeFileSync(folder.join("newer.jsonl"), '{"type":"header","format":99}\n')
  expect(openStoredLog(folder.join("newer.jsonl"))).toMatchObject({ ok: false, failure: { kind: "newer", format: 99 } })
})

test("as a list it is the same, and the texts of results are read from the log when they are wanted", () => {
  using folder = temporaryFolder()
  const path = writeLog(folder.join("s.jsonl"), entriesOf([0, 1].flatMap(turn)))
  const list = opened(path).list()
  expect(list.map((entry) => ({ ...entry }))).toEqual([...loaded(path).entries])
  writeFileSync(path, readFileSync(path, "utf8").replaceAll("x".repeat(400_000), "y".repeat(400_000)))
  const first = list.find((entry) => entry.kind === "result")
  expect(() => first?.content).toThrow("has changed while it was read")
  expect(opened(path).pathTo("not there")).toBeUndefined()
})
