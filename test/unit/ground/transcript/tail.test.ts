/** A log read from its end: as much as is needed, and the same state as from reading all of it. */

import { describe, expect, test } from "bun:test"
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { encodeEntry, type Origin } from "#ground/transcript/line.ts"
import { sealed } from "#ground/transcript/seal.ts"
import { type Loaded, loadLog, loadTail, type LoadedTail, type LoadFailure } from "#ground/transcript/load.ts"
import { pathOf } from "#ground/transcript/path.ts"
import type { Result } from "#lib/result.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const origin: Origin = { sessionId: "s", cwd: "/w", version: "0", gitBranch: "", entrypoint: "cli" }
const header = `${sealed({ type: "header", format: 1, sessionId: "s", version: "0", cwd: "/w" })}\n`

/** What a session would make of entries: its mode, title and cost from all of them, the conversation from the path. */
function fold(entries: readonly Entry[]) {
  let mode = "default"
  let title = ""
  let turns = 0
  const take = (body: EntryBody): void => {
    if (body.kind === "mode") mode = body.mode
    if (body.kind === "title") title = body.text
    if (body.kind === "turn_start") turns++
    if (body.kind === "spent") turns = body.turns
    if (body.kind === "compaction") body.standing.forEach(take)
  }
  entries.forEach(take)
  const path = pathOf(entries)
  const from = path.findLastIndex(({ kind }) => kind === "compaction")
  return { mode, title, turns, conversation: path.slice(Math.max(0, from)) }
}

type Step = "say" | "mode" | "title" | "turn" | "compact" | { readonly back: number } | "clear"

/** A log as a session would write it. */
function written(steps: readonly Step[]): Entry[] {
  const entries: Entry[] = []
  let tip: string | null = null
  const put = (body: EntryBody): void => {
    const uuid = `u${entries.length}`
    const parentUuid: string | null = body.kind === "head" ? (entries.at(-1)?.uuid ?? null) : tip
    entries.push({ ...body, uuid, parentUuid, at: 1_700_000_000_000 + entries.length })
    tip = body.kind === "head" ? body.to : uuid
  }
  for (const step of steps) put(bodyOf(step))
  return entries

  function bodyOf(step: Step): EntryBody {
    const n = entries.length
    if (typeof step === "object") {
      const possible = entries.filter(({ kind }) => kind !== "head")
      return { kind: "head", to: possible[step.back % Math.max(1, possible.length)]?.uuid ?? null, why: "rewind" }
    }
    if (step === "clear") return { kind: "head", to: null, why: "clear" }
    if (step === "say") return { kind: "prompt", promptId: `p${n}`, content: [{ type: "text", text: `say ${n}` }] }
    if (step === "mode") return { kind: "mode", mode: n % 2 === 0 ? "plan" : "acceptEdits" }
    if (step === "title") return { kind: "title", text: `title ${n}`, by: "person" }
    if (step === "turn") return { kind: "turn_start", turnId: `t${n}` }
    const { mode, title, turns } = fold(entries)
    return {
      kind: "compaction",
      trigger: "auto",
      preTokens: 9,
      postTokens: 1,
      by: "extract",
      summary: "so far",
      messages: [{ role: "user", content: [{ type: "text", text: "so far" }] }],
      standing: [
        { kind: "mode", mode: mode as "plan" },
        { kind: "title", text: title, by: "person" },
        { kind: "spent", turns, models: [] },
      ],
    }
  }
}

const textOf = (entries: readonly Entry[]): string =>
  header + entries.map((entry) => `${encodeEntry(entry, origin)}\n`).join("")

function value<T extends Loaded>(result: Result<T, LoadFailure>): T {
  if (!result.ok) throw new Error(result.failure.kind)
  return result.value
}
const names = ({ entries }: Loaded): string => entries.map(({ uuid }) => uuid).join(" ")

function loaded(text: string | Uint8Array): LoadedTail {
  using folder = temporaryFolder()
  writeFileSync(folder.join("s.jsonl"), text)
  return value(loadTail(folder.join("s.jsonl")))
}

const said = (count: number): Step[] => Array.from({ length: count }, () => "say" as const)

describe("how far back it reads", () => {
  test("to the last compaction, and says how much it left unread", () => {
    const entries = written([...said(3), "compact", ...said(2), "compact", "say"])
    const tail = loaded(textOf(entries))
    expect(tail).toEqual({ entries: entries.slice(6), notes: [], unreadBytes: textOf(entries.slice(0, 6)).length })
  })

  test("to the beginning when there is none", () => {
    const entries = written(said(5))
    expect(loaded(textOf(entries))).toEqual({ entries, notes: [], unreadBytes: 0 })
    expect(loaded("")).toEqual({ entries: [], notes: [], unreadBytes: 0 })
    expect(loaded(header)).toEqual({ entries: [], notes: [], unreadBytes: 0 })
  })

  test("past a compaction that the conversation was sent back before", () => {
    const entries = written(["say", "compact", "say", "compact", "say", { back: 2 }, "say"])
    expect(names(loaded(textOf(entries)))).toBe("u1 u2 u3 u4 u5 u6")
    // Also when nothing was said since.
    expect(names(loaded(textOf(entries.slice(0, 6))))).toBe("u1 u2 u3 u4 u5")
    const before = written(["say", "say", "compact", "say", { back: 0 }])
    expect(names(loaded(textOf(before)))).toBe("u0 u1 u2 u3 u4")
  })

  test("only to a compaction of what was forgotten, for what holds for the session", () => {
    const entries = written(["mode", "say", "compact", "say", "clear", "say"])
    const tail = loaded(textOf(entries))
    expect(names(tail)).toBe("u2 u3 u4 u5")
    expect(fold(tail.entries)).toEqual(fold(entries))
    expect(names(loaded(textOf(entries.slice(0, 5))))).toBe("u2 u3 u4")
  })

  test("to the beginning when something on the way is missing, because it may have been what sent us elsewhere", () => {
    const entries = written([...said(2), "compact", ...said(4)])
    const tail = loaded(textOf(entries.filter((_, at) => at !== 5)))
    expect(names(tail)).toBe("u0 u1 u2 u3 u4 u6")
    expect(tail.notes).toEqual([
      "Entries are missing before line 7 of the session. The conversation continues after them.",
    ])
  })

  test("over lines of other programs and of later versions, which are links all the same", () => {
    const entries = written([...said(2), "compact", ...said(3)])
    const lines = textOf(entries).split("\n")
    lines[5] = JSON.stringify({ ...JSON.parse(lines[5] ?? ""), type: "system", subtype: "of the future" })
    const [, , compaction, , after, last] = entries as [Entry, Entry, Entry, Entry, Entry, Entry]
    lines[4] = JSON.stringify({ ...JSON.parse(lines[4] ?? ""), type: "unheard of", sum: undefined })
    const broken = lines.map((line) => line.replace(/,"sum":"[0-9a-f]{8}"}$/, "}")).join("\n")
    const joined = { ...last, parentUuid: compaction.uuid }
    expect(after.uuid).toBe("u4")
    expect(loaded(broken)).toMatchObject({ entries: [compaction, joined], notes: [] })
  })
})

test("folding the tail comes to the same as folding the whole", () => {
  using folder = temporaryFolder()
  const path = folder.join("s.jsonl")
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Step>("say", "mode", "title", "turn") },
    { weight: 1, arbitrary: fc.constant<Step>("compact") },
    { weight: 1, arbitrary: fc.nat(60).map((back): Step => ({ back })) },
    { weight: 1, arbitrary: fc.constant<Step>("clear") },
  )
  let shorter = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const entries = written(steps)
      writeFileSync(path, textOf(entries))
      expect(value(loadLog(path)).entries).toEqual(entries)
      const tail = value(loadTail(path))
      expect(fold(tail.entries)).toEqual(fold(entries))
      expect(entries.slice(entries.length - tail.entries.length)).toEqual([...tail.entries])
      if (tail.entries.length < entries.length) shorter++
    }),
    { numRuns: 400 },
  )
  expect(shorter).toBeGreaterThan(50)
})

describe("damage", () => {
  const entries = written([...said(3), "compact", ...said(4)])
  const text = textOf(entries)

  test("a torn last line is cut off by the owner, and only left out by others", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.jsonl")
    writeFileSync(path, text)
    truncateSync(path, text.length - 9)
    const size = statSync(path).size
    const left = value(loadTail(path, { torn: "leave" }))
    expect(left.notes).toEqual([expect.stringMatching(/^The last line of the session is torn and was left out/)])
    expect(statSync(path).size).toBe(size)
    expect(names(value(loadTail(path)))).toBe("u3 u4 u5 u6")
    expect(statSync(path).size).toBe(textOf(entries.slice(0, 7)).length)
    expect(value(loadTail(path)).notes).toEqual([])
  })

  test("a damaged line in the tail is named by its number in the whole file", () => {
    const lines = text.split("\n")
    lines[6] = (lines[6] as string).replace("say", "lay")
    const tail = loaded(lines.join("\n"))
    expect(tail.notes[0]).toBe("Line 7 of the session is damaged and was skipped.")
    expect(names(tail)).toBe("u0 u1 u2 u3 u4 u6 u7")
  })

  test("a damaged compaction is not relied on", () => {
    const lines = text.split("\n")
    lines[4] = (lines[4] as string).replace("so far", "so var")
    expect(names(loaded(lines.join("\n")))).toBe("u0 u1 u2 u4 u5 u6 u7")
  })

  test("carriage returns, doubled newlines and a second copy of lines change nothing", () => {
    const whole = loaded(text).entries
    expect(loaded(text.replaceAll("\n", "\r\n"))).toMatchObject({ entries: whole, notes: [] })
    expect(loaded(text.replaceAll("\n", "\n\n"))).toMatchObject({ entries: whole, notes: [] })
    const copied = `${text}${encodeEntry(entries[5] as Entry, origin)}\n`
    expect(loaded(copied)).toMatchObject({ entries: whole, notes: [] })
  })

  test("a checksum is held against the line also where it ends with a carriage return", () => {
    const altered = text.replace("say 6", "lay 6").replaceAll("\n", "\r\n")
    expect(loaded(altered).notes[0]).toBe("Line 8 of the session is damaged and was skipped.")
  })

  test("bytes of zero at the end are a torn line, in the middle a damaged one", () => {
    const zeros = Buffer.alloc(5000)
    expect(loaded(Buffer.concat([Buffer.from(text), zeros]))).toMatchObject({
      entries: entries.slice(3),
      notes: ["The last line of the session was torn and has been cut off (5000 bytes)."],
    })
    const at = textOf(entries.slice(0, 6)).length
    const holed = Buffer.from(text)
    holed.fill(0, at, at + 40)
    expect(names(loaded(holed))).toBe("u0 u1 u2 u3 u4 u5 u7")
  })

  test("a log without its header is read, one of a newer format is not touched", () => {
    expect(loaded(text.slice(header.length)).entries).toEqual(entries.slice(3))
    using folder = temporaryFolder()
    const newer = `${sealed({ type: "header", format: 2 })}\n${text}{"torn`
    writeFileSync(folder.join("s.jsonl"), newer)
    const path = folder.join("s.jsonl")
    expect(loadTail(path)).toEqual({ ok: false, failure: { kind: "newer", path, format: 2 } })
    expect(readFileSync(path, "utf8")).toBe(newer)
  })

  test("lines of ten megabytes are read as any other", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.jsonl")
    writeFileSync(path, text)
    const large: Entry[] = [0, 1].map((n) => ({
      kind: "notice",
      level: "info",
      text: "é".repeat(5_000_000),
      uuid: `large${n}`,
      parentUuid: n === 0 ? "u7" : "large0",
      at: 1_700_000_000_000,
    }))
    for (const entry of large) appendFileSync(path, `${encodeEntry(entry, origin)}\n`)
    const tail = value(loadTail(path))
    expect(tail.notes).toEqual([])
    expect(tail.entries.length).toBe(7)
    expect(tail.entries.slice(-2)).toEqual(large)
  })

  test("a log that is not there, or a folder, is a failure with a reason", () => {
    using folder = temporaryFolder()
    expect(loadTail(folder.join("none"))).toMatchObject({ ok: false, failure: { kind: "unreadable" } })
    expect(loadTail(folder.path)).toMatchObject({ ok: false, failure: { kind: "unreadable" } })
  })
})

test("what a compaction carries is held to the same shapes as any line", () => {
  const [compaction] = written(["compact"]) as [Entry & { kind: "compaction" }]
  const odd = {
    ...compaction,
    messages: [
      { role: "user", content: [{ type: "text" }, { type: "text", text: "a" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "Read" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "Read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: 7 }, { type: "tool_result" }] },
      { role: "system", content: [{ type: "text", text: "b" }] },
    ],
    standing: [{ kind: "mode", mode: "god" }, { kind: "title", text: "t", by: "person" }, { kind: "nothing" }],
  } as unknown as Entry
  expect(loaded(textOf([odd])).entries).toEqual([
    {
      ...compaction,
      messages: [
        { role: "user", content: [{ type: "text", text: "a" }] },
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "Read", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [] }] },
      ],
      standing: [{ kind: "title", text: "t", by: "person" }],
    },
  ])
})
