/** What so many members hold, when all have nothing left to do: with the lead in its process, or in processes of their own. */

import { readdirSync, readFileSync } from "node:fs"
import { program } from "./agent.ts"
import { calls, says, type Use } from "./answers.ts"
import { openModelServer } from "./model-server.ts"
import { makePlace } from "./place.ts"

const settleMs = 1_500

/** In MB; only Linux tells. `process`: of the processes of the members alone, with their share of what they have in common. */
export async function teamMemory(members: number, where: "in-process" | "process" = "in-process"): Promise<number> {
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
    [
      program,
      "-p",
      "--input-format",
      "stream-json",
      "--output-format",
      "stream-json",
      "--verbose",
      "--teammate-mode",
      where,
    ],
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
  const others = processesIn(place.state).filter((pid) => pid !== child.pid && isMember(pid))
  const held =
    where === "in-process"
      ? kilobytes(`/proc/${child.pid}/status`, "VmRSS")
      : others.reduce((sum, pid) => sum + kilobytes(`/proc/${pid}/smaps_rollup`, "Pss"), 0)
  for (const pid of [child.pid, ...others]) process.kill(pid, "SIGKILL")
  await child.exited
  server.close()
  place.remove()
  return held / 1024
}

const processesIn = (state: string): readonly number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && textOf(`/proc/${pid}/environ`).split("\0").includes(`CODEWRIGHT_HOME=${state}`))

const isMember = (pid: number): boolean => textOf(`/proc/${pid}/cmdline`).split("\0").includes("--member")

const kilobytes = (path: string, what: string): number =>
  Number(new RegExp(`^${what}:\\s*(\\d+) kB`, "m").exec(textOf(path))?.[1] ?? Number.NaN)

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
