import { describe, expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { ModelFailure } from "#agent/words/model.ts"
import { openRecovery } from "#session/request/recover.ts"

/** A conversation in which tools were used. */
function open(...fallbackModels: readonly string[]) {
  const opened = openFresh(...fallbackModels)
  opened.recovery.onEntry(
    entry({ kind: "result", callId: "c", tool: "Read", content: "much", isError: false, durationMs: 1 }),
  )
  return opened
}

function openFresh(...fallbackModels: readonly string[]) {
  const recorded: EntryBody[] = []
  let model = "big"
  const recovery = openRecovery({
    model: () => model,
    fallbackModels,
    record: (body) => {
      recorded.push(body)
      if (body.kind === "model") ({ model } = body)
    },
  })
  const rungs = (): string[] => recorded.flatMap((body) => (body.kind === "shrink" ? [body.rung] : []))
  return { recovery, recorded, rungs }
}

const failure = (kind: "too_long" | "too_large" | "malformed" | "overloaded" | "rejected"): ModelFailure => ({
  kind,
  message: "no",
})
const entry = (body: EntryBody) => ({ ...body, uuid: "u", parentUuid: null, at: 0 })

describe("recovering from a refused request", () => {
  test("a request that is too long goes down the ladder, one rung each time, then gives up", () => {
    const { recovery, rungs } = open()
    const said = Array.from({ length: 4 }, () => recovery.recover(failure("too_long")))
    expect(said).toEqual(["again", "again", "again", "give_up"])
    expect(rungs()).toEqual(["results", "turns", "summary"])
  })

  test("where no tool was used there are no results to leave out, and the same request is not sent again", () => {
    const { recovery, rungs } = openFresh()
    const said = Array.from({ length: 3 }, () => recovery.recover(failure("too_long")))
    expect(said).toEqual(["again", "again", "give_up"])
    expect(rungs()).toEqual(["turns", "summary"])
  })

  test("one that is too large, or not taken as it is, begins with pictures", () => {
    for (const kind of ["too_large", "malformed"] as const) {
      const { recovery, rungs } = open()
      for (let i = 0; i < 5; i++) recovery.recover(failure(kind))
      expect(rungs()).toEqual(["media", "results", "turns", "summary"])
    }
  })

  test("an answer, or a new turn, is a new beginning", () => {
    const { recovery, rungs } = open()
    recovery.recover(failure("too_large"))
    recovery.onEntry(entry({ kind: "turn_start", turnId: "t" }))
    recovery.recover(failure("too_large"))
    recovery.onEntry(entry({ kind: "notice", level: "info", text: "" }))
    recovery.recover(failure("too_large"))
    expect(rungs()).toEqual(["media", "media", "results"])
  })

  test("each step is told to the person before it is taken", () => {
    const { recovery, recorded } = open()
    recovery.recover(failure("too_long"))
    expect(recorded).toEqual([
      {
        kind: "notice",
        level: "warning",
        text: "The conversation is too long for the model; leaving out old tool results.",
      },
      { kind: "shrink", rung: "results", why: "The conversation is too long for the model" },
    ])
  })

  test("several are tried in their order, from the one in use on", () => {
    const { recovery, recorded } = open("middle", "openrouter/small")
    const said = Array.from({ length: 3 }, () => recovery.recover(failure("overloaded")))
    expect(said).toEqual(["again", "again", "give_up"])
    expect(recorded.flatMap((body) => (body.kind === "model" ? [body.model] : []))).toEqual([
      "middle",
      "openrouter/small",
    ])
  })

  test("an overloaded model is replaced once, when there is another", () => {
    expect(open().recovery.recover(failure("overloaded"))).toBe("give_up")
    const { recovery, recorded } = open("small")
    expect(recovery.recover(failure("overloaded"))).toBe("again")
    expect(recovery.recover(failure("overloaded"))).toBe("give_up")
    expect(recorded).toEqual([
      { kind: "model", model: "small", why: "fallback" },
      {
        kind: "notice",
        level: "warning",
        text: "big is overloaded; continuing with small for the rest of the session.",
      },
    ])
  })

  test("what no change of the conversation can help is left as it is", () => {
    const { recovery, recorded } = open()
    expect(recovery.recover(failure("rejected"))).toBe("give_up")
    expect(recorded).toEqual([])
  })
})
