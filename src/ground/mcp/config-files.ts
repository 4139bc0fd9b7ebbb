/** The files in which servers are configured: ours, a project's, and those of another tool, which are only read. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { namedServers } from "#agent/words/named-servers.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { replaceFile } from "#lib/state-file.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { McpScope } from "./server-config.ts"
import { isMissing } from "#lib/error-code.ts"
import { linkStatsOf } from "#lib/quietly.ts"

export interface ConfigPlaces {
  readonly root: string
  readonly stateFolder: string
  /** The user's `.claude.json`, read as it is and never written. */
  readonly claudeFile: string
}

export interface WrittenServer {
  readonly name: string
  readonly source: McpScope
  readonly file: string
  readonly value: JsonValue
  /** What variables say to a server of a plugin, besides the usual ones. */
  readonly plugin?: { readonly [name: string]: string }
  /** Nothing in it is a reference to a variable. */
  readonly exact?: true
}

export interface WrittenServers {
  readonly servers: readonly WrittenServer[]
  readonly problems: readonly string[]
}

export type WritableScope = "user" | "project" | "local"

const userFile = (stateFolder: string): string => join(stateFolder, "mcp.json")
const projectFile = (root: string): string => join(root, ".mcp.json")

/** Everything except the project's own file, which is read with its settings. Weakest first. */
export function writtenServers(places: ConfigPlaces, scopes: readonly McpScope[]): WrittenServers {
  const { root, stateFolder, claudeFile } = places
  const problems: string[] = []
  const read = (file: string): JsonObject => {
    const found = readConfig(file)
    if (!found.ok) problems.push(found.failure)
    return found.ok ? found.value : {}
  }
  const own = read(userFile(stateFolder))
  const foreign = namesServers(claudeFile) ? read(claudeFile) : {}
  const found: WrittenServer[] = [
    ...listed("user", claudeFile, foreign),
    ...listed("user", userFile(stateFolder), own),
    ...listed("local", claudeFile, projectIn(foreign, root)),
    ...listed("local", userFile(stateFolder), projectIn(own, root)),
  ]
  return { servers: found.filter(({ source }) => scopes.includes(source)), problems }
}

/** The value of `--mcp-config`: a configuration as text, or a file that contains one. */
export function serversOfFlag(flagValue: string, cwd: string): Result<readonly WrittenServer[], string> {
  const isText = flagValue.trimStart().startsWith("{")
  const file = isText ? "--mcp-config" : flagValue.startsWith("/") ? flagValue : join(cwd, flagValue)
  const config = isText ? parseConfig(flagValue, file) : readConfig(file, "needed")
  if (!config.ok) return config
  const mcpServers = namedServers(config.value)
  if (!mcpServers) return failed(`${file} has no mcpServers: {"mcpServers": {"name": {…}}} is expected.`)
  return ok(listed("command line", file, { mcpServers }))
}

/** Replaces a server of the same name; `undefined` removes it. Returns whether it was there before. */
export function writeServer(
  scope: WritableScope,
  { root, stateFolder }: Pick<ConfigPlaces, "root" | "stateFolder">,
  name: string,
  server: JsonObject | undefined,
): Result<{ readonly file: string; readonly wasThere: boolean }, string> {
  const file = scope === "project" ? projectFile(root) : userFile(stateFolder)
  // A link could lead to the user's own file, which would be copied into the project.
  if (scope === "project" && linkStatsOf(file)?.isSymbolicLink())
    return failed(
      `${file} is a link, and a project's servers are not written through links. Replace it by a plain file.`,
    )
  const config = readConfig(file)
  if (!config.ok) return config
  const holder = scope === "local" ? projectIn(config.value, root) : config.value
  const before = isObject(holder.mcpServers) ? holder.mcpServers : {}
  const wasThere = Object.hasOwn(before, name)
  if (server === undefined && !wasThere) return ok({ file, wasThere })
  const { [name]: _, ...others } = before
  const now = { ...holder, mcpServers: { ...others, ...(server !== undefined && { [name]: server }) } }
  const projects = isObject(config.value.projects) ? config.value.projects : {}
  const whole = scope === "local" ? { ...config.value, projects: { ...projects, [root]: now } } : now
  const written = replaceFile(file, `${JSON.stringify(whole, null, 2)}\n`, {
    mode: scope === "project" ? 0o644 : 0o600,
  })
  return written.ok ? ok({ file, wasThere }) : written
}

/** That file contains much else, often megabytes: it is only parsed if it names a server at all. */
function namesServers(file: string): boolean {
  try {
    return /"mcpServers"\s*:\s*\{\s*"/.test(readFileSync(file, "utf8"))
  } catch {
    return false
  }
}

function listed(source: McpScope, file: string, { mcpServers }: JsonObject): readonly WrittenServer[] {
  return isObject(mcpServers) ? Object.entries(mcpServers).map(([name, value]) => ({ name, source, file, value })) : []
}

function projectIn({ projects }: JsonObject, root: string): JsonObject {
  const project = isObject(projects) && Object.hasOwn(projects, root) ? projects[root] : undefined
  return isObject(project) ? project : {}
}

function readConfig(file: string, presence: "needed" | "optional" = "optional"): Result<JsonObject, string> {
  try {
    return parseConfig(readFileSync(file, "utf8"), file)
  } catch (error) {
    if (presence === "optional" && isMissing(error)) return ok({})
    return failed(`${file} cannot be read (${error instanceof Error ? error.message : String(error)}).`)
  }
}

function parseConfig(text: string, file: string): Result<JsonObject, string> {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text)
    return isObject(value) ? ok(value) : failed(`${file} must hold an object.`)
  } catch (error) {
    return failed(
      `${file} is not JSON (${error instanceof Error ? error.message : String(error)}); its servers are left out.`,
    )
  }
}
