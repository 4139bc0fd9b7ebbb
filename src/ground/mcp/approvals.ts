/** The user's answers about servers of projects and their tools, by fingerprint, kept in the state folder. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject, type JsonObject } from "#lib/json.ts"
import { ok, type Result } from "#lib/result.ts"
import { replaceFile } from "./config-files.ts"

export interface Approvals {
  /** The answer for the server as it was then; undefined when it was never asked about, or has changed since. */
  readonly server: (root: string, name: string, fingerprint: string) => boolean | undefined
  readonly keepServer: (root: string, name: string, fingerprint: string, isApproved: boolean) => Result<void, string>
  /** The digest of a tool as it was allowed. */
  readonly tool: (root: string, tool: string) => string | undefined
  readonly keepTool: (root: string, tool: string, digest: string) => Result<void, string>
  /** Forgets everything for a project; returns how much there was. */
  readonly forget: (root: string) => Result<{ readonly servers: number; readonly tools: number }, string>
}

type Kind = "servers" | "tools"

export function openApprovals(stateFolder: string): Approvals {
  const file = join(stateFolder, "mcp-approvals.json")

  // Read again each time: another process may have asked in the meantime.
  function projects(): JsonObject {
    try {
      const value: unknown = JSON.parse(readFileSync(file, "utf8"))
      return isObject(value) && isObject(value.projects) ? value.projects : {}
    } catch {
      return {}
    }
  }
  function known(root: string, kind: Kind): JsonObject {
    const all = projects()
    const project = Object.hasOwn(all, root) ? all[root] : undefined
    const found = isObject(project) ? project[kind] : undefined
    return isObject(found) ? found : {}
  }
  function write(root: string, project: JsonObject): Result<void, string> {
    const whole = { version: 1, projects: { ...projects(), [root]: project } }
    return replaceFile(file, `${JSON.stringify(whole, null, 2)}\n`, 0o600)
  }
  const both = (root: string): { readonly [K in Kind]: JsonObject } => ({
    servers: known(root, "servers"),
    tools: known(root, "tools"),
  })

  return {
    server(root, name, fingerprint) {
      const servers = known(root, "servers")
      const said = Object.hasOwn(servers, name) ? servers[name] : undefined
      if (!isObject(said) || typeof said.approved !== "boolean") return undefined
      return said.fingerprint === fingerprint ? said.approved : undefined
    },
    keepServer(root, name, fingerprint, approved) {
      const { servers, tools } = both(root)
      return write(root, { servers: { ...servers, [name]: { fingerprint, approved } }, tools })
    },
    tool(root, tool) {
      const tools = known(root, "tools")
      const digest = Object.hasOwn(tools, tool) ? tools[tool] : undefined
      return typeof digest === "string" ? digest : undefined
    },
    keepTool(root, tool, digest) {
      const { servers, tools } = both(root)
      return write(root, { servers, tools: { ...tools, [tool]: digest } })
    },
    forget(root) {
      const { servers, tools } = both(root)
      const counts = { servers: Object.keys(servers).length, tools: Object.keys(tools).length }
      if (counts.servers + counts.tools === 0) return ok(counts)
      const written = write(root, {})
      return written.ok ? ok(counts) : written
    },
  }
}
