/** Where a conversation begins anew its beginning does, too: compaction, clear, resume and going back, with tools that came late. */

import { expect, test } from "bun:test"
import { type Clock, systemClock } from "#lib/clock.ts"
import { inspect } from "#session/request/inspect.ts"
import { asks, bodies, expectKept, mcpNames, resultOf, search, systemOf, told } from "../../kit/late-requests.ts"
import { lateServer } from "../../kit/late-server.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

const summary = says(`<summary>${"What was done, and why. ".repeat(10)}</summary>`)
const long = says("Done. ".repeat(4_000))

const many = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [`tool${i}`, `Tool ${i}. ${"words ".repeat(250)}`]),
)

test("definitions beyond a tenth of the window are deferred from the start; what was loaded is listed after a compaction", async () => {
  const server = lateServer()
  server.offer(many)
  await using t = await openTestSession({
    script: [
      calls(search("select:tool7")),
      calls(asks("tool7", "loaded")),
      calls(bash("seq 1 5000")),
      calls(bash("seq 1 5000")),
      says("Done."),
      summary,
      calls(asks("tool7", "again")),
      says("Done."),
    ],
    kits: [server.kit],
  })
  expect(await t.prompt("find it")).toEqual({ reason: "completed" })
  expect(mcpNames(bodies(t)[0], "listed")).toEqual([])
  expect(mcpNames(bodies(t)[0], "deferred")).toHaveLength(60)
  expect(told(t)).toHaveLength(1)
  expect(told(t)[0]?.length).toBeLessThan(12_000)
  expectKept(t)

  void t.session.submit({ type: "compact" })
  await t.settled()
  const before = t.simulator.requests.length
  expect(await t.prompt("once more, again")).toEqual({ reason: "completed" })
  expect(mcpNames(bodies(t)[before], "listed")).toEqual(["mcp__box__tool7"])
  expect(mcpNames(bodies(t)[before], "deferred")).toHaveLength(59)
  // What is still deferred is told of again: the summary does not name it.
  expect(told(t)).toHaveLength(2)
  expectKept(t, before)
  expect(server.calls).toEqual(["tool7 loaded", "tool7 again"])
  expect(t.simulator.stats().refusals).toBe(0)
  const setups = t.entries().filter(({ kind }) => kind === "setup")
  expect(setups.length).toBeGreaterThanOrEqual(2)
})

test("a compaction and /clear make the beginning anew: the day, and late tools in the list", async () => {
  const server = lateServer({ guidance: "Ask politely." })
  const day = 24 * 60 * 60_000
  let shift = 0
  const clock: Clock = { ...systemClock, now: () => Date.UTC(2030, 0, 1, 12) + shift }
  await using t = await openTestSession({
    script: [long, calls(search("select:echo")), long, long, summary, says("Done."), says("Done.")],
    kits: [server.kit],
    clock,
  })
  await t.prompt("first")
  server.offer({ echo: "Says a word again" })
  await t.prompt("load it")
  shift = day
  await t.prompt("next day")
  expect(systemOf(bodies(t).at(-1))).toContain("2030-01-01")
  expectKept(t)

  void t.session.submit({ type: "compact" })
  await t.settled()
  const compacted = t.simulator.requests.length
  await t.prompt("go on")
  const after = bodies(t)[compacted]
  expect(systemOf(after)).toContain("2030-01-02")
  expect(systemOf(after)).not.toContain("2030-01-01")
  expect(systemOf(after)).toContain("Ask politely.")
  // A kept result may refer to it; otherwise it is a tool like any other now.
  expect([...mcpNames(after, "listed"), ...mcpNames(after, "deferred")]).toEqual(["mcp__box__echo"])

  shift = 2 * day
  void t.session.submit({ type: "clear" })
  await t.settled()
  const cleared = t.simulator.requests.length
  await t.prompt("anew")
  expect(systemOf(bodies(t)[cleared])).toContain("2030-01-03")
  expect(mcpNames(bodies(t)[cleared], "listed")).toEqual(["mcp__box__echo"])
  expect(t.simulator.stats().refusals).toBe(0)
  expect(inspect(t.entries()).every(({ proved }) => proved)).toBe(true)
  expect(t.entries().some((entry) => entry.kind === "notice" && entry.text.includes("cache"))).toBe(false)
})

test("going back behind a compaction, and behind the moment when tools came, leaves no reference without its tool", async () => {
  const server = lateServer()
  await using t = await openTestSession({
    script: [long, calls(search("select:echo")), long, long, summary, long, long, long],
    kits: [server.kit],
  })
  await t.prompt("first")
  server.offer({ echo: "Says a word again" })
  await t.prompt("load it")
  await t.prompt("and then")
  void t.session.submit({ type: "compact" })
  await t.settled()
  expect(t.entries().some(({ kind }) => kind === "compaction")).toBe(true)
  await t.prompt("after the summary")
  void t.session.submit({ type: "uncompact" })
  await t.settled()
  await t.prompt("as it was")
  expect(mcpNames(bodies(t).at(-1), "deferred")).toEqual(["mcp__box__echo"])
  const points = t.entries().flatMap((entry) => (entry.kind === "prompt" ? [entry.promptId] : []))
  void t.session.submit({ type: "rewind", promptId: points[1] ?? "", what: "conversation" })
  await t.settled()
  const count = told(t).length
  await t.prompt("another way")
  // What said that it came was taken back, so it is said again.
  expect(told(t)).toHaveLength(count + 1)
  expect(t.simulator.stats().refusals).toBe(0)
})

test("after a resume what was loaded stays in the request, and a call to what is not there yet is answered", async () => {
  const server = lateServer()
  await using t = await openTestSession({
    script: (request) => {
      const last = JSON.stringify(request.messages.at(-1))
      if (last.includes("load it")) return calls(search("select:echo"))
      if (last.includes("too early")) return calls(asks("echo", "early"))
      if (last.includes("now it is")) return calls(asks("echo", "there"))
      return says("Done.")
    },
    kits: [server.kit],
  })
  await t.prompt("first")
  server.offer({ echo: "Says a word again" })
  await t.prompt("load it")
  const slow = lateServer()
  await using again = await t.reopen({ kits: [slow.kit] })
  await again.prompt("too early")
  expect(resultOf(again, "mcp__box__echo")?.content).toContain("the MCP server box is not connected now")
  slow.offer({ echo: "Says a word again" })
  await again.prompt("now it is")
  expect(slow.calls).toEqual(["echo there"])
  // It was told of before, and is what it was.
  expect(told(again)).toHaveLength(1)
  expect(again.simulator.stats()).toMatchObject({ refusals: 0, cacheBreaks: [] })
})

test("a compaction in the middle of a turn lists what came meanwhile, and the turn goes on with it", async () => {
  const server = lateServer({ guidance: "Ask politely." })
  let asked = 0
  await using t = await openTestSession({
    script: (request) => {
      if (JSON.stringify(request.messages.at(-1)).includes("<summary>")) return summary
      asked++
      if (asked === 2) server.offer({ echo: "Says a word again" })
      if (asked === 4) return calls(search("select:echo"))
      if (asked < 12) return calls(bash(`seq ${asked} ${asked + 4_000}`))
      return asked === 12 ? calls(asks("echo", "still there")) : says("Done.")
    },
    kits: [server.kit],
    compaction: { when: "auto", trigger: { kind: "percent", percent: 15 } },
  })
  expect(await t.prompt("work")).toEqual({ reason: "completed" })
  const entries = t.entries()
  const at = entries.findIndex(({ kind }) => kind === "compaction")
  expect(at).toBeGreaterThan(0)
  const setup = entries.slice(at).find((entry) => entry.kind === "setup")
  const names = setup?.kind === "setup" ? setup.tools.map(({ name }) => name) : []
  expect(names).toContain("mcp__box__echo")
  expect(systemOf(bodies(t).at(-1))).toContain("Ask politely.")
  expect(server.calls).toEqual(["echo still there"])
  expect(t.simulator.stats().refusals).toBe(0)
  expect(entries.some((entry) => entry.kind === "notice" && entry.text.includes("cache"))).toBe(false)
  expect(inspect(t.entries()).every(({ proved }) => proved)).toBe(true)
})

test("a log that is read from its last compaction on has what a kept result refers to", async () => {
  const server = lateServer()
  await using t = await openTestSession({
    script: [long, long, calls(search("select:echo")), summary, says("Done."), says("Done.")],
    kits: [server.kit],
    limits: { maxTurns: 1 },
  })
  await t.prompt("first")
  await t.prompt("second")
  server.offer({ echo: "Says a word again" })
  await t.prompt("load it")
  void t.session.submit({ type: "compact" })
  await t.settled()
  await t.prompt("go on")
  const before = bodies(t).at(-1)
  expect(JSON.stringify(before?.messages)).toContain("tool_reference")
  await using again = await t.reopen({ kits: [lateServer().kit] })
  await again.prompt("without the server")
  expect(mcpNames(bodies(again).at(-1), "deferred")).toEqual(["mcp__box__echo"])
  expect(JSON.stringify(bodies(again).at(-1)?.messages)).toContain("tool_reference")
  expect(again.simulator.stats().refusals).toBe(0)
})
