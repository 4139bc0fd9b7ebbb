/** All servers of a session: connected in parallel in the background, their tools wrapped as ours. See decision 27. */

import type { Guidance } from "#agent/words/kit.ts"
import { ok } from "#lib/result.ts"
import { approveServers } from "./approve.ts"
import { login } from "./login.ts"
import { serverNames } from "./names.ts"
import type { McpPorts, McpRoom, McpServerState } from "./ports.ts"
import { openReading } from "./reading.ts"
import { resourceTools } from "./resource-tools.ts"
import { openResourceWatch } from "./resource-watch.ts"
import { openServers } from "./servers.ts"
import { openTools } from "./tools.ts"

const charactersPerToken = 4
const longestGuidance = 2_048
/** How long the first request waits where tools must be listed from the beginning. */
const listedMs = 5_000

export function openMcp(ports: McpPorts): McpRoom {
  const { clock, known, limits, warn } = ports
  const listeners = new Set<() => void>()
  const watch = openResourceWatch()
  const servers = openServers({ ...ports, onChange: changed, onUpdated: watch.updated })
  const reading = openReading(servers.live, (server, uri) =>
    servers.live.get(server)?.watchResources(watch.wasRead(server, uri)),
  )
  const tools = openTools({
    servers: () => servers.live,
    names: () => serverNames([...servers.live.keys()]),
    resources: resourceTools({
      servers: servers.states,
      read: reading.readResource,
      readFolder: reading.readFolder,
      skillsInUse: ports.skillsInUse ?? (() => []),
      maxResultChars: limits.outputTokens * charactersPerToken,
      save: ports.save,
    }),
    save: ports.save,
    known,
    limits,
    clock,
    warn,
  })
  /** Until when requests wait for connecting servers: each is waited for only once. */
  let deadline: number | undefined

  function changed(): void {
    tools.forget()
    for (const listener of listeners) listener()
  }

  const approve = (signal: AbortSignal): Promise<void> =>
    approveServers(
      servers.heldBack(),
      { ...ports, start: (name) => void servers.start(name), drop: servers.drop },
      signal,
    )

  return {
    kit: {
      name: "mcp",
      late: tools.current,
      attachments: watch.news,
      guidance: () => servers.states().flatMap(guidanceOf),
      close: servers.close,
    },
    start: servers.startAll,
    tools: tools.current,
    toolOf: tools.find,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    servers: servers.states,
    active: () => servers.states().filter(({ status }) => status !== "disabled"),
    hasAny: () => servers.live.size > 0,
    rootsChanged() {
      for (const server of servers.live.values()) server.rootsChanged()
    },
    ...reading,
    skillDigests: ports.skillDigests,
    reconnect: servers.restart,
    async enable(name) {
      const kept = ports.keepDisabled?.(name, false) ?? ok(undefined)
      if (!kept.ok) warn(kept.failure)
      return servers.restart(name)
    },
    disable: servers.disable,
    async disableHere(name) {
      const done = await servers.disable(name)
      return done.ok ? (ports.keepDisabled?.(name, true) ?? done) : done
    },
    login: (name) => login(servers, name, ports),
    replace(wanted) {
      deadline = undefined
      return servers.replace(wanted)
    },
    settle: servers.settle,
    async arrived(signal) {
      // A call that is begun again may be of a server that was approved before, perhaps on another machine.
      await approve(signal)
      await servers.settle(limits.startMs, signal)
    },
    async ready(signal) {
      await approve(signal)
      for (const server of servers.live.values()) server.refreshStale()
      deadline ??= clock.now() + Math.max(ports.patienceMs, servers.states().some(isAwaited) ? listedMs : 0)
      const left = deadline - clock.now()
      if (left > 0) await servers.settle(left, signal)
    },
  }
}

const isAwaited = ({ status, listed }: McpServerState): boolean => status === "connecting" && listed === true

/** A server's instructions are limited like its tool descriptions. */
function guidanceOf({ name, status, instructions }: McpServerState): readonly Guidance[] {
  const text = instructions?.trim() ?? ""
  if (status !== "connected" || text === "") return []
  const short = text.length <= longestGuidance ? text : `${text.slice(0, longestGuidance - 1).toWellFormed()}…`
  // It is placed among our own words, and must not look like one of our headings.
  return [{ from: name, text: short.replace(/^(?=\s*#)/gm, "> ") }]
}
