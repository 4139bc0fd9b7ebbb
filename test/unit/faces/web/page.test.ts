/** What the page makes of what the server tells: entries, facts, requests, addresses. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { decodeEntry } from "#ground/transcript/line.ts"
import { answerText, askedIn } from "#faces/web/page/asked.ts"
import type { ShownTask } from "#faces/web/page/contract.ts"
import { fold, nothingYet, type StreamEvent } from "#faces/web/page/folded.ts"
import { placed } from "#faces/web/page/graph.ts"
import { legibleText } from "#faces/web/page/legible.ts"
import { entryOf } from "#faces/web/page/line-entry.ts"
import { emptyDraft, problemIn, requestOf } from "#faces/web/page/start/new-session.ts"
import { routeOf, toSession, toTeam } from "#faces/web/page/route.ts"
import { everyKind } from "../../../kit/every-kind.ts"
import { called, ended, linesOf, prompt, said } from "../../../kit/web/lines.ts"
import { richTalk } from "../../../kit/web/seeds.ts"

const valueIn = (line: string | undefined): JsonValue => JSON.parse(line ?? "null") as JsonValue

describe("lines of a log", () => {
  // The page reads nothing of what the program adds for the model.
  const bodies = Object.values(everyKind).filter(({ kind }) => kind !== "attachment") as EntryBody[]

  test.each(bodies.map((body) => [body.kind, body] as const))("%s is the same entry as in the program", (_, body) => {
    const value = valueIn(linesOf("s", [body])[0])
    const { data: _data, ...expected } = (isObject(value) ? decodeEntry(value) : undefined) as Entry & {
      data?: unknown
    }
    expect(entryOf(value) as unknown).toMatchObject(withoutUndefined(expected))
  })

  test("what is no line is no entry", () => {
    const odd: readonly JsonValue[] = [
      null,
      1,
      "x",
      [],
      {},
      { uuid: "u" },
      { uuid: "u", timestamp: "never", type: "user" },
    ]
    expect(odd.map(entryOf)).toEqual(odd.map(() => undefined))
  })
})

const withoutUndefined = (value: object): object => JSON.parse(JSON.stringify(value)) as object

describe("a session", () => {
  test("is the same however the stream was cut, and whatever was sent twice", async () => {
    const lines = linesOf("s", await richTalk())
    const events = lines.map((data, i): StreamEvent => ({ id: i + 1, type: "entry", data }))
    const whole = fold(nothingYet, events)
    const flat = (folded: typeof whole): unknown => ({ ...folded, settled: folded.settled.flat() })
    fc.assert(
      fc.property(fc.array(fc.nat(events.length)), (cuts) => {
        const places = [...cuts, events.length].toSorted((a, b) => a - b)
        const folded = places.reduce((before, end) => fold(before, events.slice(0, end)), nothingYet)
        expect(flat(folded)).toEqual(flat(whole))
      }),
      { numRuns: 100 },
    )
    expect(whole.facts.context).toHaveLength(4)
    expect(whole.facts.costUsd).toBeCloseTo(0.065)
    expect(whole.facts.prompts.map(({ promptId }) => promptId)).toEqual(["p1"])
    expect(whole.view.todos.map(({ status }) => status)).toEqual(["completed", "in_progress", "pending"])
  })

  test("shows what is being said until its entry arrives, also to who came in the middle", () => {
    const delta = (text: string) =>
      JSON.stringify({ type: "model_delta", messageId: "m", delta: { type: "text_delta", index: 0, text } })
    const middle = fold(nothingYet, [
      { id: 7, type: "moment", data: delta("lo wor") },
      { id: 8, type: "moment", data: delta("ld") },
    ])
    expect(middle.speaking.text).toBe("lo world")
    const [line = ""] = linesOf("s", [said("m", "Hello world")])
    const after = fold(middle, [{ id: 9, type: "entry", data: line }])
    expect(after.speaking.text).toBe("")
    expect(JSON.stringify([after.settled, after.view.items])).toContain("Hello world")
  })

  test("is not led astray by what arrives late: the beginning of a call, and parts of an answer", () => {
    const [use, result] = called("m", { id: "c", tool: "Glob", input: {}, title: "Glob *", text: "a" })
    const end: EntryBody = { kind: "turn_end", turnId: "t", reason: "completed" }
    const bodies = [use, result, ended("m", 1, 1, 0)].filter((body) => body !== undefined)
    const moments = [
      { type: "tool_start", callId: "c", tool: "Glob", title: "Glob *", gathers: "searches" },
      { type: "model_delta", messageId: "m", delta: { type: "text_delta", index: 0, text: "late" } },
    ]
    const events = [
      ...linesOf("s", bodies).map((data) => ({ type: "entry", data })),
      ...moments.map((moment) => ({ type: "moment", data: JSON.stringify(moment) })),
      ...linesOf("s", [end], 3).map((data) => ({ type: "entry", data })),
    ].map((event, i): StreamEvent => ({ id: i + 1, ...event }))
    const before = fold(nothingYet, events.slice(0, -1))
    expect(before.speaking.text).toBe("")
    const items = [...before.settled.flat(), ...before.view.items]
    expect(items.map((item) => item.kind === "call" && item.state)).toEqual(["done"])
    const after = fold(before, events)
    expect([...after.settled.flat(), ...after.view.items][0]).toMatchObject({ kind: "call", state: "done" })
  })

  test("survives lines that are none", () => {
    const odd = [
      "",
      "{",
      "null",
      "[]",
      '{"type":"system","subtype":"question","uuid":"u","timestamp":"2026-01-01T00:00:00Z"}',
    ]
    const events = ["entry", "moment", "stage", "approval"].flatMap((type, i) =>
      odd.map((data, k): StreamEvent => ({ id: 10 * i + k + 1, type, data })),
    )
    expect(fold(nothingYet, events).changes).toBe(10)
  })

  test("forgets prompts that were rewound", () => {
    const head: EntryBody = { kind: "head", to: "s-0", why: "rewind", prompt: "two" }
    const lines = linesOf("s", [prompt("one", "p1"), prompt("two", "p2"), head, prompt("three", "p3")])
    const { facts } = fold(
      nothingYet,
      lines.map((data, i) => ({ id: i + 1, type: "entry", data })),
    )
    expect(facts.prompts.map(({ text }) => text)).toEqual(["one", "three"])
  })

  test("marks where the context was compacted", () => {
    const compaction: EntryBody = {
      kind: "compaction",
      trigger: "auto",
      preTokens: 9,
      postTokens: 1,
      by: "model",
      summary: "",
      messages: [],
      standing: [],
    }
    const lines = linesOf("s", [ended("m1", 1, 2, 0), compaction, ended("m2", 0, 1, 0)])
    const { facts } = fold(
      nothingYet,
      lines.map((data, i) => ({ id: i + 1, type: "entry", data })),
    )
    expect(facts.context).toEqual([
      { cached: 1, fresh: 2, output: 400, isCompacted: false },
      { cached: 0, fresh: 1, output: 400, isCompacted: true },
    ])
  })
})

describe("the graph of a team", () => {
  const task = (id: string, blockedBy: readonly string[]): ShownTask => ({
    id,
    subject: id,
    status: "pending",
    blocks: [],
    blockedBy,
    attempts: 0,
  })

  test("each task stands to the right of what it waits for, and none on another", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(20), { maxLength: 3 }), { maxLength: 20 }), (waits) => {
        const tasks = waits.map((ids, i) => task(String(i), ids.filter((id) => id < i).map(String)))
        const all = placed(tasks)
        const columns = new Map(all.map((each) => [each.task.id, each.column]))
        for (const { task: each, column } of all)
          for (const id of each.blockedBy) expect(columns.get(id)).toBeLessThan(column)
        expect(new Set(all.map(({ column, row }) => `${column} ${row}`)).size).toBe(tasks.length)
      }),
    )
  })

  test("a circle and a task that is gone do no harm", () => {
    expect(placed([task("1", ["2", "9"]), task("2", ["1"])])).toHaveLength(2)
  })
})

describe("a new session", () => {
  const whole = { ...emptyDraft, prompt: " do it ", place: " /srv/app " }

  test("asks for what is missing, by name", () => {
    expect(problemIn(emptyDraft)).toContain("task")
    expect(problemIn({ ...whole, place: "" })).toContain("repository")
    expect(problemIn({ ...whole, place: "app" })).toContain("absolute path")
    expect(problemIn({ ...whole, ref: "main" })).toContain("branch")
    expect(problemIn({ ...whole, budget: "-1" })).toContain("budget")
    expect(problemIn(whole)).toBeUndefined()
  })

  test("is a folder or a repository", () => {
    expect(requestOf(whole)).toEqual({ prompt: "do it", workspace: { path: "/srv/app" }, mode: "default" })
    const git = {
      ...whole,
      place: "git@host.example:a/b.git",
      ref: "v1",
      model: "m",
      budget: "2.5",
      gates: ["plan"],
    } as const
    expect(requestOf(git)).toEqual({
      prompt: "do it",
      workspace: { git: { url: "git@host.example:a/b.git", ref: "v1" } },
      mode: "default",
      model: "m",
      budgetUsd: 2.5,
      gates: { plan: true },
    })
  })
})

describe("questions", () => {
  test("of the model, and the form of a server", () => {
    const questions = [
      { question: "Why?", header: "W", options: [{ label: "A", description: "a" }], multiSelect: true },
      7,
    ]
    expect(askedIn("question", "", { questions })).toEqual([
      { question: "Why?", header: "W", options: [{ label: "A", description: "a" }], isMultiple: true },
    ])
    const requestedSchema = { type: "object", properties: { n: { type: "string", enum: ["x", "y"] } }, required: ["n"] }
    const [asked] = askedIn("elicitation", "s", { message: "Pick", requestedSchema })
    expect(asked?.options.map(({ label }) => label)).toEqual(["x", "y"])
    expect(askedIn("question", "", { odd: 1 })).toEqual([])
  })

  test("an answer is what was chosen and what was written", () => {
    expect(answerText(["a", "b"], " c ")).toBe("a, b, c")
    expect(answerText([], " ")).toBeUndefined()
  })
})

test("an address names one screen, and any id comes back from it", () => {
  expect(
    ["", "#/", "#/new", "#/sessions", "#/nowhere", "#/new/x", "#/sessions/a/b"].map((hash) => routeOf(hash).screen),
  ).toEqual(["inbox", "inbox", "new", "sessions", "missing", "missing", "missing"])
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (id) => {
      expect(routeOf(toSession(id))).toEqual({ screen: "session", id })
      expect(routeOf(toTeam(id))).toEqual({ screen: "team", id })
    }),
  )
  expect(routeOf("#/sessions/%E0%A4%A")).toEqual({ screen: "session", id: "%E0%A4%A" })
})

test("text from outside has no escape sequences and hides nothing", () => {
  expect(
    legibleText(
      "\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u202eabc\u200b\r\nx\ty",
    ),
  ).toBe("red link <U+202E>abc<U+200B>\nx\ty")
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(legibleText(text)).not.toMatch(/[\p{Cc}--[\n\t]]|[\u202a-\u202e\u2066-\u2069\u200b]/v)
    }),
  )
})
