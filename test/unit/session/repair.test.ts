import { describe, expect, test } from "bun:test"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import { type Repair, repair as repairWith } from "#session/journal/repair.ts"

const repair = (entries: readonly Entry[]): Repair =>
  repairWith(entries, {
    fingerprint: () => "unknown",
    canAskAgain: false,
    asked: () => undefined,
    agent: () => undefined,
    why: "the program ended",
  })
const entry = (body: EntryBody): Entry => ({ ...body, uuid: "u", parentUuid: null, at: 0 })
const prompt = (promptId: string): Entry =>
  entry({ kind: "prompt", promptId, content: [{ type: "text", text: promptId }] })
const queued = (promptId: string, when: "steer" | "queue"): Entry =>
  entry({ kind: "queued", promptId, when, content: [{ type: "text", text: promptId }] })
const calls = (id: string, name: string): Entry =>
  entry({ kind: "reply", messageId: "m", model: "x", usage: noUsage, block: { type: "tool_use", id, name, input: {} } })
const intent = (callId: string): Entry => entry({ kind: "intent", callId, tool: "Bash", title: "Bash", files: [] })
const result = (callId: string): Entry =>
  entry({ kind: "result", callId, tool: "Bash", content: "ok", isError: false, durationMs: 0 })
const start = entry({ kind: "turn_start", turnId: "t" })
const end = entry({ kind: "turn_end", turnId: "t", reason: "completed" })

const nothing = { bodies: [], undelivered: [], agents: [] }

describe("bringing a session into order", () => {
  test("one that ended in order needs nothing", () => {
    expect(repair([start, prompt("p"), calls("a", "Read"), result("a"), end])).toMatchObject(nothing)
    expect(repair([])).toMatchObject(nothing)
  })

  test("a call that was under way is told apart from one that had not begun", () => {
    const { bodies } = repair([start, prompt("p"), calls("a", "Bash"), calls("b", "Write"), intent("a")])
    expect(bodies).toEqual([
      {
        kind: "result",
        callId: "a",
        tool: "Bash",
        isError: true,
        durationMs: 0,
        content:
          "Interrupted: the program ended while this was running. It may have taken effect in part or in whole; look before you repeat it.",
      },
      {
        kind: "result",
        callId: "b",
        tool: "Write",
        isError: true,
        durationMs: 0,
        content: "Not run: the program ended before this started.",
      },
      {
        kind: "turn_end",
        turnId: "t",
        reason: "aborted",
        cause: "program_ended",
        message: "The program ended during this turn.",
      },
    ])
  })

  const made = (callId: string, within?: string): Entry =>
    entry({ kind: "intent", callId, ...(within !== undefined && { within }), tool: "Bash", title: "ls", files: [] })
  const notRun = "Not run: the program ended before this started."

  test("what a call had run belongs to it, whatever tool it is", () => {
    const ran = (...more: Entry[]) =>
      repair([start, prompt("p"), calls("a", "Skill"), calls("b", "Load"), ...more]).bodies.flatMap((body) =>
        body.kind === "result" ? [body.content === notRun] : [],
      )
    expect(ran(made("command-1", "b"))).toEqual([true, false])
    expect(ran(made("command-1", "a"))).toEqual([false, true])
    // An older log does not say: only a skill made calls then.
    expect(ran(made("command-1"))).toEqual([false, true])
  })

  test("the command that had begun to run is told, not the first that has a slash", () => {
    const begun = (...more: Entry[]) =>
      repair([queued("/tmp is full, see", "queue"), queued("/deploy now", "queue"), start, ...more]).bodies.flatMap(
        (body) => (body.kind === "command" ? [body.typed] : []),
      )
    expect(begun(made("command-1", "/deploy now"))).toEqual(["/deploy now"])
    expect(begun()).toEqual([])
    // In an older log the first with a slash is all there is to go by.
    expect(begun(made("command-1"))).toEqual(["/tmp is full, see"])
  })

  test("a question that is open waits again only where somebody can answer it", () => {
    const entries = [start, prompt("p"), calls("a", "Bash")]
    const waits = (asked: "open" | "answered", canAskAgain: boolean): boolean =>
      repairWith(entries, {
        fingerprint: () => "unknown",
        canAskAgain,
        asked: () => asked,
        agent: () => undefined,
        why: "the program ended",
      }).unfinished !== undefined
    expect([waits("open", true), waits("open", false)]).toEqual([true, false])
    expect([waits("answered", true), waits("answered", false)]).toEqual([true, true])
  })

  test("a command that had begun to run is not sent again", () => {
    const command = entry({
      kind: "queued",
      promptId: "q",
      when: "queue",
      content: [{ type: "text", text: "/deploy" }],
    })
    const { bodies, undelivered } = repair([command, start, made("command-1", "q")])
    expect(bodies.map(({ kind }) => kind)).toEqual(["command", "turn_end"])
    expect(undelivered).toEqual([])
  })

  test("what a call did to its files is told from what they are like now, unless that is not known", () => {
    const file = { path: "/a", before: "one" }
    const begun = entry({ kind: "intent", callId: "a", tool: "Write", title: "Write /a", files: [file] })
    const told = (now: string): string => {
      const ports = {
        canAskAgain: false,
        asked: () => undefined,
        agent: () => undefined,
        why: "the program ended",
      } as const
      const { bodies } = repairWith([start, calls("a", "Write"), begun], { ...ports, fingerprint: () => now })
      const [first] = bodies
      return first?.kind === "result" ? String(first.content) : ""
    }
    expect(told("one")).toContain("It did not take effect")
    expect(told("two")).toContain("It took effect")
    expect(told("unknown")).toContain("It may have taken effect")
  })

  test("an info notice comes while a user's command runs, and does not end it; a warning does", () => {
    const own = entry({ kind: "intent", callId: "s", tool: "!", title: "make", files: [] })
    const notice = (level: "info" | "warning"): Entry => entry({ kind: "notice", level, text: "x" })
    expect(repair([own, notice("info")]).bodies).toMatchObject([{ kind: "shell", command: "make", exitCode: null }])
    expect(repair([own, notice("warning")]).bodies).toEqual([])
  })

  test("a call with a result is not answered again", () => {
    const { bodies } = repair([start, prompt("p"), calls("a", "Bash"), intent("a"), result("a")])
    expect(bodies.map(({ kind }) => kind)).toEqual(["turn_end"])
  })

  test("calls whose question was open wait for it again unless their answer was interrupted", () => {
    const ends = (cut?: "aborted" | "broken"): Entry[] => [
      entry({
        kind: "reply_end",
        messageId: "m",
        model: "x",
        stopReason: cut ? null : "tool_use",
        ...(cut && { cut }),
        usage: noUsage,
        durationMs: 0,
      }),
    ]
    const waitingAfter = (after: readonly Entry[]): readonly string[] =>
      repairWith([start, prompt("p"), calls("a", "Write"), ...after], {
        fingerprint: () => "unknown",
        canAskAgain: true,
        asked: () => "open",
        agent: () => undefined,
        why: "the program ended",
      }).unfinished?.calls.map(({ id }) => id) ?? []
    expect(waitingAfter(ends())).toEqual(["a"])
    expect(waitingAfter(ends("broken"))).toEqual(["a"])
    expect(waitingAfter([])).toEqual(["a"])
    expect(waitingAfter(ends("aborted"))).toEqual([])
  })

  test("of an answer that was still streaming only what was asked about is begun again", () => {
    const { bodies, unfinished } = repairWith(
      [start, prompt("p"), calls("a", "Bash"), intent("a"), calls("b", "Write"), calls("c", "Write")],
      {
        fingerprint: () => "unknown",
        canAskAgain: true,
        asked: (callId) => (callId === "c" ? undefined : "answered"),
        agent: () => undefined,
        why: "the program ended",
      },
    )
    expect(unfinished?.calls.map(({ id }) => id)).toEqual(["b"])
    expect(bodies.map((body) => (body.kind === "result" ? [body.callId, body.content === notRun] : body.kind))).toEqual(
      [
        ["a", false],
        ["c", true],
      ],
    )
  })

  test("prompts that were accepted and not delivered wait again, in their order", () => {
    const { undelivered } = repair([
      start,
      prompt("p"),
      queued("a", "queue"),
      queued("b", "steer"),
      queued("c", "queue"),
      prompt("b"),
      end,
    ])
    expect(undelivered).toEqual([
      { promptId: "a", when: "queue", content: [{ type: "text", text: "a" }] },
      { promptId: "c", when: "queue", content: [{ type: "text", text: "c" }] },
    ])
  })
})
