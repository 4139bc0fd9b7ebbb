/** What a client says before its first message: what it brings along, and how the session is to be opened. */

import type { ClientHookGroup, ClientHooks } from "#agent/words/client.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface Initialize {
  readonly hooks?: ClientHooks
  /** Names of MCP servers that run inside the client. */
  readonly servers?: readonly string[]
  /** What the client says about those servers: how long calls may take, and which tools are asked about or denied. */
  readonly serverSettings?: JsonObject
  /** Empty for none; the built-in one when absent. */
  readonly systemPrompt?: string
  readonly appendSystemPrompt?: string
  /** Definitions by name, as `--agents` takes them. */
  readonly agents?: JsonObject
  readonly jsonSchema?: JsonObject
  readonly title?: string
  /** The skills that the model may load; all when absent. */
  readonly skills?: readonly string[]
  readonly plugins?: readonly ClientPlugin[]
  /** How to plan, instead of our own steps. */
  readonly planModeInstructions?: string
  /** Whether what changes from folder to folder stays out of the system prompt, so that it can be cached for many. */
  readonly excludeDynamicSections?: boolean
  /** Tools that are called in place of others, by the names of those. */
  readonly toolAliases?: { readonly [name: string]: string }
  /** What the client asks for and nothing depends on, each as a note for people. */
  readonly ignored?: readonly string[]
  /** Whether the words of agents are passed on, not only what they do. */
  readonly forwardSubagentText?: boolean
  /** Whether the next prompt is suggested after each turn. */
  readonly promptSuggestions?: boolean
}

/** The folder of a plugin, and whether its MCP servers are wanted. */
export interface ClientPlugin {
  readonly path: string
  readonly servers: boolean
}

/** The failure names the field. What cannot be read is refused: a session must not start without a hook it was given. */
export function readInitialize(request: JsonObject): Result<Initialize, string> {
  const hooks = readHooks(request.hooks)
  if (!hooks.ok) return hooks
  const servers = names("sdkMcpServers", request.sdkMcpServers)
  if (!servers.ok) return servers
  const skills = names("skills", request.skills)
  if (!skills.ok) return skills
  const aliases = readAliases(request.toolAliases)
  if (!aliases.ok) return aliases
  const plugins = readPlugins(request.plugins)
  if (!plugins.ok) return plugins
  const prompt = readPrompt(request.systemPrompt)
  if (!prompt.ok) return prompt
  for (const name of ["agents", "jsonSchema"] as const)
    if (isSet(request[name]) && !isObject(request[name])) return failed(`${name} must be an object`)
  for (const name of ["appendSystemPrompt", "title", "planModeInstructions"] as const)
    if (isSet(request[name]) && typeof request[name] !== "string") return failed(`${name} must be a string`)
  return ok({
    ...optional("hooks", hooks.value),
    ...optional("servers", servers.value),
    ...optional("serverSettings", isObject(request.sdkMcpServerConfigs) ? request.sdkMcpServerConfigs : undefined),
    ...optional("systemPrompt", prompt.value),
    ...optional("appendSystemPrompt", text(request.appendSystemPrompt)),
    ...optional("agents", isObject(request.agents) ? request.agents : undefined),
    ...optional("jsonSchema", isObject(request.jsonSchema) ? request.jsonSchema : undefined),
    ...optional("title", text(request.title)),
    ...optional("skills", skills.value),
    ...optional("plugins", plugins.value),
    ...optional("planModeInstructions", text(request.planModeInstructions)),
    ...optional("toolAliases", aliases.value),
    ignored: without.flatMap(({ field, about }) => (request[field] === true ? [`Ignoring ${field}: ${about}.`] : [])),
    ...(request.excludeDynamicSections === true && { excludeDynamicSections: true }),
    ...(request.forwardSubagentText === true && { forwardSubagentText: true }),
    ...(request.promptSuggestions === true && { promptSuggestions: true }),
  })
}

const isSet = (value: JsonValue | undefined): boolean => value !== undefined && value !== null
const text = (value: JsonValue | undefined): string | undefined => (typeof value === "string" ? value : undefined)
const isNames = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((name: JsonValue) => typeof name === "string")

function names(field: string, value: JsonValue | undefined): Result<readonly string[] | undefined, string> {
  if (!isSet(value)) return ok(undefined)
  return isNames(value) ? ok(value) : failed(`${field} must be a list of strings`)
}

/** Only folders, as `--plugin-dir` takes them. */
export function readPlugins(value: JsonValue | undefined): Result<readonly ClientPlugin[] | undefined, string> {
  if (!isSet(value)) return ok(undefined)
  if (!Array.isArray(value)) return failed("plugins must be a list")
  const plugins: ClientPlugin[] = []
  for (const one of value) {
    const isLocal = isObject(one) && one.type === "local" && typeof one.path === "string"
    if (!isLocal) return failed('plugins must be a list of {"type": "local", "path": "..."}')
    plugins.push({ path: String(one.path), servers: one.skipMcpDiscovery !== true })
  }
  return ok(plugins)
}

const without: readonly { readonly field: string; readonly about: string }[] = [
  { field: "agentProgressSummaries", about: "the progress of agents is told as their calls" },
]

/** Older clients send one string, newer ones a list of parts, some with a mark between what stays the same and what does not. */
function readPrompt(value: JsonValue | undefined): Result<string | undefined, string> {
  if (!isSet(value)) return ok(undefined)
  if (typeof value === "string") return ok(withoutBoundary(value))
  if (!isNames(value)) return failed("systemPrompt must be a list of strings")
  return ok(withoutBoundary(value.filter((part) => part !== boundary).join("\n\n")))
}

const boundary = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__"
const withoutBoundary = (prompt: string): string => prompt.replaceAll(new RegExp(`^${boundary}\n?`, "gm"), "")

/** One step: an alias that leads to another one would say nothing clear. */
function readAliases(value: JsonValue | undefined): Result<Initialize["toolAliases"], string> {
  if (!isSet(value)) return ok(undefined)
  if (!isObject(value)) return failed("toolAliases must be an object")
  const aliases: { [name: string]: string } = {}
  for (const [name, tool] of Object.entries(value)) {
    if (typeof tool !== "string") return failed(`toolAliases.${name} must be the name of a tool`)
    if (Object.hasOwn(value, tool)) return failed(`toolAliases.${name} leads to ${tool}, which is an alias itself`)
    aliases[name] = tool
  }
  return ok(aliases)
}

function readHooks(value: JsonValue | undefined): Result<ClientHooks | undefined, string> {
  if (!isSet(value)) return ok(undefined)
  if (!isObject(value)) return failed("hooks must be an object")
  const hooks: { [event: string]: readonly ClientHookGroup[] } = {}
  for (const [event, groups] of Object.entries(value)) {
    if (!Array.isArray(groups)) return failed(`hooks.${event} must be a list`)
    const read = groups.map((group: JsonValue) => hookGroup(group))
    if (read.includes(undefined)) return failed(`hooks.${event} must hold matchers with hookCallbackIds`)
    hooks[event] = read.flatMap((group) => group ?? [])
  }
  return ok(hooks)
}

const failureFates = ["continue", "block"] as const

function hookGroup(value: JsonValue): ClientHookGroup | undefined {
  if (!isObject(value) || !isNames(value.hookCallbackIds)) return undefined
  const { matcher, hookCallbackIds, timeout, onFailure } = value
  if (isSet(matcher) && typeof matcher !== "string") return undefined
  if (isSet(timeout) && typeof timeout !== "number") return undefined
  const fate = failureFates.find((one) => one === onFailure)
  if (isSet(onFailure) && fate === undefined) return undefined
  return {
    ...optional("matcher", text(matcher)),
    hookCallbackIds,
    ...optional("timeout", typeof timeout === "number" ? timeout : undefined),
    ...optional("onFailure", fate),
  }
}
