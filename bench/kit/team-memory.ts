/** What a session holds that leads so many members of its own process, when all have nothing left to do. */

import { readFileSync } from "node:fs"
import { program } from "./agent.ts"
import { calls, says, type Use } from "./answers.ts"
import { openModelServer } from "./model-server.ts"
import { makePlace } from "./place.ts"

const settleMs = 1_500

/** In MB; only Linux tells. */
export async function teamMemory(members: number): Promise<number> {
  const place = makePlace()
  const team: Use = { name: "TeamCreate", input: { name: "crew" } }
  const starts = Array.from({ length: members }, (_, i): Use => ({
    name: "Task",
    input: {
      description: "waits",
      prompt: "Say that you are ready.",
      subagent_type: "general-purpose",
      team_name: "crew",
      name: `w${i}`,
    },
  }))
  let last = performance.now()
  const server = openModelServer({
    bodies: "dropped",
    answer: (index) => [index === 0 ? calls(0, team) : index === 1 ? calls(1, ...starts) : says("Ready.")],
    onRequest: () => void (last = performance.now()),
  })
  const child = Bun.spawn(
    [program, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
    {
      cwd: place.work,
      env: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: place.home,
        CODEWRIGHT_HOME: place.state,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: "x",
      },
      stdio: ["pipe", "ignore", "inherit"],
    },
  )
  void child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "go" } })}\n`)
  void child.stdin.flush()
  // The lead's three requests, one of each member, and whatever their reports bring.
  while (server.exchanges.length < 3 + members || performance.now() - last < settleMs) await Bun.sleep(50)
  const rss = Number(/^VmRSS:\s*(\d+) kB/m.exec(statusOf(child.pid))?.[1] ?? Number.NaN) / 1024
  child.kill("SIGKILL")
  await child.exited
  server.close()
  place.remove()
  return rss
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8")
  } catch {
    return ""
  }
}
