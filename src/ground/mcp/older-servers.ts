/**
 * Servers that could not stand being asked for their revisions: they ended, or said nothing for long. For a week they are not
 * asked, so that each start does not pay for it again.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { digestOf } from "#lib/digest.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import type { Clock } from "#lib/clock.ts"
import { replaceFile } from "#lib/state-file.ts"
import type { McpServerConfig } from "./server-config.ts"

export interface OlderServers {
  readonly has: (config: McpServerConfig) => boolean
  readonly keep: (config: McpServerConfig) => void
}

const weekMs = 7 * 24 * 60 * 60 * 1_000
const mostKept = 200

export function openOlderServers(stateFolder: string, clock: Clock): OlderServers {
  const file = join(stateFolder, "mcp-older-servers.json")
  const keyOf = (config: McpServerConfig): string =>
    digestOf(config.kind === "stdio" ? [config.command, config.args] : "url" in config ? config.url : config.kind)
  function kept(): JsonObject {
    try {
      const value: unknown = JSON.parse(readFileSync(file, "utf8"))
      return isObject(value) && isObject(value.until) ? value.until : {}
    } catch {
      return {}
    }
  }
  return {
    has(config) {
      const until = kept()[keyOf(config)]
      return typeof until === "number" && clock.now() < until
    },
    keep(config) {
      const others = Object.entries(kept()).filter(([, until]) => typeof until === "number" && clock.now() < until)
      const until = Object.fromEntries([...others.slice(1 - mostKept), [keyOf(config), clock.now() + weekMs]])
      // Whoever cannot keep it asks again the next time.
      replaceFile(file, `${JSON.stringify({ version: 1, until }, null, 2)}\n`)
    },
  }
}
