/** Tools that come while the session is open: callable at once, and never a change of what the provider has kept. */

import { expect, test } from "bun:test"
import { appendFileSync } from "node:fs"
import type { ScenarioFunction } from "#sim/scenario.ts"
import {
  asks,
  bodies,
  expectKept,
  mcpNames,
  resultOf,
  search,
  systemOf,
  toolNames,
  told,
} from "../../kit/late-requests.ts"
import { inspect } from "#session/request/inspect.ts"
import { lateServer } from "../../kit/late-server.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says } from "../../kit/script.ts"

const steps = 100

test(`${steps} steps in which a server connects, changes its tools and drops keep the prefix, and 97% is read from the cache`, async () => {
  const server = lateServer({ guidance: "Ask the box politely." })
  let root = ""
  const acts: { readonly [request: number]: () => ReturnType<ScenarioFunction> } = {
    20: () => (server.offer({ echo: "Says a word again", count: "Counts a word" }), calls(bash("true"))),
    22: () => calls(search("select:echo")),
    23: () => calls(asks("echo", "first")),
    // Not loaded, and works all the same.
    24: () => calls(asks("count", "unloaded")),
    40: () => (server.offer({ echo: "Says a word twice", count: "Counts", shout: "Shouts" }), calls(bash("true"))),
    42: () => calls(search("+shout")),
    43: () => calls(asks("shout", "loud")),
    // It was loaded as it was before, so what it is now is given in words.
    44: () => calls(search("select:mcp__box__echo")),
    45: () => calls(asks("echo", "second")),
    60: () => (server.drop(), calls(bash("true"))),
    62: () => calls(asks("echo", "third")),
  }
  const script: ScenarioFunction = (_request, { request }) => {
    const act = acts[request]
    if (act) return act()
    if (request >= steps) return says("Done.")
    if (request % 10 === 3) appendFileSync(`${root}/lib/watched.txt`, `changed at ${request}\n`)
    if (request === 5) return calls(read("lib/watched.txt"))
    return request % 3 === 0 ? calls(read(`lib/f${request}.txt`)) : calls(bash(`seq ${request} ${request + 150}`))
  }
  const files = Object.fromEntries(Array.from({ length: steps }, (_, i) => [`lib/f${i}.txt`, `line ${i}\n`.repeat(60)]))
  await using t = await openTestSession({
    files: { ...files, "AGENTS.md": "Rules. ".repeat(600), "lib/watched.txt": "begin\n" },
    script,
    kits: [server.kit],
  })
  root = t.root
  expect(await t.prompt("work through it")).toEqual({ reason: "completed" })

  expect(t.simulator.requests).toHaveLength(steps + 1)
  expectKept(t)
  expect(server.calls).toEqual(["echo first", "count unloaded", "shout loud", "echo second"])
  const searched = t.results().filter(({ tool }) => tool === "ToolSearch")
  expect(searched.map(({ content }) => content)).toEqual([
    [{ type: "tool_reference", tool_name: "mcp__box__echo" }],
    [{ type: "tool_reference", tool_name: "mcp__box__shout" }],
    expect.stringContaining("Says a word twice"),
  ])
  expect(resultOf(t, "mcp__box__echo")?.content).toBe("box is gone.")
  expect(mcpNames(bodies(t).at(-1), "deferred")).toEqual(["mcp__box__echo", "mcp__box__count", "mcp__box__shout"])
  expect(bodies(t).every((body) => mcpNames(body, "listed").length === 0)).toBe(true)

  expect(told(t)).toHaveLength(3)
  expect(told(t)[0]).toContain(
    'The MCP server box is connected. Its tools:\n<server-text server="box">\n- mcp__box__echo: Says a word again',
  )
  expect(told(t)[0]).toContain("Ask the box politely.")
  expect(told(t)[1]).toContain("- mcp__box__shout: Shouts")
  expect(told(t)[1]).toContain(
    'Tools of the MCP server box have changed:\n<server-text server="box">\n- mcp__box__echo: Says a word twice',
  )
  expect(told(t)[2]).toContain("The MCP server box is gone.")
  const names = new Set(t.entries().flatMap((entry) => (entry.kind === "attachment" ? [entry.name] : [])))
  for (const name of ["user_context", "changed_files", "todo_reminder"]) expect([...names]).toContain(name)

  expect(t.simulator.stats()).toMatchObject({ refusals: 0, cacheBreaks: [] })
  const used = t.simulator.requests.flatMap(({ answered }) => (answered.kind === "reply" ? [answered.usage] : []))
  const cached = used.reduce((sum, usage) => sum + usage.cache_read_input_tokens, 0)
  const all = used.reduce(
    (sum, usage) => sum + usage.cache_read_input_tokens + usage.cache_creation_input_tokens + usage.input_tokens,
    0,
  )
  expect(cached / all).toBeGreaterThanOrEqual(0.97)
  expect(t.entries().some((entry) => entry.kind === "notice" && entry.text.includes("cache"))).toBe(false)
  expect(inspect(t.entries()).every(({ proved }) => proved)).toBe(true)
})

test("tools that are there before the first request are listed plainly, and nothing is said of them", async () => {
  const server = lateServer({ guidance: "Ask politely." })
  server.offer({ echo: "Says a word again" })
  await using t = await openTestSession({
    script: [calls(asks("echo", "hello")), calls(search("echo")), says("Done.")],
    kits: [server.kit],
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(mcpNames(bodies(t)[0], "listed")).toEqual(["mcp__box__echo"])
  expect(toolNames(bodies(t)[0], "listed")).toContain("ToolSearch")
  expect(toolNames(bodies(t)[0], "listed")).not.toContain("CallTool")
  expect(systemOf(bodies(t)[0])).toContain("Ask politely.")
  expect(told(t)).toEqual([])
  expect(server.calls).toEqual(["echo hello"])
  expect(resultOf(t, "ToolSearch")?.content).toBe("mcp__box__echo is in your list of tools already.")
})

test("what is deferred is shown with each request, and is new only when it is", async () => {
  const server = lateServer()
  await using t = await openTestSession({
    script: [calls(bash("true")), calls(bash("true")), says("Done."), says("Done.")],
    kits: [server.kit],
  })
  await t.prompt("go")
  server.offer({ echo: "Says a word again" })
  await t.prompt("go on")
  const [, second, third, fourth] = inspect(t.entries())
  expect(third?.sameAsBefore).toBe(second?.blocks.length as number)
  // It came with the fourth: the announcement and the tool itself are new, and the prompt.
  const late = fourth?.blocks.filter(({ source }) => source === "deferred tool mcp__box__echo")
  expect(late).toMatchObject([{ role: "tools", tokens: 0 }])
  expect(fourth?.sameAsBefore).toBe(third?.blocks.length as number)
  await t.prompt("and again")
  const [before, last] = inspect(t.entries()).slice(-2)
  expect(last?.sameAsBefore).toBe(before?.blocks.length as number)
})

test("without servers there is nothing to search for, and no tool for it", async () => {
  await using t = await openTestSession({ script: [says("Done.")] })
  await t.prompt("go")
  expect(toolNames(bodies(t)[0], "listed")).not.toContain("ToolSearch")
})

test("what a rule denies is neither listed, told of, found nor called", async () => {
  const server = lateServer()
  server.offer({ echo: "Says a word again", secret: "Tells a secret word" })
  await using t = await openTestSession({
    script: [calls(search("word")), calls(asks("secret", "please")), calls(search("select:secret")), says("Done.")],
    kits: [server.kit],
    deny: ["mcp__box__secret"],
  })
  await t.prompt("go")
  server.offer({ echo: "Says a word again", secret: "Tells another secret" })
  await t.prompt("again")
  expect(JSON.stringify(bodies(t).map(({ tools }) => tools ?? null))).not.toContain("box__secret")
  expect(told(t)).toEqual([])
  expect(t.results().map(({ content }) => content)).toEqual([
    "mcp__box__echo is in your list of tools already.",
    expect.stringContaining("There is no tool named mcp__box__secret"),
    expect.stringContaining("There is no tool named secret"),
  ])
  expect(server.calls).toEqual([])
})

const many = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [`tool${i}`, `Tool ${i}. ${"words ".repeat(250)}`]),
)

test("without ToolSearch nothing is deferred: what is there is listed, what comes later waits for the next beginning", async () => {
  const server = lateServer()
  server.offer(many)
  await using t = await openTestSession({
    script: [says("Done."), says("Done."), says("Done.")],
    kits: [server.kit],
    deny: ["ToolSearch"],
  })
  await t.prompt("go")
  expect(mcpNames(bodies(t)[0], "listed")).toHaveLength(60)
  server.offer({ ...many, late: "Comes late" })
  await t.prompt("go on")
  expectKept(t)
  expect(told(t)).toEqual([])
  void t.session.submit({ type: "clear" })
  await t.prompt("anew")
  expect(mcpNames(bodies(t).at(-1), "listed")).toHaveLength(61)
})

test("with attachments turned off nothing is told, and what is called works", async () => {
  const server = lateServer()
  await using t = await openTestSession({
    script: [says("Done."), calls(asks("echo", "quiet")), says("Done.")],
    kits: [server.kit],
    attachments: "off",
  })
  await t.prompt("go")
  server.offer({ echo: "Says a word again" })
  await t.prompt("go on")
  expect(told(t)).toEqual([])
  expect(server.calls).toEqual(["echo quiet"])
  expectKept(t)
})
