/** Agent Plugins 1.x: `plugin.json` at the root with a `$schema`, `skills/` and `mcp.json`; everything else belongs to some client. */

import { join } from "node:path"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { realOf } from "./find.ts"
import { isWithin, jsonIn, type Say } from "./plugin-files.ts"

const manifestSchema = /^https:\/\/agent-plugins\.org\/schemas\/(\d+\.\d+\.\d+)\/plugin\.schema\.json$/
const serversSchema = /^https:\/\/agent-plugins\.org\/schemas\/(\d+\.\d+\.\d+)\/mcp\.schema\.json$/
/** 1.1.0 differs in nothing that is read here. */
const versions: readonly string[] = ["1.0.0", "1.1.0"]

const texts: readonly string[] = ["version", "description", "homepage", "repository", "license"]
const fields: readonly string[] = ["$schema", "name", "author", "keywords", "extensions", ...texts]

export const isPortable = ({ $schema }: JsonObject): boolean =>
  typeof $schema === "string" && $schema.startsWith("https://agent-plugins.org/")

/** The version of the format; the failure continues the sentence "It cannot be used: ". What is not understood is said. */
export function checkPortable(manifest: JsonObject, say: Say): Result<string, string> {
  const [, version = ""] = manifestSchema.exec(String(manifest.$schema)) ?? []
  if (!versions.includes(version))
    return failed(
      `it is written for ${String(manifest.$schema)}, and Agent Plugins ${versions.join(" and ")} are known`,
    )
  const { name, author, keywords, extensions } = manifest
  if (typeof name !== "string" || name.length > 64 || !/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/.test(name))
    return failed(`its name must be lower-case letters, digits, dots and hyphens, not ${JSON.stringify(name)}`)
  const wrong = texts.find((field) => manifest[field] !== undefined && typeof manifest[field] !== "string")
  if (wrong !== undefined) return failed(`its ${wrong} must be a string`)
  const people = ["name", "email", "url"]
  if (
    author !== undefined &&
    !(isObject(author) && isTexts(author) && Object.keys(author).every((key) => people.includes(key)))
  )
    return failed("its author must be an object with name, email and url")
  if (keywords !== undefined && !(Array.isArray(keywords) && keywords.every((one) => typeof one === "string")))
    return failed("its keywords must be a list of strings")
  if (extensions !== undefined && !isObject(extensions)) say("extensions must be an object; it is ignored.")
  for (const field of Object.keys(manifest))
    if (!fields.includes(field)) say(`${field} in plugin.json is not known; it is ignored.`)
  return ok(version)
}

/** Servers of `mcp.json`. One that is wrong is left out, and said; the others stay. */
export function portableServers(root: string, version: string, say: Say): JsonObject {
  const file = join(root, "mcp.json")
  const read = jsonIn(root, file, "optional")
  if (!read.ok) {
    say(`${read.failure}; its servers are left out.`)
    return {}
  }
  const { $schema, mcpServers, ...rest } = read.value
  if (Object.keys(read.value).length === 0) return {}
  const wrong =
    serversSchema.exec(String($schema))?.[1] !== version
      ? `its $schema is not that of Agent Plugins ${version}`
      : !isObject(mcpServers)
        ? "it has no mcpServers"
        : Object.keys(rest).length > 0
          ? `${Object.keys(rest).join(" and ")} is not known there`
          : undefined
  if (wrong !== undefined || !isObject(mcpServers)) {
    say(`${file}: ${wrong}; its servers are left out.`)
    return {}
  }
  return Object.fromEntries(
    Object.entries(mcpServers).filter(([name, server]) => {
      const problem = serverProblem(root, server)
      if (problem !== undefined) say(`The server ${name} is left out: ${problem}.`)
      return problem === undefined
    }),
  )
}

const programFields: readonly string[] = ["type", "command", "args", "env", "cwd"]
const addressFields: readonly string[] = ["type", "url", "headers"]

function serverProblem(root: string, server: JsonValue): string | undefined {
  if (!isObject(server)) return "it is not an object"
  const { type } = server
  const known = type === "stdio" ? programFields : addressFields
  if (type !== "stdio" && type !== "streamable-http" && type !== "sse") return `its type is ${JSON.stringify(type)}`
  const unknown = Object.keys(server).find((field) => !known.includes(field))
  if (unknown !== undefined) return `it has a field ${unknown}, which is not known`
  return type === "stdio" ? programProblem(root, server) : addressProblem(server)
}

function programProblem(root: string, { command, args = [], env = {}, cwd }: JsonObject): string | undefined {
  if (typeof command !== "string" || command === "") return "it has no command"
  if (command.includes("/") || command.includes("\\")) {
    const real = realOf(join(root, command))
    if (!command.startsWith("./") || (real !== undefined && !isWithin(root, real)) || command.split("/").includes(".."))
      return "its command is not a path in the plugin"
  }
  if (!Array.isArray(args) || args.some((one) => typeof one !== "string")) return "its args must be a list of strings"
  if (!isObject(env) || !isTexts(env)) return "its env must be an object of strings"
  if ("PLUGIN_ROOT" in env || "PLUGIN_DATA" in env) return "it sets PLUGIN_ROOT or PLUGIN_DATA"
  if (cwd === undefined) return undefined
  if (typeof cwd !== "string") return "its cwd must be a string"
  const [, place, way = ""] = /^(\.|\$\{PLUGIN_ROOT\}|\$\{PLUGIN_DATA\})(\/.*)?$/.exec(cwd) ?? []
  if (place === undefined || (place === "." && way === ""))
    return "its cwd must begin with ./, ${PLUGIN_ROOT} or ${PLUGIN_DATA}"
  if (way.split("/").includes("..")) return "its cwd leaves the plugin"
  const real = place === "${PLUGIN_DATA}" ? undefined : realOf(join(root, way))
  return real === undefined || isWithin(root, real) ? undefined : "its cwd leaves the plugin"
}

function addressProblem({ url, headers = {} }: JsonObject): string | undefined {
  const address = typeof url === "string" ? URL.parse(url) : null
  const isLocal = address !== null && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(address.hostname)
  if (!address || !(address.protocol === "https:" || (address.protocol === "http:" && isLocal)))
    return "its url must be an https address"
  if (address.username !== "" || address.password !== "" || String(url).includes("#"))
    return "its url has a user or a fragment"
  if (!isObject(headers) || !isTexts(headers)) return "its headers must be an object of strings"
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  if (new Set(names).size < names.length) return "a header is there twice"
  if (
    Object.entries(headers).some(
      ([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /\p{Cc}/u.test(String(value)),
    )
  )
    return "a header is not valid"
  return undefined
}

const isTexts = (value: JsonObject): boolean => Object.values(value).every((one) => typeof one === "string")

/** The server as it is started: placeholders are replaced once, and nothing else means anything but itself. */
export function exactServer(
  server: JsonObject,
  { root, data }: { readonly root: string; readonly data: string },
): JsonObject {
  const fill = (text: JsonValue | undefined): string =>
    String(text).replace(/\$\{PLUGIN_(ROOT|DATA)\}/g, (_, which) => (which === "ROOT" ? root : data))
  if (server.type !== "stdio") return server
  const { command, args = [], env = {}, cwd } = server
  return {
    type: "stdio",
    command: String(command).startsWith("./") ? join(root, String(command)) : String(command),
    args: Array.isArray(args) ? args.map(fill) : [],
    env: {
      ...Object.fromEntries(Object.entries(isObject(env) ? env : {}).map(([name, text]) => [name, fill(text)])),
      PLUGIN_ROOT: root,
      PLUGIN_DATA: data,
    },
    cwd: cwd === undefined ? root : String(cwd).startsWith("./") ? join(root, String(cwd)) : fill(cwd),
  }
}
