/** A hundred steps with everything that is added on the way: each request extends the one before, and is read from the cache. */

import { expect, test } from "bun:test"
import { appendFileSync } from "node:fs"
import type { Message } from "#agent/words/message.ts"
import type { Session } from "#session/port/session.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says } from "../../kit/script.ts"

const steps = 100

const steering = {
  type: "prompt",
  content: [{ type: "text", text: "mind this, too" }],
  when: "steer",
} as const

test(`${steps} steps with memory, reminders, changed files, plan mode and steering keep the prefix, and 97% is read from the cache`, async () => {
  let root = ""
  const here: { session?: Session } = {}
  const script: ScenarioFunction = (_request, { request }) => {
    if (request === 40) void here.session?.submit({ type: "set_mode", mode: "plan" })
    if (request === 60) void here.session?.submit({ type: "set_mode", mode: "acceptEdits" })
    if (request === 70) void here.session?.submit(steering)
    if (request >= steps) return says("Done.")
    if (request % 10 === 3) appendFileSync(`${root}/lib/watched.txt`, `changed at ${request}\n`)
    if (request === 5) return calls(read("lib/watched.txt"))
    return request % 3 === 0 ? calls(read(`lib/f${request}.txt`)) : calls(bash(`seq ${request} ${request + 150}`))
  }
  const files = Object.fromEntries(Array.from({ length: steps }, (_, i) => [`lib/f${i}.txt`, `line ${i}\n`.repeat(60)]))
  await using t = await openTestSession({
    files: {
      ...files,
      "AGENTS.md": "Rules. ".repeat(600),
      "lib/AGENTS.md": "Rules of lib.",
      "lib/watched.txt": "begin\n",
    },
    script,
  })
  root = t.root
  here.session = t.session
  expect(await t.prompt("work through it, and mind @AGENTS.md")).toEqual({ reason: "completed" })

  const requests = t.requests()
  expect(requests).toHaveLength(steps + 1)
  requests.forEach((messages, index) => {
    const before = requests[index - 1]
    if (before) expect(JSON.stringify(messages).startsWith(JSON.stringify(before).slice(0, -1))).toBe(true)
  })
  const names = t.entries().flatMap((entry) => (entry.kind === "attachment" ? [entry.name] : []))
  const expected = "user_context mention memory changed_files todo_reminder plan_mode plan_mode_exit"
  for (const name of expected.split(" ")) expect(names).toContain(name)
  expect(JSON.stringify(requests.at(-1))).toContain("mind this, too")

  const stats = t.simulator.stats()
  expect(stats.cacheBreaks).toEqual([])
  expect(stats.refusals).toBe(0)
  const used = t.simulator.requests.flatMap(({ answered }) => (answered.kind === "reply" ? [answered.usage] : []))
  const cached = used.reduce((sum, usage) => sum + usage.cache_read_input_tokens, 0)
  const all = used.reduce(
    (sum, usage) => sum + usage.cache_read_input_tokens + usage.cache_creation_input_tokens + usage.input_tokens,
    0,
  )
  expect(cached / all).toBeGreaterThanOrEqual(0.97)
  expect(t.entries().some((entry) => entry.kind === "notice" && entry.text.includes("cache"))).toBe(false)
})

test("commands of the person, moves of the mode and the end of what ran in the background only add to the prefix", async () => {
  await using t = await openTestSession({
    files: { "watched.txt": "begin\n", "AGENTS.md": "Rules." },
    answers: () => ({ kind: "allow" }),
    script: (_request, { request }) => {
      if (request % 4 === 0) return calls(read("watched.txt"))
      if (request % 4 === 1) return calls({ tool: "Bash", input: { command: "true", run_in_background: true } })
      return says(`Heard ${request}.`)
    },
  })
  const modes = ["plan", "acceptEdits", "default"] as const
  for (let turn = 0; turn < 24; turn++) {
    const mode = modes[turn % modes.length]
    if (mode) void t.session.submit({ type: "set_mode", mode })
    void t.session.submit({ type: "shell", command: `echo own ${turn}` })
    await t.settled()
    appendFileSync(t.path("watched.txt"), `changed at ${turn}\n`)
    expect(await t.prompt(`turn ${turn}`)).toEqual({ reason: "completed" })
  }
  const requests = t.requests()
  requests.forEach((messages, index) => {
    const before = requests[index - 1]
    if (before) expect(lines(messages).slice(0, lines(before).length)).toEqual(lines(before))
  })
  const names = new Set(t.entries().flatMap((entry) => (entry.kind === "attachment" ? [entry.name] : [])))
  for (const name of ["plan_mode", "plan_mode_exit", "changed_files", "background_end"])
    expect([...names]).toContain(name)
  expect(t.simulator.stats()).toMatchObject({ refusals: 0, cacheBreaks: [] })
})

/** Block by block: what is said next may join the last message. */
const lines = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ role, content }) =>
    typeof content === "string" ? [content] : content.map((block) => `${role} ${JSON.stringify(block)}`),
  )
