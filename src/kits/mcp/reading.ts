/** Resources and prompts of servers. */

import { textOf } from "#agent/words/message.ts"
import type { McpConnection } from "#ground/mcp/connection.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { resourceContentOf } from "./content.ts"
import type { McpRoom } from "./ports.ts"
import type { LiveServer } from "./server.ts"

type ResourceReading = Pick<
  McpRoom,
  "readResource" | "loadSkill" | "getSkill" | "readFolder" | "mentioned" | "getPrompt" | "complete"
>

export function openReading(
  live: ReadonlyMap<string, LiveServer>,
  wasRead: (server: string, uri: string) => void,
): ResourceReading {
  async function readResource(server: string, uri: string, signal: AbortSignal): ReturnType<McpRoom["readResource"]> {
    const found = await connected(server, signal)
    if (!found.ok) return found
    const read = await found.value.readResource(uri, signal)
    if (!read.ok) return failed(read.failure.message)
    wasRead(server, uri)
    return read
  }

  async function connected(name: string, signal: AbortSignal): Promise<Result<McpConnection, string>> {
    const server = live.get(name)
    if (!server) return failed(`There is no MCP server ${name}.`)
    const found = await server.connection(signal)
    return found.ok ? found : failed(found.failure.message)
  }

  return {
    readResource,
    async mentioned(server, uri, signal) {
      if (!live.has(server)) return undefined
      const read = await readResource(server, uri, signal)
      return read.ok ? ok(textOf(resourceContentOf(read.value))) : read
    },
    async loadSkill(server, uri, signal) {
      const found = await connected(server, signal)
      if (!found.ok) return found
      const got = await found.value.loadSkill(uri, signal)
      return got.ok ? got : failed(got.failure.message)
    },
    async readFolder(server, uri, signal) {
      const found = await connected(server, signal)
      if (!found.ok) return found
      const got = await found.value.readFolder(uri, signal)
      return got.ok ? got : failed(got.failure.message)
    },
    async getSkill(server, uri, signal) {
      const found = await connected(server, signal)
      if (!found.ok) return found
      const got = await found.value.getSkill(uri, signal)
      return got.ok ? got : failed(got.failure.message)
    },
    async complete(server, request, signal) {
      const found = await connected(server, signal)
      const got = found.ok ? await found.value.complete(request, signal) : found
      return got.ok ? got.value : []
    },
    async getPrompt(server, request, signal) {
      const found = await connected(server, signal)
      if (!found.ok) return found
      const got = await found.value.getPrompt(request, signal)
      return got.ok ? got : failed(got.failure.message)
    },
  }
}
