/** `query` in a program: what the options do, what can be asked meanwhile, and how it ends. */

import { afterAll, expect, test } from "bun:test"
import { join, resolve } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { openSimulator } from "#sim/server.ts"
import { isNight } from "../../kit/runs.ts"
import { asScenario, environmentOf, linesOf, openPlace, type Place, type RunOptions } from "../../kit/run-codewright.ts"
import { bodyOf, talkIn } from "../../kit/sent.ts"

const index = resolve(import.meta.dir, "../../../src/index.ts")

/** A process that runs the programs of stories, one after the other: by day those of all stories, at night each has its own. */
function openProcess() {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "program.ts")], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  })
  const err = child.stderr.text()
  const told = linesIn(child.stdout)
  let last: Promise<unknown> = Promise.resolve()
  const runOne = async (module: string, cwd: string, env: { readonly [name: string]: string }) => {
    void child.stdin.write(`${JSON.stringify({ module, cwd, env })}\n`)
    void child.stdin.flush()
    const lines: string[] = []
    for (;;) {
      const { value, done } = await told.next()
      if (done) throw new Error(`The program ended: ${await err}`)
      if (value === JSON.stringify({ over: module })) return linesOf(lines.join("\n"))
      lines.push(value)
    }
  }
  return {
    run(...given: Parameters<typeof runOne>) {
      const run = last.then(() => runOne(...given))
      last = run.catch(() => {})
      return run
    },
    /** Nothing keeps it, and it complained of nothing. */
    async end() {
      await child.stdin.end()
      expect({ code: await child.exited, err: await err }).toEqual({ code: 0, err: "" })
    },
  }
}

async function* linesIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = ""
  const decoder = new TextDecoder()
  for await (const part of stream) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
  return undefined
}

const shared = isNight ? undefined : openProcess()
afterAll(() => shared?.end())

/** Runs the lines of a program, in which `say` prints an object and `all` gathers messages until a query ends. */
async function play(place: Place, program: string, scenario: NonNullable<RunOptions["scenario"]>) {
  const opened = await openSimulator({ scenario: asScenario(scenario) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const path = place.write(
    join(place.path, "program.ts"),
    `import { query } from ${JSON.stringify(index)}
     const say = (object) => console.log(JSON.stringify(object))
     const all = async (messages, seen) => {
       const found = []
       try { for await (const message of messages) { found.push(message); seen?.(message) } } catch (error) { say({ threw: error.message, name: error.name }) }
       return found
     }
     ${program}`,
  )
  const process = shared ?? openProcess()
  const lines = await process.run(path, place.work, environmentOf(place, opened.value.url))
  if (!shared) await process.end()
  await opened.value.close()
  return { lines, requests: [...opened.value.requests] }
}

test.concurrent("options reach the session; a session is continued and copied", async () => {
  using place = openPlace()
  const { lines, requests } = await play(
    place,
    `const first = await all(query({ prompt: "one", options: { model: "haiku", systemPrompt: "Be brief.", tools: ["Read"], title: "Mine" } }))
     const { session_id } = first.at(-1)
     const second = await all(query({ prompt: "two", options: { resume: session_id } }))
     const third = await all(query({ prompt: "three", options: { resume: session_id, forkSession: true, includePartialMessages: true } }))
     say({ first: first.map(({ type }) => type), same: second.at(-1).session_id === session_id })
     say({ copied: third.at(-1).session_id !== session_id, partial: third.some(({ type }) => type === "stream_event") })`,
    ["Uno.", "Due.", "Tre."],
  )
  expect(lines).toEqual([
    { first: ["system", "assistant", "result"], same: true },
    { copied: true, partial: true },
  ])
  expect(bodyOf(requests[0]).model).toBe("claude-haiku-5-5")
  expect(JSON.stringify(bodyOf(requests[0]).system)).toContain("Be brief.")
  expect(talkIn(requests[2]).map((said) => said.split(" |")[0])).toEqual([
    "user: one",
    "assistant: Uno.",
    "user: two",
    "assistant: Due.",
    "user: three",
  ])
})

test.concurrent("an answer as data, agents, and what the session offers", async () => {
  using place = openPlace()
  const { lines } = await play(
    place,
    `const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
     const agents = { scout: { description: "Scouts.", prompt: "You scout." } }
     const asked = query({ prompt: "count", options: { outputFormat: { type: "json_schema", schema }, agents } })
     const found = await all(asked)
     say({ output: found.at(-1).structured_output, agents: found[0].agents.includes("scout") })
     const offered = query({ prompt: "hi" })
     say({ models: (await offered.supportedModels()).length > 0, commands: (await offered.supportedCommands()).length > 0 })
     await all(offered)`,
    [{ content: [{ tool: "StructuredOutput", input: { n: 3 } }] }, "Hi."],
  )
  expect(lines).toEqual([
    { output: { n: 3 }, agents: true },
    { models: true, commands: true },
  ])
})

test.concurrent("an interrupt, an abort, and a loop that is left all end the session", async () => {
  using place = openPlace()
  const { lines } = await play(
    place,
    `const slow = query({ prompt: "wait" })
     const watched = []
     try {
       for await (const message of slow) {
         watched.push(message.subtype ?? message.type)
         if (message.subtype === "init") await slow.interrupt()
       }
     } catch (error) { watched.push(error.message) }
     say({ watched: watched.at(-2), threw: watched.at(-1) })
     const abortController = new AbortController()
     const aborted = query({ prompt: "wait", options: { abortController } })
     await all(aborted, ({ subtype }) => subtype === "init" && abortController.abort())
     for await (const message of query({ prompt: "wait" })) if (message.type === "system") break
     say({ left: true })`,
    () => ({ content: "Too late.", timing: { ttftMs: 60_000 } }),
  )
  expect(lines).toMatchObject([
    { watched: "error_during_execution" },
    { threw: "The query was aborted.", name: "AbortError" },
    { left: true },
  ])
})

test.concurrent("a run that fails yields its result and throws; mistakes in options are named", async () => {
  using place = openPlace()
  const { lines } = await play(
    place,
    `say({ subtype: (await all(query({ prompt: "x", options: { maxBudgetUsd: 0 } }))).at(-1).subtype })
     await all(query({ prompt: "x", options: { extraArgs: { bogus: null } } }))
     await all(query({ prompt: "x", options: { resume: "0a1b2c3d-1111-4222-8333-444455556666" } }))`,
    [],
  )
  expect(lines[0]?.threw).toStartWith("The query failed: The budget does not cover the next request")
  expect(lines[1]).toEqual({ subtype: "error_max_budget_usd" })
  expect(lines[2]?.threw).toBe("unknown option '--bogus'; see --help")
  expect(lines[3]?.threw).toContain("No conversation found with session ID")
})

test.concurrent("several at once do not mix", async () => {
  using place = openPlace()
  const { lines } = await play(
    place,
    `const ends = await Promise.all(["a", "b", "c"].map((word) => all(query({ prompt: word }))))
     say({ results: ends.map((found) => found.at(-1).result), ids: new Set(ends.map((found) => found.at(-1).session_id)).size })`,
    ({ messages }) => ({ content: `heard ${JSON.stringify(messages).match(/"text":"([abc])"/)?.[1]}` }),
  )
  expect(lines).toEqual([{ results: ["heard a", "heard b", "heard c"], ids: 3 }])
})

test.concurrent(
  "an environment of its own is the session's, and that of its commands; the program keeps its own",
  async () => {
    using place = openPlace()
    const { lines } = await play(
      place,
      `const env = { ...process.env, COLOUR: "blue", CODEWRIGHT_HOME: process.env.CODEWRIGHT_HOME + "-other" }
     const told = await all(query({ prompt: "go", options: { env, allowedTools: ["Bash"] } }))
     const result = told.find(({ type }) => type === "user").message.content[0]
     say({ said: result.content, own: process.env.COLOUR ?? null, kept: await Bun.file(process.env.CODEWRIGHT_HOME).exists() })`,
      [{ content: [{ tool: "Bash", input: { command: "echo $COLOUR" } }] }, "Done."],
    )
    expect(lines).toEqual([{ said: "blue", own: null, kept: false }])
  },
)

test.concurrent(
  "tools are written with zod or as JSON Schema; what zod makes of the input is what they get",
  async () => {
    using place = openPlace()
    const call = (tool: string, input: JsonObject) => ({ content: [{ tool: `mcp__own__${tool}`, input }] })
    const { lines, requests } = await play(
      place,
      `import { createSdkMcpServer, tool } from ${JSON.stringify(index)}
     import { z } from ${JSON.stringify(resolve(import.meta.dir, "../../../node_modules/zod"))}
     const got = []
     const take = async (input) => { got.push(input); return { content: [{ type: "text", text: "taken" }] } }
     const tools = [
       tool("shape", "By fields", { a: z.number(), b: z.string().default("none") }, take),
       tool("object", "By an object", z.object({ day: z.string().transform((day) => day.toUpperCase()) }), take),
       tool("json", "By a JSON Schema", { type: "object", properties: { c: { type: "boolean" } } }, take),
     ]
     try { tool("wrong", "No object", z.string(), take) } catch (error) { say({ wrong: error.message }) }
     const options = { mcpServers: { own: createSdkMcpServer({ name: "own", tools }) }, allowedTools: ["mcp__own"] }
     await all(query({ prompt: "go", options }))
     say({ got })`,
      [call("shape", { a: 1 }), call("object", { day: "monday" }), call("json", { c: true }), "Done."],
    )
    expect(lines).toEqual([
      { wrong: "The input of the tool wrong must be an object: use z.object()." },
      { got: [{ a: 1, b: "none" }, { day: "MONDAY" }, { c: true }] },
    ])
    const offered = JSON.stringify(requests[0]?.body)
    expect(offered).toContain(
      '"properties":{"a":{"type":"number"},"b":{"default":"none","type":"string"}},"required":["a"]',
    )
  },
)

test.concurrent("plugins, hints of tools, and forms of servers", async () => {
  using place = openPlace()
  place.write("../plugins/desk/commands/greet.md", "---\ndescription: Greets\n---\nSay hello.")
  const server = join(import.meta.dir, "../../kit/mcp/asking-server.ts")
  const { lines, requests } = await play(
    place,
    `const { createSdkMcpServer, tool } = await import(${JSON.stringify(index)})
     const own = createSdkMcpServer({ name: "own", instructions: "Add with care.", tools: [
       tool("add", "Adds", {}, async () => ({ content: [] }), { annotations: { readOnlyHint: true } }),
     ] })
     const asked = []
     const run = query({ prompt: "/desk:greet", options: {
       plugins: [{ type: "local", path: "../plugins/desk" }],
       mcpServers: { own, ask: { command: process.execPath, args: [${JSON.stringify(server)}] } },
       allowedTools: ["mcp__ask__greet"],
       onElicitation: async ({ serverName, message }) => {
         asked.push([serverName, message])
         return { action: "accept", content: { name: "Ada" } }
       },
     } })
     const told = []
     let status
     for await (const message of run) {
       told.push(message)
       if (message.type === "assistant") status ??= await run.mcpServerStatus()
     }
     const { plugins } = told.find(({ subtype }) => subtype === "init")
     say({ asked, result: told.at(-1).result, plugins: plugins.map(({ name }) => name) })
     say(status.find(({ name }) => name === "own"))`,
    [{ content: [{ tool: "mcp__ask__greet", input: {} }] }, "Done."],
  )
  expect(lines[0]).toEqual({ asked: [["ask", "What is your name?"]], result: "Done.", plugins: ["desk"] })
  expect(lines[1]).toMatchObject({ tools: [{ name: "add", annotations: { readOnly: true } }] })
  expect(JSON.stringify(requests[0]?.body)).toContain("Say hello.")
  expect(JSON.stringify(requests[0]?.body)).toContain("Add with care.")
  expect(JSON.stringify(requests[1]?.body)).toContain("Hello Ada.")
})
