/** A bare MCP server as the user's own, and its start by itself. */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BareProgram } from "./bare-program.ts"
import type { BenchPlace } from "./place.ts"

/** From now on sessions in this place have the server, with so many tools. */
export function giveServer({ state }: BenchPlace, { path }: BareProgram, tools: number): void {
  writeFileSync(
    join(state, "mcp.json"),
    JSON.stringify({ mcpServers: { bare: { command: path, args: [`${tools}`] } } }),
  )
}

/** How long it takes from its start until it has listed its tools, in milliseconds. */
export async function serverStartMs({ path }: BareProgram, tools: number): Promise<number> {
  const spawnedAt = performance.now()
  const child = Bun.spawn([path, `${tools}`], { stdio: ["pipe", "pipe", "inherit"] })
  const say = (message: object): void => {
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    void child.stdin.flush()
  }
  const decoder = new TextDecoder()
  let heard = ""
  const reader = child.stdout.getReader()
  const lines = async (count: number): Promise<void> => {
    while (heard.split("\n").length <= count) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`The bare server ended before it had answered ${count} times.`)
      heard += decoder.decode(value, { stream: true })
    }
  }
  const clientInfo = { name: "bench", version: "0" }
  say({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } })
  await lines(1)
  say({ method: "notifications/initialized" })
  say({ id: 2, method: "tools/list", params: {} })
  await lines(2)
  const ms = performance.now() - spawnedAt
  child.kill()
  await child.exited
  return ms
}
