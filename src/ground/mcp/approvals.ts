/** The user's answers about servers of projects and their tools, by fingerprint, kept in the state folder. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { ok, type Result } from "#lib/result.ts"
import { replaceFile } from "./config-files.ts"

export interface Approvals {
  /** The answer for the server as it was then; undefined when it was never asked about, or has changed since. */
  readonly server: (root: string, name: string, fingerprint: string) => boolean | undefined
  readonly keepServer: (root: string, name: string, fingerprint: string, isApproved: boolean) => Result<void, string>
  /** The digest of a tool as it was allowed. */
  readonly tool: (root: string, tool: string) => string | undefined
  readonly keepTool: (root: string, tool: string, digest: string) => Result<void, string>
  /** The servers that the user turned off in this folder, wherever they are configured. */
  readonly disabled: (root: string) => readonly string[]
  readonly keepDisabled: (root: string, name: string, isDisabled: boolean) => Result<void, string>
  /** How often everything was forgotten: answers from before that do not count. */
  readonly resets: (root: string) => number
  /** The answers for one folder count for a copy of it. */
  readonly copy: (from: string, to: string) => Result<void, string>
  /** Forgets everything for a project; returns how much there was. */
  readonly forget: (root: string) => Result<{ readonly servers: number; readonly tools: number }, string>
}

type Kind = "servers" | "tools"

interface Kept {
  readonly disabled: readonly string[]
  readonly servers: JsonObject
  readonly tools: JsonObject
  readonly resets: number
}

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
  function project(root: string): JsonObject {
    const all = projects()
    const found = Object.hasOwn(all, root) ? all[root] : undefined
    return isObject(found) ? found : {}
  }
  function known(root: string, kind: Kind): JsonObject {
    const found = project(root)[kind]
    return isObject(found) ? found : {}
  }
  function resets(root: string): number {
    const found = project(root)["resets"]
    return typeof found === "number" ? found : 0
  }
  function write(root: string, { resets: times, disabled: off, ...kept }: Kept): Result<void, string> {
    const here = { ...kept, ...(off.length > 0 && { disabled: off }), ...(times > 0 && { resets: times }) }
    const whole = { version: 1, projects: { ...projects(), [root]: here } }
    return replaceFile(file, `${JSON.stringify(whole, null, 2)}\n`, 0o600)
  }
  function disabled(root: string): readonly string[] {
    const { disabled: found } = project(root)
    return Array.isArray(found) ? found.filter((name: JsonValue) => typeof name === "string") : []
  }
  const all = (root: string): Kept => ({
    disabled: disabled(root),
    servers: known(root, "servers"),
    tools: known(root, "tools"),
    resets: resets(root),
  })

  return {
    server(root, name, fingerprint) {
      const servers = known(root, "servers")
      const said = Object.hasOwn(servers, name) ? servers[name] : undefined
      if (!isObject(said) || typeof said.approved !== "boolean") return undefined
      return said.fingerprint === fingerprint ? said.approved : undefined
    },
    keepServer(root, name, fingerprint, approved) {
      const { servers, ...rest } = all(root)
      return write(root, { ...rest, servers: { ...servers, [name]: { fingerprint, approved } } })
    },
    tool(root, tool) {
      const tools = known(root, "tools")
      const digest = Object.hasOwn(tools, tool) ? tools[tool] : undefined
      return typeof digest === "string" ? digest : undefined
    },
    keepTool(root, tool, digest) {
      const { tools, ...rest } = all(root)
      return write(root, { ...rest, tools: { ...tools, [tool]: digest } })
    },
    disabled,
    keepDisabled(root, name, isDisabled) {
      const { disabled: before, ...rest } = all(root)
      if (before.includes(name) === isDisabled) return ok(undefined)
      const others = before.filter((one) => one !== name)
      return write(root, { ...rest, disabled: isDisabled ? [...others, name] : others })
    },
    resets,
    copy: (from, to) => (Object.hasOwn(projects(), from) ? write(to, all(from)) : ok(undefined)),
    forget(root) {
      const { servers, tools, disabled: off, resets: times } = all(root)
      const counts = { servers: Object.keys(servers).length, tools: Object.keys(tools).length }
      // Sessions may have answers of their own, so it counts also where nothing is kept here.
      const written = write(root, { disabled: off, servers: {}, tools: {}, resets: times + 1 })
      return written.ok ? ok(counts) : written
    },
  }
}
