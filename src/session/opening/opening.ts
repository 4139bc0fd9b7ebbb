/** How a session was opened, as an entry of its log, so that another process can open it the same way. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { builtinAgents } from "#kits/subagents/builtins.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { restatedEntries } from "#session/journal/journal.ts"
import type { ModelChoice, PermissionChoice, SessionPlace, SessionOptions, ShellChoice } from "./options.ts"

const wholes = [
  "manner",
  "system",
  "limits",
  "names",
  "plan",
  "memory",
  "extensions",
  "playing",
  "attachments",
] as const
const more = ["compaction", "deferral", "tools", "outputSchema", "gates", "testing", "traceparent"] as const

/**
 * The options that are data. Hooks, servers, trust and the environment are excluded: they belong to the machine and to whoever opens the session there,
 * and may contain secrets.
 */
export interface Opening extends Pick<SessionOptions, (typeof wholes)[number] | (typeof more)[number]> {
  readonly place: Pick<SessionPlace, "cwd" | "addedFolders" | "entrypoint">
  readonly model: Pick<ModelChoice, "id" | "fallback" | "small" | "middle" | "forAgents">
  readonly permissions: Pick<PermissionChoice, "mode" | "bypassAvailable" | "rules" | "managedOnly" | "promptTool">
  readonly shell: Pick<ShellChoice, "defaultTimeoutMs" | "maxTimeoutMs" | "outputCharacters" | "background">
  readonly agents?: SessionOptions["agents"]
}

/** The options that only a process on this machine has. */
export interface LiveHalf extends Omit<SessionOptions, keyof Opening | "isTransient"> {
  readonly place: Omit<SessionPlace, "cwd" | "addedFolders" | "entrypoint">
  readonly model: Omit<ModelChoice, "id" | "given" | "fallback" | "small" | "middle" | "forAgents">
  /** Rules from settings as they are now; of the logged ones, only those from the command line count. */
  readonly permissions: Pick<PermissionChoice, "watch" | "bypassAvailable" | "withoutAuto" | "rules" | "managedOnly">
  readonly shell: Pick<ShellChoice, "envFile" | "outputFiles" | "prefix" | "snapshot">
}

export function openingOf(options: SessionOptions): Opening {
  const { place, model, permissions, shell } = options
  const { id, fallback, small, middle, forAgents } = model
  const { mode, bypassAvailable, rules, managedOnly, promptTool } = permissions
  const { defaultTimeoutMs, maxTimeoutMs, outputCharacters, background } = shell
  return {
    ...pick(options, wholes),
    ...pick(options, more),
    place: { cwd: place.cwd, addedFolders: place.addedFolders, entrypoint: place.entrypoint },
    model: {
      id,
      ...optional("fallback", fallback),
      small,
      ...optional("middle", middle),
      ...optional("forAgents", forAgents),
    },
    permissions: {
      mode,
      bypassAvailable,
      rules,
      ...optional("managedOnly", managedOnly),
      ...optional("promptTool", promptTool),
    },
    shell: { defaultTimeoutMs, maxTimeoutMs, outputCharacters, ...optional("background", background) },
    ...optional(
      "agents",
      options.agents?.filter(({ source }) => source !== "built-in"),
    ),
  }
}

/** The entry to record; undefined if the log already says the same. */
export function begunBody(options: SessionOptions, known: Opening | undefined): EntryBody | undefined {
  // Through JSON, as it will be read, so that absent fields are really absent.
  const opening: JsonValue = JSON.parse(JSON.stringify(openingOf(options)))
  if (!isObject(opening) || JSON.stringify(known) === JSON.stringify(opening)) return undefined
  return { kind: "begun", opening }
}

/** The options to reopen a session, from its log and what this machine provides. */
export function openedAs(opening: Opening, live: LiveHalf): SessionOptions {
  const { agents, ...rest } = opening
  const own = new Set(agents?.map(({ agentType }) => agentType))
  return {
    ...rest,
    ...live,
    place: { ...live.place, ...opening.place },
    model: { ...live.model, ...opening.model, given: false },
    permissions: {
      ...live.permissions,
      ...opening.permissions,
      modeGiven: false,
      // A log must not grant a freedom that nobody grants now.
      bypassAvailable: opening.permissions.bypassAvailable && live.permissions.bypassAvailable,
      ...(live.permissions.managedOnly === true && { managedOnly: true }),
      rules: [
        ...live.permissions.rules,
        ...opening.permissions.rules.filter(({ source }) => source === "command line"),
      ],
    },
    shell: { ...live.shell, ...opening.shell },
    ...(agents && { agents: [...builtinAgents().filter(({ agentType }) => !own.has(agentType)), ...agents] }),
  }
}

export function readOpening(path: string): Result<Opening, string> {
  const loaded = loadTail(path, { torn: "leave" })
  if (!loaded.ok) return failed(`The session cannot be read: ${path}.`)
  const opening = lastOpening(loaded.value.entries)
  return opening ? ok(opening) : failed("The session does not say what it was opened with: it is older than that.")
}

export function lastOpening(entries: readonly Entry[]): Opening | undefined {
  const begun = [...restatedEntries(entries), ...entries].findLast((entry) => entry.kind === "begun")
  return begun?.kind === "begun" ? decodeOpening(begun.opening) : undefined
}

export function withPromptTool(options: SessionOptions, entries: readonly Entry[]): SessionOptions {
  const { permissions } = options
  const promptTool = permissions.keepsPromptTool ? lastOpening(entries)?.permissions.promptTool : undefined
  return promptTool === undefined ? options : { ...options, permissions: { ...permissions, promptTool } }
}

/** Written by us and protected by a checksum; still, anything invalid is ignored. */
export function decodeOpening(value: JsonObject): Opening | undefined {
  const { place, model, permissions, manner, limits, shell, system } = value
  const fits =
    isObject(place) &&
    typeof place.cwd === "string" &&
    isTexts(place.addedFolders) &&
    isObject(model) &&
    typeof model.id === "string" &&
    typeof model.small === "string" &&
    isObject(permissions) &&
    permissionModes.some((mode) => mode === permissions.mode) &&
    typeof permissions.bypassAvailable === "boolean" &&
    Array.isArray(permissions.rules) &&
    permissions.rules.every((rule: JsonValue) => isObject(rule) && typeof rule.text === "string") &&
    (permissions.promptTool === undefined || typeof permissions.promptTool === "string") &&
    isObject(manner) &&
    ["person", "client", "nobody"].some((asks) => asks === manner.asks) &&
    isObject(limits) &&
    typeof limits.concurrency === "number" &&
    isObject(shell) &&
    typeof shell.maxTimeoutMs === "number" &&
    isObject(system)
  return fits ? (withThinking(value, limits) as never) : undefined
}

/** In logs of older versions, a budget is a separate thinking mode. */
function withThinking(value: JsonObject, limits: JsonObject): JsonObject {
  const { thinking } = limits
  if (!isObject(thinking) || thinking.type !== "budget") return value
  return { ...value, limits: { ...limits, thinking: { ...thinking, type: "on" } } }
}

const isTexts = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) && value.every((one: JsonValue) => typeof one === "string")

function pick<From extends object, Name extends keyof From>(from: From, names: readonly Name[]): Pick<From, Name> {
  const found = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])
  return Object.fromEntries(found) as Pick<From, Name>
}
