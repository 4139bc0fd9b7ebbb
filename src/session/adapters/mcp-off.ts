/** Servers that are all turned off: the room in which they are reached is loaded when somebody wants one. */

import type { AnyTool } from "#agent/words/tool.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import type { McpServerState } from "#kits/mcp/ports.ts"
import { atFirst, stateOf } from "#kits/mcp/server-state.ts"
import { lazily } from "#lib/lazily.ts"
import type { SessionServers } from "./session-servers.ts"
import type { ServerCalls } from "./server-calls.ts"

const noTools: readonly AnyTool[] = []

export function openServersOff(
  servers: readonly McpServer[],
  calls: ServerCalls,
  open: () => Promise<SessionServers>,
): SessionServers {
  let room: SessionServers | undefined
  /** Each with what ends its listening in the room. */
  const listeners = new Map<() => void, (() => void) | undefined>()
  const states = lazily((): readonly McpServerState[] => servers.map((server) => stateOf(server, atFirst(server))))
  const opened = lazily(async (): Promise<SessionServers> => {
    const made = await open()
    for (const listener of listeners.keys()) listeners.set(listener, made.onChange(listener))
    room = made
    return made
  })
  const tools = (): readonly AnyTool[] => room?.tools() ?? noTools
  return {
    kit: {
      name: "mcp",
      late: tools,
      attachments: (signal) => room?.kit.attachments?.(signal) ?? [],
      guidance: () => room?.kit.guidance?.() ?? [],
      onEntry: calls.onEntry,
      close: () => room?.kit.close?.() ?? Promise.resolve(),
    },
    start: () => {},
    tools,
    toolOf: (server, tool) => room?.toolOf(server, tool),
    onChange(listener) {
      listeners.set(listener, room?.onChange(listener))
      return () => {
        listeners.get(listener)?.()
        listeners.delete(listener)
      }
    },
    servers: () => room?.servers() ?? states(),
    active: () => room?.active() ?? [],
    hasAny: () => servers.length > 0,
    rootsChanged: () => room?.rootsChanged(),
    readResource: async (...asked) => (await opened()).readResource(...asked),
    mentioned: async (...asked) => (await opened()).mentioned(...asked),
    loadSkill: async (...asked) => (await opened()).loadSkill(...asked),
    readFolder: async (...asked) => (await opened()).readFolder(...asked),
    getSkill: async (...asked) => (await opened()).getSkill(...asked),
    skillDigests: {
      get: (server, uri) => room?.skillDigests.get(server, uri),
      set: (server, uri, digest) => room?.skillDigests.set(server, uri, digest),
    },
    getPrompt: async (...asked) => (await opened()).getPrompt(...asked),
    complete: async (...asked) => (await opened()).complete(...asked),
    reconnect: async (name) => (await opened()).reconnect(name),
    enable: async (name) => (await opened()).enable(name),
    disable: async (name) => (await opened()).disable(name),
    disableHere: async (name) => (await opened()).disableHere(name),
    login: async (name) => (await opened()).login(name),
    replace: async (wanted) => (await opened()).replace(wanted),
    set: async (wanted) => (await opened()).set(wanted),
    receive: (server, message) => room?.receive(server, message) ?? false,
    hasTasks: calls.hasTasks,
    settle: async (...asked) => room?.settle(...asked),
    ready: async (signal) => room?.ready(signal),
    arrived: async (signal) => room?.arrived(signal),
  }
}
