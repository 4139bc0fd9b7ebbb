import { describe, expect, test } from "bun:test"
import type { Agent } from "#agent/agent.ts"
import { openExecutor } from "#agent/executor.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import { writes } from "#agent/words/footprint.ts"
import { type AnyTool, answered, refused, type Tool } from "#agent/words/tool.ts"
import { systemClock } from "#lib/clock.ts"

const tool = (more: Partial<Tool> = {}): AnyTool => ({
  name: "Act",
  description: "",
  schema: {},
  parse: (value) => ({ ok: true, value }),
  title: () => "Act",
  footprint: () => writes("/a"),
  maxResultChars: 100,
  run: async () => answered("done"),
  ...more,
})

function open(one: AnyTool, more: Partial<Agent> = {}, turn: AbortSignal = new AbortController().signal) {
  const results: string[] = []
  const told: string[] = []
  const agent = {
    clock: systemClock,
    limits: { concurrency: 10, graceMs: 5_000, repeats: 3 },
    record: (body: EntryBody) => {
      if (body.kind === "result") results.push(`${body.callId}: ${String(body.content)}`)
      return { ...body, uuid: "", parentUuid: null, at: 0 }
    },
    publish: ({ type }) => void told.push(type),
    call: (call) => call.tool.run(call.parsed, call),
    apply: () => {},
    ...more,
  } as Partial<Agent> as Agent
  const executor = openExecutor(agent, [one], turn)
  const add = (id: string): void => executor.add({ type: "tool_use", id, name: "Act", input: {} })
  return { executor, add, results, told }
}

describe("before a call", () => {
  test("the tool's own check is asked first; what it complains of is answered and never run", async () => {
    const ran: string[] = []
    const { executor, add, results, told } = open(
      tool({
        validate: async () => "There is no such file.",
        run: async () => {
          ran.push("ran")
          return answered("done")
        },
      }),
    )
    add("a")
    await executor.drain()
    expect(results).toEqual(["a: There is no such file."])
    expect(ran).toEqual([])
    expect(told).toEqual([])
  })

  test("what the check complains of gives way to a layer that refuses the call anyway", async () => {
    const seen: unknown[] = []
    const { executor, add, results } = open(tool({ validate: async () => "Read it first." }), {
      call: (call) => {
        seen.push(call.complaint)
        return Promise.resolve(refused("Forbidden."))
      },
    })
    add("a")
    await executor.drain()
    expect(seen).toEqual(["Read it first."])
    expect(results).toEqual(["a: Forbidden."])
  })

  test("a check that throws is a failure of the call, not of the turn", async () => {
    const { executor, add, results } = open(
      tool({
        validate: () => {
          throw new Error("broken check")
        },
      }),
    )
    add("a")
    await executor.drain()
    expect(results).toEqual(["a: Act failed: broken check"])
  })

  test("an interrupt during the check keeps the call from running", async () => {
    const checking = Promise.withResolvers<undefined>()
    const ran: string[] = []
    const { executor, add, results } = open(
      tool({
        validate: () => checking.promise,
        run: async () => {
          ran.push("ran")
          return answered("done")
        },
      }),
    )
    add("a")
    const cancelled = executor.cancel(refused("cut off"))
    checking.resolve(undefined)
    await cancelled
    expect(results).toEqual(["a: cut off"])
    expect(ran).toEqual([])
  })
})

describe("a mistake of our own", () => {
  test("while a result is recorded ends the waiting with the mistake, and ends what runs", async () => {
    let signal: AbortSignal | undefined
    const { executor, add } = open(
      tool({
        run: async (_input, context) => {
          ;({ signal } = context)
          return answered("done")
        },
      }),
      {
        record: () => {
          throw new Error("the recorder broke")
        },
      },
    )
    add("a")
    add("b")
    expect(executor.drain()).rejects.toThrow("the recorder broke")
    await executor.drain().catch(() => {})
    expect(signal?.aborted).toBe(true)
  })
})

test("what a call left running is not stopped by what happens to the turn after its step", async () => {
  let signal: AbortSignal | undefined
  const turn = new AbortController()
  const { executor, add } = open(
    tool({
      run: async (_input, context) => {
        ;({ signal } = context)
        return answered("it runs on in the background")
      },
    }),
    {},
    turn.signal,
  )
  add("a")
  await executor.drain()
  await executor.close()
  turn.abort()
  expect(signal?.aborted).toBe(false)
})

test("a step that ends in an error leaves nothing running: what runs is stopped and answered", async () => {
  let signal: AbortSignal | undefined
  const { executor, add, results } = open(
    tool({
      run: (_input, context) => {
        ;({ signal } = context)
        return new Promise((resolve) =>
          context.signal.addEventListener("abort", () => resolve(answered("stopped late"))),
        )
      },
    }),
  )
  add("a")
  await Bun.sleep(1)
  await executor.close()
  expect(signal?.aborted).toBe(true)
  expect(results).toEqual(["a: stopped late"])
})

test("progress is told while a call runs, and not after it was given up", async () => {
  const late = Promise.withResolvers<void>()
  let progress = (_output: string): void => {}
  const { executor, add, told } = open(
    tool({
      run: async (_input, context) => {
        progress = (output) => context.progress({ output, elapsedMs: 0, totalBytes: output.length })
        progress("now")
        await late.promise
        return answered("done")
      },
    }),
  )
  add("a")
  await Bun.sleep(1)
  expect(told).toEqual(["tool_start", "tool_progress"])
  late.resolve()
  await executor.drain()
  progress("too late")
  expect(told).toEqual(["tool_start", "tool_progress"])
})
