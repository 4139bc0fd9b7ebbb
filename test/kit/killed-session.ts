/** Sessions in processes of their own that a test kills and resumes, with a server that speaks the newest revision. */

import { join } from "node:path"
import { loadLog } from "#ground/transcript/load.ts"
import type { Scenario } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import { helper } from "./helper.ts"
import { environmentOf, type Place, program } from "./run-codewright.ts"
import { bash, calls, says, use } from "./script.ts"

const worker = join(import.meta.dir, "waiting-session.ts")

/** Calls a tool of the server once that is connected and the tool loaded; at a terminal nobody waits for servers. */
const afterConnected =
  (tool: string): Scenario =>
  ({ messages }) => {
    const [last, all] = [JSON.stringify(messages.at(-1)), JSON.stringify(messages)]
    if (all.includes('"name":"CallTool"')) return says("Done.")
    if (last.includes("CallTool")) return calls(use("CallTool", { name: `mcp__modern__${tool}`, input: {} }))
    if (all.includes("MCP server modern is connected")) return calls(use("ToolSearch", { query: `select:${tool}` }))
    return calls(bash(`sleep 0.1; echo ${messages.length}`))
  }

export interface ModernSession extends AsyncDisposable {
  /** Starts a process; without a prompt it resumes this session. */
  readonly start: (what: { readonly prompt?: string; readonly resume?: string }) => Started
  /** What came of the calls, as text. */
  readonly results: () => readonly string[]
  /** Runs `codewright sessions`. */
  readonly sessions: (...words: readonly string[]) => Promise<{ readonly code: number; readonly stdout: string }>
}

export interface Started {
  readonly lines: () => readonly string[]
  /** What follows the word in the first line that begins with it, once there is one. */
  readonly says: (word: string) => Promise<string>
  readonly kill: () => Promise<void>
  readonly exited: Promise<number>
}

/** The model calls this tool of a server that keeps its notes in the folder. */
export async function openModernSession(place: Place, tool: string, folder: string): Promise<ModernSession> {
  const opened = await openSimulator({ scenario: afterConnected(tool) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url } = opened.value
  const server = { command: process.execPath, args: [join(import.meta.dir, "mcp/modern-server.ts"), folder] }
  const argv = ["--mcp-config", JSON.stringify({ mcpServers: { modern: server } }), "--allowedTools", "mcp__modern"]
  const env = environmentOf(place, url, { CODEWRIGHT_TOOL_SEARCH: "0" })
  return {
    start({ prompt, resume }) {
      const words = resume === undefined ? argv : [...argv, "--resume", resume]
      const what = { argv: words, ...(prompt !== undefined && { prompt }) }
      return watched([...helper(worker), JSON.stringify(what)], { cwd: place.work, env })
    },
    results() {
      const [path = ""] = [...new Bun.Glob("projects/*/*.jsonl").scanSync({ cwd: place.state, absolute: true })]
      const loaded = loadLog(path)
      if (!loaded.ok) throw new Error(loaded.failure.kind)
      return loaded.value.entries.flatMap((entry) => (entry.kind === "result" ? JSON.stringify(entry.content) : []))
    },
    async sessions(...words) {
      const child = Bun.spawn([program, "sessions", ...words], {
        cwd: place.work,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      })
      const stdout = await new Response(child.stdout).text()
      return { code: await child.exited, stdout }
    },
    [Symbol.asyncDispose]: () => opened.value.close(),
  }
}

function watched(command: string[], where: { readonly cwd: string; readonly env: Record<string, string> }): Started {
  const child = Bun.spawn(command, { ...where, stdio: ["ignore", "pipe", "inherit"] })
  let text = ""
  let more = Promise.withResolvers<void>()
  let isOver = false
  void (async () => {
    for await (const chunk of child.stdout) {
      text += new TextDecoder().decode(chunk)
      more.resolve()
      more = Promise.withResolvers()
    }
    isOver = true
    more.resolve()
  })()
  const lines = (): readonly string[] => text.split("\n")
  return {
    lines,
    async says(word) {
      for (;;) {
        const found = lines().find((line) => line.startsWith(word))
        if (found !== undefined) return found.slice(word.length)
        if (isOver) throw new Error(`it ended without saying ${word}: ${text}`)
        await more.promise
      }
    },
    async kill() {
      child.kill("SIGKILL")
      await child.exited
    },
    exited: child.exited,
  }
}
