/** What a session was opened with, as a fact of its log: another process can open it the same way. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { builtinAgents } from "#kits/subagents/builtins.ts"
import { given } from "#lib/given.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { standingBefore } from "#session/journal/journal.ts"
import type { ModelChoice, PermissionChoice, Place, SessionOptions, ShellChoice } from "./options.ts"

/** Those that are plain data, whole. */
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
const more = ["compaction", "deferral"] as const

/**
 * The half of the options that is data. Hooks, servers, trust and the environment are not in it: they belong to the
 * machine and to whoever opens the session there, and may hold secrets.
 */
export interface Opening extends Pick<SessionOptions, (typeof wholes)[number] | (typeof more)[number]> {
  readonly place: Pick<Place, "cwd" | "addedFolders" | "entrypoint">
  readonly model: Pick<ModelChoice, "id" | "fallback" | "small" | "middle" | "forAgents">
  readonly permissions: Pick<PermissionChoice, "mode" | "bypassAvailable" | "rules" | "managedOnly">
  readonly shell: Pick<ShellChoice, "defaultTimeoutMs" | "maxTimeoutMs" | "outputCharacters">
  /** Without those that come with the program. */
  readonly agents?: SessionOptions["agents"]
}

/** The other half: what only a process on this machine has. */
export interface LiveHalf extends Omit<SessionOptions, keyof Opening | "errand"> {
  readonly place: Omit<Place, "cwd" | "addedFolders" | "entrypoint">
  readonly model: Omit<ModelChoice, "id" | "given" | "fallback" | "small" | "middle" | "forAgents">
  /** Rules of the settings as they are now; of the log's, those that came with the command line count. */
  readonly permissions: Pick<PermissionChoice, "watch" | "bypassAvailable" | "rules" | "managedOnly">
  readonly shell: Pick<ShellChoice, "envFile" | "snapshot">
}

export function openingOf(options: SessionOptions): Opening {
  const { place, model, permissions, shell } = options
  const { id, fallback, small, middle, forAgents } = model
  const { mode, bypassAvailable, rules, managedOnly } = permissions
  const { defaultTimeoutMs, maxTimeoutMs, outputCharacters } = shell
  return {
    ...pick(options, wholes),
    ...pick(options, more),
    place: { cwd: place.cwd, addedFolders: place.addedFolders, entrypoint: place.entrypoint },
    model: { id, ...given("fallback", fallback), small, ...given("middle", middle), ...given("forAgents", forAgents) },
    permissions: { mode, bypassAvailable, rules, ...given("managedOnly", managedOnly) },
    shell: { defaultTimeoutMs, maxTimeoutMs, outputCharacters },
    ...given(
      "agents",
      options.agents?.filter(({ source }) => source !== "built-in"),
    ),
  }
}

/** The entry that says so; nothing where the log says the same already. */
export function begunBody(options: SessionOptions, known: Opening | undefined): EntryBody | undefined {
  // Through JSON, as it will be read: what is not there is not there.
  const opening: JsonValue = JSON.parse(JSON.stringify(openingOf(options)))
  if (!isObject(opening) || JSON.stringify(known) === JSON.stringify(opening)) return undefined
  return { kind: "begun", opening }
}

/** How a session is opened as it was, by a process that has only its log and what this machine gives. */
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
      // A log must not give a freedom that nobody gives now.
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
  const begun = [...standingBefore(entries), ...entries].findLast((entry) => entry.kind === "begun")
  return begun?.kind === "begun" ? decodeOpening(begun.opening) : undefined
}

/** Our own words, held by a checksum; still, what could not be opened with is nothing. */
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
    isObject(manner) &&
    ["person", "client", "nobody"].some((asks) => asks === manner.asks) &&
    isObject(limits) &&
    typeof limits.concurrency === "number" &&
    isObject(shell) &&
    typeof shell.maxTimeoutMs === "number" &&
    isObject(system)
  return fits ? (withThinking(value, limits) as never) : undefined
}

/** In logs of older versions a budget is a way of thinking of its own. */
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
