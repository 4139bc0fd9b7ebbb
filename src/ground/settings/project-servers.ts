/** The servers in a project's `.mcp.json`: read once, by the same reader that the trust question uses. */

import { join } from "node:path"
import { namedServers } from "#agent/words/named-servers.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { readBounded } from "./bounded-file.ts"
import { parseJsonc } from "./jsonc.ts"
import { repeatedInProject, type SettingsProblem } from "./read-source.ts"

const serversFile = ".mcp.json"

export interface FoundProjectServers {
  readonly file: string
  readonly servers: readonly { readonly name: string; readonly value: JsonValue }[]
  /** Why nothing of the file is used. */
  readonly problems: readonly SettingsProblem[]
}

export function readProjectServers(root: string): FoundProjectServers {
  const file = join(root, serversFile)
  const nothing = (problem?: Pick<SettingsProblem, "kind" | "message" | "at">): FoundProjectServers => ({
    file,
    servers: [],
    problems: problem ? [{ level: "warning", source: "project settings", file, ...problem }] : [],
  })
  const read = readBounded(file)
  if (!read.ok) return nothing({ kind: "unreadable", message: `${read.failure} None of its servers is used.` })
  if (read.value === undefined || read.value.trim() === "") return nothing()
  const parsed = parseJsonc(read.value)
  if (!parsed.ok) {
    const { message, line, column } = parsed.failure
    return nothing({ kind: "syntax", at: { line, column }, message: `${message} None of its servers is used.` })
  }
  const { value, repeated, positionOf } = parsed.value
  const twice = repeated[0]
  if (twice)
    return nothing({
      kind: "repeated_key",
      at: { line: twice.line, column: twice.column },
      message: repeatedInProject(twice.key),
    })
  const servers = isObject(value) ? namedServers(value) : undefined
  const isEmpty = isObject(value) && Object.keys(value).every((key) => key === "$schema" || key === "inputs")
  if (!servers && isEmpty) return nothing()
  if (!servers)
    return nothing({
      kind: "wrong_value",
      at: positionOf(["mcpServers"]),
      message: '"mcpServers" must be an object with a server by each name. None of its servers is used.',
    })
  return { ...nothing(), servers: Object.entries(servers).map(([name, one]) => ({ name, value: one })) }
}
