/** How events look as plain lines. */

import { describe, expect, test } from "bun:test"
import { runs } from "#agent/words/footprint.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Event, Moment } from "#agent/words/event.ts"
import type { ModelEvent } from "#agent/words/model.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import { openDrawing } from "#faces/view/lines.ts"
import { hunksOf } from "#lib/diff.ts"

const moment = (body: Moment): Event => ({ cursor: "u", ...body })
const entry = (body: EntryBody): Event => ({
  cursor: "u",
  type: "entry",
  entry: { uuid: "u", parentUuid: null, at: 0, ...body },
})
const delta = (event: ModelEvent): Event => moment({ type: "model_delta", messageId: "m", delta: event })
const says = (text: string): Event => delta({ type: "text_delta", index: 0, text })
const stop = delta({ type: "block_stop", index: 0 })
const starts = (title: string): Event => moment({ type: "tool_start", callId: "c", tool: "T", title })
const result = (content: string, more: { isError?: boolean; display?: object } = {}): Event =>
  entry({ kind: "result", callId: "c", tool: "T", content, isError: false, durationMs: 0, ...more } as EntryBody)

function drawn(...events: Event[]): string {
  const drawing = openDrawing()
  return events.map((event) => drawing.draw(event)).join("")
}

describe("text", () => {
  test("is printed as it comes and ends with one line end", () => {
    expect(drawn(says("Good "), says("day."), stop, starts("Read a.txt"))).toBe("Good day.\n* Read a.txt\n")
    expect(drawn(says("Good day.\n"), stop, starts("Read a.txt"))).toBe("Good day.\n* Read a.txt\n")
  })

  test("blocks without text leave no blank lines", () => {
    expect(drawn(stop, stop, says("Hello"), stop, stop)).toBe("Hello\n")
  })

  test("that breaks off is ended before anything else is said", () => {
    const end = entry({ kind: "turn_end", turnId: "t", reason: "aborted" })
    expect(drawn(says("One two"), end)).toBe("One two\nInterrupted.\n")
  })

  test("loses escape sequences and control characters", () => {
    expect(drawn(says("\u001b[31mred\u001b[0m\u0007\u009b"), stop)).toBe("red\n")
  })
})

describe("results", () => {
  test("are indented and cut, with how much is missing", () => {
    const long = Array.from({ length: 15 }, (_, i) => `line ${i + 1}`).join("\n")
    const lines = drawn(result(long)).split("\n")
    expect(lines.slice(0, 2)).toEqual(["    line 1", "    line 2"])
    expect(lines.slice(11)).toEqual(["    line 12", "    ... 3 more lines", ""])
    expect(drawn(result(""))).toBe("    (no output)\n")
    expect(drawn(result("no\nluck", { isError: true }))).toBe("    Failed: no\n    luck\n")
  })

  test("every kind of display has its lines", () => {
    const hunks = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] }]
    const todo = (content: string, status: string): object => ({ content, status, activeForm: content })
    const displays: readonly (readonly [object, string])[] = [
      [{ kind: "text", text: "3 lines" }, "    3 lines\n"],
      [{ kind: "diff", path: "a", hunks, created: false }, "    -a\n    +b\n"],
      [{ kind: "terminal", command: "x", output: "out\n", exitCode: 0 }, "    out\n"],
      [{ kind: "list", items: ["a", "b"] }, "    a\n    b\n"],
      [{ kind: "image", mediaType: "image/png", bytes: 3, path: "a.png" }, "    [image a.png, 3 B]\n"],
      [
        { kind: "todos", todos: [todo("a", "completed"), todo("b", "in_progress"), todo("c", "pending")] },
        "    [x] a\n    [>] b\n    [ ] c\n",
      ],
    ]
    for (const [display, lines] of displays) expect(drawn(result("raw", { display }))).toBe(lines)
  })
})

test("retries, notices and ends are lines of their own", () => {
  const failure = { kind: "overloaded" as const, message: "The provider is overloaded." }
  expect(drawn(moment({ type: "retry_wait", retry: { attempt: 2, of: 11, delayMs: 1_200, failure } }))).toBe(
    "Warning: The provider is overloaded. Retrying in 2 s (2 of 10).\n",
  )
  expect(drawn(entry({ kind: "notice", level: "warning", text: "Mind this." }))).toBe("Warning: Mind this.\n")
  expect(drawn(entry({ kind: "turn_end", turnId: "t", reason: "completed" }))).toBe("")
  expect(drawn(entry({ kind: "turn_end", turnId: "t", reason: "error", message: "It broke." }))).toBe("It broke.\n")
})

describe("a question", () => {
  const answers = "  1. Yes\n  2. No, tell the model what to do differently\n"

  const permission = (
    input: { readonly [name: string]: string | number | boolean },
    title = "Bash x",
  ): QuestionAsk & { kind: "permission" } => ({
    kind: "permission",
    callId: "c",
    tool: "Bash",
    title,
    input,
    footprint: { reads: [], writes: [], runs: [], reaches: [], asks: false, alone: false, effect: "none" },
    decision: { behavior: "ask", reason: { kind: "default" }, message: "Bash would run it.", trace: [] },
  })

  test("shows every line of what would be done, however long", () => {
    const content = Array.from({ length: 200 }, (_, i) => `line ${i}`).join("\n")
    const lines = openDrawing()
      .drawQuestion(permission({ file_path: "a", content, limit: 3 }))
      .split("\n")
    expect(lines.slice(0, 5)).toEqual([
      "? Allow Bash x?",
      "    file_path: a",
      "    content:",
      "      line 0",
      "      line 1",
    ])
    expect(lines.slice(-7)).toEqual([
      "      line 198",
      "      line 199",
      "    limit: 3",
      "  Bash would run it.",
      "  1. Yes",
      "  2. No, tell the model what to do differently",
      "",
    ])
  })

  test("names a rule of its own kind as an example of one to give", () => {
    const ask = {
      ...permission({ file_path: "a.ts" }, "Edit a.ts"),
      tool: "Edit",
      suggestedRule: "Edit(/a.ts)",
      destinations: ["session"],
    } as const
    expect(openDrawing().drawQuestion(ask)).toContain("2 local, 2 project or 2 user, 2 Edit(/a.ts).\n")
  })

  test("marks what a terminal would hide, also in its title", () => {
    const shown = openDrawing().drawQuestion(permission({ command: "a\u001b[2K\rb\u200bc\u009bd" }, "Bash a\nb\u0000"))
    expect(shown).toBe(
      `? Allow Bash a<U+000A>b<U+0000>?\n    a<U+001B>[2K<U+000D>b<U+200B>c<U+009B>d\n  Bash would run it.\n${answers}`,
    )
  })

  test("says in words what a command comes with: the model's explanation, and how it would run", () => {
    const input = {
      command: "make",
      description: "Build\n everything\u001b",
      timeout: 90_000,
      run_in_background: true,
      dangerouslyDisableSandbox: true,
    }
    const shown = openDrawing().drawQuestion({ ...permission(input), footprint: runs("make") })
    expect(shown.split("\n").slice(1, 5)).toEqual([
      "    make",
      "    The model says: Build everything<U+001B>",
      "    (runs in the background)",
      "    (stopped after 1 min 30 s)",
    ])
  })

  test("shows what changed in a tool since it was allowed, and nothing of it hidden", async () => {
    const hunks = await hunksOf("Hints: none\n", "Hints: readOnlyHint true\u202e\n")
    const change = { path: "mcp__box__say", hunks, created: false }
    const ask = permission({ text: "x" }, "box: say")
    expect(openDrawing().drawQuestion(ask, { id: "a", type: "reviewer" })).toStartWith(
      "Asked by the reviewer agent:\n? ",
    )
    const member = { id: "a", type: "reviewer", name: "api\u001b[31m" }
    expect(openDrawing().drawQuestion(ask, member)).toStartWith("Asked by api")
    expect(openDrawing().drawQuestion(ask, member)).toContain(", a member of the team:\n? ")
    expect(openDrawing().drawQuestion(ask, member)).not.toContain("\u001b")
    const plan = { kind: "plan", callId: "c", plan: "# P", path: "/p.md", modes: [], wishes: [] } as const
    expect(openDrawing().drawQuestion(plan)).toContain("Add fresh after the number")
    expect(openDrawing().drawQuestion(plan, member)).not.toContain("fresh")
    expect(openDrawing().drawQuestion({ ...ask, change })).toBe(
      `? Allow box: say?\n    x\n  This tool has changed since you allowed it:\n    -Hints: none\n    +Hints: readOnlyHint true<U+202E>\n  Bash would run it.\n${answers}`,
    )
    expect(openDrawing().drawQuestion({ ...ask, change: { ...change, created: true } })).toContain(
      "The earlier version is not known; this is the current one:",
    )
  })

  test("begins on a line of its own", () => {
    const drawing = openDrawing()
    drawing.draw(says("I would like to"))
    expect(drawing.drawQuestion(permission({}))).toStartWith("\n? Allow Bash x?\n")
  })

  test("of choices numbers them", () => {
    const options = [
      { label: "Red", description: "warm" },
      { label: "Blue", description: "cold" },
    ]
    const asked = { question: "Which colour?", header: "Colour", options, multiSelect: false }
    expect(openDrawing().drawQuestion({ kind: "choice", callId: "c", questions: [asked] })).toBe(
      "? Which colour?\n  1. Red: warm\n  2. Blue: cold\n",
    )
  })
})
