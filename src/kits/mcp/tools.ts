/** The current tools of all servers. A tool with an unchanged definition stays the same value. */

import type { AnyTool } from "#agent/words/tool.ts"
import type { McpToolDefinition } from "#ground/mcp/connection.ts"
import { optional } from "#lib/optional.ts"
import type { Clock } from "#lib/clock.ts"
import { changedWords, digestOf, rememberAllowed } from "./known-tools.ts"
import { toolNames } from "./names.ts"
import type { KnownDefinitions, McpLimits } from "./ports.ts"
import type { SaveFile } from "./saved-files.ts"
import type { LiveServer } from "./server.ts"
import { changeOf } from "./tool-change.ts"
import { mcpTool } from "./tool.ts"

export interface Tools {
  /** Sorted by name; the same array as long as nothing changed. */
  readonly current: () => readonly AnyTool[]
  /** By the server's own names. */
  readonly find: (server: string, tool: string) => AnyTool | undefined
  /** Something changed: the list is rebuilt on the next access. */
  readonly forget: () => void
}

export interface ToolsParts {
  readonly servers: () => ReadonlyMap<string, LiveServer>
  readonly names: () => ReadonlyMap<string, string>
  readonly resources: readonly AnyTool[]
  readonly known: KnownDefinitions
  readonly limits: McpLimits
  readonly save?: SaveFile | undefined
  readonly clock: Clock
  readonly warn: (text: string) => void
}

interface Made {
  readonly digest: string
  /** Another server may take the name. */
  readonly by: LiveServer
  /** As its server names it. */
  readonly called: string
  readonly tool: AnyTool
  /** In characters, as sent. */
  readonly size: number
}

/** Definitions are sent with every request, even deferred ones. */
const mostTools = 1_000
const mostCharacters = 4_000_000

export function openTools({ servers, names, resources, known, limits, save, clock, warn }: ToolsParts): Tools {
  let made = new Map<string, Made>()
  /** Servers for which the user was told that not all tools are used. */
  const cutShort = new Set<string>()
  let list: readonly AnyTool[] | undefined

  function make(name: string, definition: McpToolDefinition, by: LiveServer): Made {
    const { state, call } = by
    const digest = digestOf(definition)
    // A request with the tool need not be rebuilt.
    const before = made.get(name)
    if (before?.digest === digest && before.by === by) return before
    const { name: server, readOnly = false, provenance, callMs, listed } = state()
    const tool = mcpTool({
      server,
      source: provenance,
      isReader: readOnly,
      name,
      definition,
      call,
      save,
      changed: () => changedWords(name, digest, known),
      change: () => changeOf(name, definition, known),
      // By the value that was judged: the name may have another definition by now.
      allowed: (reason) => rememberAllowed(name, definition, reason, known),
      limits,
      ...optional("callMs", callMs),
      ...optional("listed", definition.listed ?? listed),
      clock,
    })
    return {
      digest,
      by,
      called: definition.name,
      tool,
      size: tool.description.length + JSON.stringify(tool.schema).length,
    }
  }

  /** Told once; marked first, since telling may trigger another look. */
  function tellCut(server: string, used: number): void {
    if (cutShort.has(server)) return
    cutShort.add(server)
    warn(cutWords(server, used))
  }

  function all(): readonly AnyTool[] {
    const now = new Map<string, Made>()
    let hasResources = false
    let room = mostCharacters
    const called = names()
    for (const [server, live] of servers()) {
      const offer = live.state()
      const named = toolNames(
        called.get(server) ?? server,
        offer.tools.map(({ name }) => name),
      )
      for (const [used, definition] of offer.tools.entries()) {
        if (used >= mostTools || room <= 0) {
          tellCut(server, used)
          break
        }
        const name = named.get(definition.name) ?? definition.name
        const one = make(name, definition, live)
        room -= one.size
        now.set(name, one)
      }
      hasResources ||= offer.hasSkills === true || offer.resources.length + offer.templates.length > 0
    }
    made = now
    const sorted = [...now].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, { tool }]) => tool)
    return hasResources ? [...sorted, ...resources] : sorted
  }

  const current = (): readonly AnyTool[] => (list ??= all())

  return {
    current,
    find(server, tool) {
      current()
      const live = servers().get(server)
      return live && [...made.values()].find(({ by, called }) => by === live && called === tool)?.tool
    },
    forget: () => void (list = undefined),
  }
}

const cutWords = (server: string, used: number): string =>
  `The MCP server ${server} offers more tools than can be sent along; ${used === 0 ? "none of them is" : `only the first ${used} are`} used. Turn off servers or tools that are not needed.`
