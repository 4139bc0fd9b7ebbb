/** Tools as they were when the user allowed them, by digest, kept in the state folder: used to show what changed. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import { replaceFile } from "#lib/state-file.ts"
import type { McpToolDefinition } from "./connection.ts"
import { lists } from "./decode.ts"

export interface Definitions {
  readonly keep: (digest: string, definition: McpToolDefinition) => Result<void, string>
  /** The caller checks the digest: the file may have changed. */
  readonly find: (digest: string) => McpToolDefinition | undefined
}

export function openDefinitions(stateFolder: string): Definitions {
  const fileOf = (digest: string): string => join(stateFolder, "mcp-tools", `${digest}.json`)
  return {
    keep: (digest, definition) => replaceFile(fileOf(digest), `${JSON.stringify(definition)}\n`),
    find(digest) {
      if (!/^[0-9a-f]+$/.test(digest)) return undefined
      try {
        const value: unknown = JSON.parse(readFileSync(fileOf(digest), "utf8"))
        return isObject(value) ? lists.tools.read(value) : undefined
      } catch {
        return undefined
      }
    },
  }
}
