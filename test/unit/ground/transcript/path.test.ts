/** The log as a tree: the path of the conversation, its gaps and its branches. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { branches, isAfterGap, pathOf, pathTo, tipOf } from "#ground/transcript/path.ts"

/** A log in short: `p` a prompt, `r` another entry, `h:x` a head to x, each named by its place in the text. */
function log(text: string): Entry[] {
  let tip: string | null = null
  let before: string | null = null
  return text.split(" ").map((word, at): Entry => {
    const [name = "", to] = word.split(">")
    const stamp = { uuid: name, parentUuid: name.startsWith("h") ? before : tip, at: at + 1 }
    before = name
    tip = to === undefined ? name : to === "-" ? null : to
    return { ...bodyOf(name, tip), ...stamp }
  })
}

function bodyOf(name: string, to: string | null): EntryBody {
  if (name.startsWith("h")) return { kind: "head", to, why: "rewind" }
  if (name.startsWith("p")) return { kind: "prompt", promptId: name, content: [{ type: "text", text: name }] }
  return { kind: "notice", level: "info", text: name }
}

const names = (path: readonly Entry[]): string => path.map(({ uuid }) => uuid).join(" ")
const listed = (entries: readonly Entry[]): string[] =>
  branches(entries).map(
    ({ tip, prompt, at, length, isCurrent }) =>
      `${isCurrent ? "*" : ""}${tip} from ${prompt?.promptId} at ${at}, ${length}`,
  )

describe("the path", () => {
  test("is the whole log when there is no head", () => {
    expect(names(pathOf(log("p1 r1 p2 r2")))).toBe("p1 r1 p2 r2")
    expect(pathOf([])).toEqual([])
    expect(tipOf([])).toBeNull()
  })

  test("goes on after the entry that a head names", () => {
    const entries = log("p1 r1 p2 r2 h1>r1 p3 r3")
    expect(names(pathOf(entries))).toBe("p1 r1 p3 r3")
    expect(tipOf(entries)).toBe("r3")
    expect(names(pathTo(entries, "r2") ?? [])).toBe("p1 r1 p2 r2")
    expect(pathTo(entries, "nobody")).toBeUndefined()
  })

  test("stands where the last head sent it", () => {
    expect(names(pathOf(log("p1 r1 p2 r2 h1>r1")))).toBe("p1 r1")
    expect(names(pathOf(log("p1 r1 h1>-")))).toBe("")
    expect(names(pathOf(log("p1 r1 h1>- p2 h2>r1")))).toBe("p1 r1")
    expect(tipOf(log("p1 r1 h1>-"))).toBeNull()
  })

  test("takes a head in place of a parent for where that head sends", () => {
    const entries = log("p1 r1 p2 h1>r1 h2>h1 p3")
    expect(names(pathOf(entries))).toBe("p1 r1 p3")
  })

  test("is bridged over what is missing, and the gap is told", () => {
    const entries = log("p1 r1 p2 r2 p3").filter(({ uuid }) => uuid !== "p2")
    const path = pathOf(entries)
    expect(names(path)).toBe("p1 r1 r2 p3")
    expect(path.map((_, index) => isAfterGap(path, index))).toEqual([false, false, true, false])
  })

  test("goes back to where a missing entry was when a head names it", () => {
    const entries = log("p1 r1 p2 r2 h1>r1 p3 r3").filter(({ uuid }) => uuid !== "r1")
    expect(names(pathOf(entries))).toBe("p1 p3 r3")
  })

  test("does not undo a rewind whose next line is missing", () => {
    const entries = log("p1 r1 p2 r2 h1>r1 p3 r3").filter(({ uuid }) => uuid !== "p3")
    expect(names(pathOf(entries))).toBe("p1 r1 r3")
  })

  test("comes to an end when parents turn in a circle, or are themselves", () => {
    const circle = log("p1 r1 p2").map((entry, at) => ({ ...entry, parentUuid: ["p2", "r1", "r1"][at] ?? null }))
    expect(names(pathOf(circle))).toBe("p1 r1 p2")
    const itself: Entry = { ...bodyOf("h", "h1"), uuid: "h1", parentUuid: "h1", at: 0 }
    expect(pathOf([itself])).toEqual([])
  })

  test("of any log at all is a part of it, in its order, ending where the log says", () => {
    const uuid = fc.constantFrom("a", "b", "c", "d", "e", "f")
    const entry = fc.record({
      uuid,
      parentUuid: fc.option(uuid),
      head: fc.option(fc.option(uuid), { nil: undefined, freq: 3 }),
    })
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), (drawn) => {
        const entries = drawn.map(({ head, ...stamp }, at): Entry => ({
          ...(head === undefined ? bodyOf("p", null) : bodyOf("h", head)),
          ...stamp,
          at,
        }))
        const path = pathOf(entries)
        const places = path.map((one) => entries.indexOf(one))
        expect(places).toEqual(places.toSorted((a, b) => a - b))
        expect(new Set(places).size).toBe(places.length)
        expect(path.some(({ kind }) => kind === "head")).toBe(false)
        if (entries.at(-1)?.kind === "prompt") expect(path.at(-1)).toBe(entries.at(-1) as Entry)
        expect(branches(entries).filter(({ isCurrent }) => isCurrent)).toHaveLength(entries.length === 0 ? 0 : 1)
      }),
      { numRuns: 500 },
    )
  })
})

describe("branches", () => {
  test("a conversation that never forked is one branch, named by its first prompt", () => {
    expect(listed(log("p1 r1 p2 r2"))).toEqual(["*r2 from p1 at 4, 2"])
    expect(listed([])).toEqual([])
  })

  test("each is named by the prompt with which it parts from the others", () => {
    expect(listed(log("p1 r1 p2 r2 h1>r1 p3 r3 p4 r4"))).toEqual(["r2 from p2 at 4, 2", "*r4 from p3 at 9, 3"])
    expect(listed(log("p1 r1 p2 r2 h1>r1 p3 r3 h2>r2 p4"))).toEqual(["r3 from p3 at 7, 2", "*p4 from p2 at 9, 3"])
  })

  test("a rewind without a new prompt stands at a place that has none of its own", () => {
    expect(listed(log("p1 r1 p2 r2 h1>r1 r5"))).toEqual(["r2 from p2 at 4, 2", "*r5 from undefined at 6, 1"])
    expect(listed(log("p1 r1 h1>-"))).toEqual(["r1 from p1 at 2, 1", "*null from undefined at 3, 0"])
  })

  test("what has no prompt of its own is no branch", () => {
    expect(listed(log("p1 r1 k h1>r1 p2"))).toEqual(["*p2 from p1 at 5, 2"])
  })
})
