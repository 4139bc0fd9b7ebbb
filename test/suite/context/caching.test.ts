/** A hundred steps with everything that is added on the way: each request extends the one before, and is read from the cache. */

import { expect, test } from "bun:test"
import { appendFileSync } from "node:fs"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says } from "../../kit/script.ts"

const steps = 100

test(`${steps} steps with memory, reminders and changed files keep the prefix, and 97% is read from the cache`, async () => {
  let root = ""
  const script: ScenarioFunction = (_request, { request }) => {
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
  expect(await t.prompt("work through it, and mind @AGENTS.md")).toEqual({ reason: "completed" })

  const requests = t.requests()
  expect(requests).toHaveLength(steps + 1)
  requests.forEach((messages, index) => {
    const before = requests[index - 1]
    if (before) expect(JSON.stringify(messages).startsWith(JSON.stringify(before).slice(0, -1))).toBe(true)
  })
  const names = t.entries().flatMap((entry) => (entry.kind === "attachment" ? [entry.name] : []))
  for (const name of ["user_context", "mention", "memory", "changed_files", "todo_reminder"])
    expect(names).toContain(name)

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
}, 60_000)
