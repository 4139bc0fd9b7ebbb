/** Does a hundredth query of the published SDK cost more memory than the first, in the program and in whoever drives it? */

import { readdirSync, readFileSync } from "node:fs"
import { query } from "claude-agent-sdk-0.3"
import { program } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { median } from "./kit/figures.ts"
import { openModelServer } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const queries = 100
const server = openModelServer({ bodies: "dropped", answer: () => [says("Done.")] })
const place = makePlace()
const peaks: number[] = []
const driver: number[] = []
const files: number[] = []
for (let i = 0; i < queries; i++) {
  peaks.push(await peakOfQuery())
  Bun.gc(true)
  driver.push(process.memoryUsage().rss / 1024 / 1024)
  files.push(readdirSync("/proc/self/fd").length)
}
place.remove()
server.close()

const first = (list: readonly number[]): number => median(list.slice(5, 15))
const last = (list: readonly number[]): number => median(list.slice(-10))
answer(
  rowOf({
    what: `peak of the program, query ${queries} over query 10`,
    ours: last(peaks),
    unit: "MB",
    floor: { name: "query 10", value: first(peaks) },
    toReach: first(peaks) + 10,
  }),
  rowOf({
    what: `memory that ${queries} queries add to the driving program`,
    ours: last(driver) - first(driver),
    unit: "MB",
    floor: { name: "after 10 queries", value: first(driver) },
    toReach: 30,
    note: `open files ${first(files)} after 10, ${last(files)} at the end`,
  }),
)

/** Read while the process still waits for further input. */
async function peakOfQuery(): Promise<number> {
  const done = Promise.withResolvers<void>()
  async function* prompt() {
    const message = { role: "user" as const, content: "go" }
    yield { type: "user" as const, message, parent_tool_use_id: null, session_id: "" }
    await done.promise
  }
  let pid = 0
  let peak = 0
  const running = query({
    prompt: prompt(),
    options: {
      pathToClaudeCodeExecutable: program,
      cwd: place.work,
      env: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: place.home,
        CODEWRIGHT_HOME: place.state,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: "x",
      },
    },
  })
  for await (const { type } of running) {
    if (type !== "result") continue
    const introduced: object = await running.initializationResult()
    pid = "pid" in introduced ? Number(introduced.pid) : 0
    peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
    done.resolve()
  }
  return peak
}
