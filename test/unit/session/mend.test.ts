import { describe, expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { ModelFailure } from "#agent/words/model.ts"
import { openMender } from "#session/request/mend.ts"

function open(fallbackModel?: string) {
  const recorded: EntryBody[] = []
  let model = "big"
  const mender = openMender({
    model: () => model,
    fallbackModel,
    record: (body) => {
      recorded.push(body)
      if (body.kind === "model") ({ model } = body)
    },
  })
  const rungs = (): string[] => recorded.flatMap((body) => (body.kind === "shrink" ? [body.rung] : []))
  return { mender, recorded, rungs }
}

const failure = (kind: "too_long" | "too_large" | "malformed" | "overloaded" | "rejected"): ModelFailure => ({
  kind,
  message: "no",
})
const entry = (body: EntryBody) => ({ ...body, uuid: "u", parentUuid: null, at: 0 })

describe("mending a refused request", () => {
  test("a request that is too long goes down the ladder, one rung each time, then gives up", () => {
    const { mender, rungs } = open()
    const said = Array.from({ length: 4 }, () => mender.mend(failure("too_long")))
    expect(said).toEqual(["again", "again", "again", "give_up"])
    expect(rungs()).toEqual(["results", "turns", "summary"])
  })

  test("one that is too large, or not taken as it is, begins with pictures", () => {
    for (const kind of ["too_large", "malformed"] as const) {
      const { mender, rungs } = open()
      for (let i = 0; i < 5; i++) mender.mend(failure(kind))
      expect(rungs()).toEqual(["media", "results", "turns", "summary"])
    }
  })

  test("an answer, or a new turn, is a new beginning", () => {
    const { mender, rungs } = open()
    mender.mend(failure("too_large"))
    mender.take(entry({ kind: "turn_start", turnId: "t" }))
    mender.mend(failure("too_large"))
    mender.take(entry({ kind: "notice", level: "info", text: "" }))
    mender.mend(failure("too_large"))
    expect(rungs()).toEqual(["media", "media", "results"])
  })

  test("each step is told to the person before it is taken", () => {
    const { mender, recorded } = open()
    mender.mend(failure("too_long"))
    expect(recorded).toEqual([
      {
        kind: "notice",
        level: "warning",
        text: "The conversation is longer than the model's window. Making the conversation smaller: old tool results are cut.",
      },
      { kind: "shrink", rung: "results", why: "The conversation is longer than the model's window." },
    ])
  })

  test("an overloaded model is replaced once, when there is another", () => {
    expect(open().mender.mend(failure("overloaded"))).toBe("give_up")
    const { mender, recorded } = open("small")
    expect(mender.mend(failure("overloaded"))).toBe("again")
    expect(mender.mend(failure("overloaded"))).toBe("give_up")
    expect(recorded).toEqual([
      { kind: "model", model: "small", why: "fallback" },
      {
        kind: "notice",
        level: "warning",
        text: "big is overloaded; going on with small for the rest of the session.",
      },
    ])
  })

  test("what no change of the conversation can mend is left as it is", () => {
    const { mender, recorded } = open()
    expect(mender.mend(failure("rejected"))).toBe("give_up")
    expect(recorded).toEqual([])
  })
})
