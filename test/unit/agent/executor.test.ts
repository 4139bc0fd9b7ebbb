import { describe, expect, test } from "bun:test"
import type { Agent } from "#agent/agent.ts"
import { openExecutor } from "#agent/executor.ts"
import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import { reads, writes } from "#agent/words/footprint.ts"
import type { ToolUseBlock } from "#agent/words/message.ts"
import { type AnyTool, answered, type ContextChange, refused } from "#agent/words/tool.ts"
import { deferred } from "#lib/deferred.ts"
import type { JsonObject } from "#lib/json.ts"
import { systemClock } from "#lib/clock.ts"
import { fakeTools, openWatch } from "../../kit/fake-tools.ts"

const use = (id: string, name: string, more: JsonObject = {}): ToolUseBlock => ({
  type: "tool_use",
  id,
  name,
  input: { id, ...more },
})

function open(
  turn = new AbortController(),
  graceMs = 5000,
  tools?: readonly AnyTool[],
  apply: (change: ContextChange) => void = () => {},
) {
  const watch = openWatch()
  const recorded: (EntryBody & { kind: "result" })[] = []
  const agent = {
    clock: systemClock,
    limits: { concurrency: 10, graceMs, repeats: 3 },
    record: (body: EntryBody) => {
      if (body.kind === "result") recorded.push(body)
      return { ...body, uuid: "", parentUuid: null, at: 0 }
    },
    publish: () => {},
    call: (call) => call.tool.run(call.parsed, call),
    apply,
  } as Partial<Agent> as Agent
  const executor = openExecutor(agent, tools ?? fakeTools(watch), turn.signal)
  const answers = (): string[] => recorded.map(({ callId, content }) => `${callId}: ${String(content)}`)
  return { executor, watch, recorded, answers, turn }
}

describe("the executor", () => {
  test("readers run together, everything else alone and in order", async () => {
    const { executor, watch, answers } = open()
    for (const [id, name] of [
      ["a", "Look"],
      ["b", "Look"],
      ["c", "Look"],
      ["d", "Act"],
      ["e", "Look"],
      ["f", "Act"],
    ] as const)
      executor.add(use(id, name, { ms: 2 }))
    await executor.drain()
    expect(watch.violations).toEqual([])
    expect(watch.most).toBe(3)
    expect(watch.started).toEqual(["a", "b", "c", "d", "e", "f"])
    expect(answers()).toEqual(["a", "b", "c", "d", "e", "f"].map((id) => `${id}: ${id} done`))
  })

  test("a call that asks the person runs alone, although it changes nothing", async () => {
    const happened: string[] = []
    const asking = defineTool({
      name: "Ask",
      description: "",
      input: shape.object({ id: shape.string() }),
      title: () => "Ask",
      footprint: () => ({ ...reads(), asks: true }),
      async run({ id }) {
        happened.push(`${id} begins`)
        await Bun.sleep(1)
        happened.push(`${id} ends`)
        return answered("")
      },
    })
    const { executor } = open(new AbortController(), 5000, [asking])
    executor.add(use("a", "Ask"))
    executor.add(use("b", "Ask"))
    await executor.drain()
    expect(happened).toEqual(["a begins", "a ends", "b begins", "b ends"])
  })

  test("results are recorded in the model's order, whoever is first", async () => {
    const { executor, answers } = open()
    executor.add(use("slow", "Look", { ms: 20 }))
    executor.add(use("fast", "Look"))
    await executor.drain()
    expect(answers()).toEqual(["slow: slow done", "fast: fast done"])
  })

  test("a call starts at once, while others are still to come", async () => {
    const { executor, watch } = open()
    executor.add(use("a", "Look"))
    await Bun.sleep(0)
    expect(watch.started).toEqual(["a"])
    await executor.drain()
  })

  test("at most ten at once", async () => {
    const { executor, watch } = open()
    for (let i = 0; i < 30; i++) executor.add(use(`c${i}`, "Look", { ms: 2 }))
    await executor.drain()
    expect(watch.most).toBe(10)
  })

  test("a failed act stops what is behind it; a failed look stops nobody", async () => {
    const { executor, answers } = open()
    executor.add(use("a", "Look", { fate: "fail" }))
    executor.add(use("b", "Act", { fate: "fail" }))
    executor.add(use("c", "Look"))
    await executor.drain()
    executor.add(use("d", "Look"))
    await executor.drain()
    expect(answers()).toEqual([
      "a: a failed",
      "b: b failed",
      "c: Not run: an earlier call in this answer failed.",
      "d: Not run: an earlier call in this answer failed.",
    ])
  })

  test("a throw and garbage are each answered, and stop nobody behind a look", async () => {
    const { executor, recorded, answers } = open()
    executor.add(use("c", "Look", { fate: "throw" }))
    executor.add(use("d", "Look", { fate: "garbage" }))
    executor.add(use("e", "Look"))
    await executor.drain()
    expect(answers()).toEqual([
      "c: Look failed: c broke",
      "d: Look gave something that is not a result. It may have run.",
      "e: e done",
    ])
    expect(recorded.map(({ isError }) => isError)).toEqual([true, true, false])
  })

  test("a call that cannot be understood might have been anything, so what is behind it is not run", async () => {
    for (const broken of [
      { use: use("a", "Lok"), says: "a: There is no tool named Lok. Did you mean Look?" },
      {
        use: { ...use("a", "Look"), input: { id: 7 } },
        says: "a: Look was not run: its input is not valid. Field `id`",
      },
    ]) {
      const { executor, answers } = open()
      executor.add(broken.use)
      executor.add(use("b", "Act"))
      await executor.drain()
      expect(answers()).toEqual([
        expect.stringContaining(broken.says),
        "b: Not run: an earlier call in this answer failed.",
      ])
    }
    const { executor, answers } = open()
    executor.add(use("a", "Act"), "broke off")
    executor.add(use("b", "Act"))
    await executor.drain()
    expect(answers()).toEqual(["a: broke off", "b: Not run: an earlier call in this answer failed."])
  })

  test("a call is understood when it starts, not when it arrives: one before it may have moved the folder", async () => {
    let folder = "/a"
    const places: string[] = []
    const tool = (name: string, footprint: AnyTool["footprint"]): AnyTool =>
      defineTool({
        name,
        description: "",
        input: shape.object({ id: shape.string() }),
        title: () => name,
        footprint,
        run: async () => answered("", name === "Move" ? { change: { kind: "cwd", path: "/b" } } : {}),
      })
    const tools = [
      tool("Move", () => writes("/")),
      tool("Where", () => {
        places.push(folder)
        return reads(folder)
      }),
    ]
    const { executor } = open(new AbortController(), 5000, tools, ({ path }) => (folder = path))
    executor.add(use("a", "Move"))
    executor.add(use("b", "Where"))
    await executor.drain()
    expect(places.at(-1)).toBe("/b")
  })

  test("what a reader changes for later calls does not reach those beside it, and comes in the order of the calls", async () => {
    let folder = "/a"
    const seen: string[] = []
    const applied: string[] = []
    const slowly = Promise.withResolvers<void>()
    const moving = (name: string, waits?: Promise<void>): AnyTool =>
      defineTool({
        name,
        description: "",
        input: shape.object({ id: shape.string() }),
        title: () => name,
        footprint: () => {
          seen.push(`${name} in ${folder}`)
          return reads(folder)
        },
        async run() {
          await waits
          return answered("", { change: { kind: "cwd", path: `/${name}` } })
        },
      })
    const tools = [moving("slow", slowly.promise), moving("fast"), moving("last")]
    const { executor } = open(new AbortController(), 5000, tools, ({ path }) => {
      folder = path
      applied.push(path)
    })
    executor.add(use("a", "slow"))
    executor.add(use("b", "fast"))
    await Bun.sleep(1)
    // The fast one is done; the slow one beside it is not, so nothing has moved for what joins them.
    executor.add(use("c", "last"))
    slowly.resolve()
    await executor.drain()
    expect(seen).toEqual(["slow in /a", "fast in /a", "last in /a"])
    expect(applied).toEqual(["/slow", "/fast", "/last"])
  })

  /** What is said of a call whose tool gives this. */
  async function saidOf(given: object): Promise<readonly string[]> {
    const tool = defineTool({
      name: "Odd",
      description: "",
      input: shape.object({ id: shape.string() }),
      title: () => "Odd",
      footprint: () => reads("/"),
      run: async () => given as never,
    })
    const { executor, answers } = open(new AbortController(), 5000, [tool])
    executor.add(use("a", "Odd"))
    await executor.drain()
    return answers()
  }

  test("what cannot be written down is not a result", async () => {
    const circular: { [key: string]: unknown } = {}
    circular.self = [circular]
    // To follow every way through it would take for ever.
    const family: { children: object[] } = { children: [] }
    family.children = Array.from({ length: 20 }, () => ({ parent: family }))
    const refuses = (): never => {
      throw new Error("no")
    }
    for (const garbage of [
      { content: [null], isError: false },
      { content: "x", isError: false, data: circular },
      { content: "x", isError: false, data: family },
      { content: "x", isError: false, data: { inner: { toJSON: refuses } } },
      { content: "x", isError: false, data: Object.defineProperty({}, "inner", { get: refuses, enumerable: true }) },
      { content: "x", isError: false, display: { kind: "text", text: [1n] } },
    ])
      expect(await saidOf(garbage)).toEqual(["a: Odd gave something that is not a result. It may have run."])
  })

  test("data may be deep, and contain the same thing twice", async () => {
    let data: { [key: string]: unknown } = {}
    for (let depth = 0; depth < 100; depth++) data = { inner: [data] }
    const twice = { at: new Date(0) }
    expect(await saidOf({ content: "x", isError: false, data: { data, both: [twice, twice] } })).toEqual(["a: x"])
  })

  test("calls wait until their tool can say what they touch, and then run together if they only read", async () => {
    const loaded = deferred<void>()
    let isLoaded = false
    const watch = openWatch()
    const late = fakeTools(watch).map((tool) => ({
      ...tool,
      warm: () => (isLoaded ? undefined : loaded.promise),
      footprint: (input: JsonObject) => (isLoaded ? tool.footprint(input) : writes("/")),
    }))
    const { executor, answers } = open(new AbortController(), 5000, late)
    executor.expect("Look")
    executor.expect("Unknown")
    for (const id of ["a", "b", "c"]) executor.add(use(id, "Look", { ms: 2 }))
    await Bun.sleep(5)
    expect(watch.started).toEqual([])
    isLoaded = true
    loaded.resolve()
    await executor.drain()
    expect(watch.most).toBe(3)
    expect(answers()).toEqual(["a: a done", "b: b done", "c: c done"])
  })

  test("a call whose tool is still being loaded is answered when it is cancelled", async () => {
    const [tool] = fakeTools(openWatch())
    const never: AnyTool[] = tool ? [{ ...tool, warm: () => new Promise(() => {}) }] : []
    const { executor, answers } = open(new AbortController(), 5000, never)
    executor.add(use("a", "Look"))
    await executor.cancel(refused("cut off"))
    expect(answers()).toEqual(["a: cut off"])
  })

  test("ending the turn ends what runs and answers what waits", async () => {
    const { executor, answers, turn } = open()
    executor.add(use("a", "Act", { fate: "hang" }))
    executor.add(use("b", "Act"))
    await Bun.sleep(0)
    turn.abort()
    await executor.drain()
    const words = "Interrupted by the user before it was done."
    expect(answers()).toEqual([`a: ${words}`, `b: ${words}`])
  })

  test("a tool that never settles after an abort is answered without it", async () => {
    const turn = new AbortController()
    const { executor, answers } = open(turn, 5)
    executor.add(use("a", "Act", { ms: 100_000_000 }))
    await Bun.sleep(1)
    turn.abort()
    await executor.drain()
    expect(answers()).toEqual(["a: Interrupted by the user before it was done."])
  })

  test("a turn that was ended before runs nothing", async () => {
    const turn = new AbortController()
    turn.abort()
    const { executor, answers, watch } = open(turn)
    executor.add(use("a", "Look"))
    await executor.drain()
    expect(answers()).toEqual(["a: Interrupted by the user before it was done."])
    expect(watch.started).toEqual([])
  })

  test("a call that cannot be understood is told why, also behind one that failed", async () => {
    const { executor, answers } = open()
    executor.add(use("a", "Act", { fate: "fail" }))
    executor.add(use("b", "Missing"))
    executor.add(use("c", "Act"))
    await executor.drain()
    expect(answers()).toEqual([
      "a: a failed",
      expect.stringContaining("b: There is no tool named Missing."),
      "c: Not run: an earlier call in this answer failed.",
    ])
  })

  test("cancelling the group does not end the turn", async () => {
    const { executor, answers, turn } = open()
    executor.add(use("a", "Look", { fate: "hang" }))
    await executor.cancel(refused("cut off"))
    expect(answers()).toHaveLength(1)
    expect(turn.signal.aborted).toBe(false)
  })
})
