/** Changes of permissions in the words of clients: what an answer may bring along, and what a question suggests. */

import {
  type Behavior,
  type Grant,
  type GrantDestination,
  type PermissionUpdate,
  permissionModes,
} from "#agent/words/permission.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

const destinations: { readonly [name: string]: GrantDestination } = {
  userSettings: "user settings",
  projectSettings: "project settings",
  localSettings: "local settings",
  session: "session",
  // What a command line says holds for one run.
  cliArg: "session",
}

const changes = { addRules: "add", replaceRules: "replace", removeRules: "remove" } as const
const behaviors: readonly Behavior[] = ["allow", "ask", "deny"]

/** The failure names what is wrong; nothing of a list is used then. */
export function readUpdates(value: JsonValue | undefined): Result<readonly PermissionUpdate[], string> {
  if (value === undefined || value === null) return ok([])
  if (!Array.isArray(value)) return failed("updatedPermissions is not a list")
  const updates: PermissionUpdate[] = []
  for (const one of value) {
    const update = isObject(one) ? readUpdate(one) : failed("it is not an object")
    if (!update.ok) return failed(`a permission update cannot be read: ${update.failure}`)
    updates.push(update.value)
  }
  return ok(updates)
}

function readUpdate(value: JsonObject): Result<PermissionUpdate, string> {
  switch (value.type) {
    case "addRules":
    case "replaceRules":
    case "removeRules":
      return readRules(value, changes[value.type])
    case "setMode": {
      const mode = permissionModes.find((known) => known === value.mode)
      const where = placeOf(value) ?? "session"
      return mode ? ok({ kind: "mode", mode, destination: where }) : failed(`there is no mode ${String(value.mode)}`)
    }
    case "addDirectories":
    case "removeDirectories": {
      const { directories } = value
      if (!Array.isArray(directories) || !directories.every((path: JsonValue) => typeof path === "string"))
        return failed("directories must be a list of strings")
      const act = value.type === "addDirectories" ? "add" : "remove"
      return ok({ kind: "folders", act, folders: directories, destination: placeOf(value) ?? "session" })
    }
    default:
      return failed(`there is no type ${String(value.type)}`)
  }
}

const placeOf = ({ destination }: JsonObject): GrantDestination | undefined =>
  typeof destination === "string" ? destinations[destination] : undefined

function readRules(value: JsonObject, act: "add" | "replace" | "remove"): Result<PermissionUpdate, string> {
  const { rules, behavior, destination } = value
  const how = behaviors.find((known) => known === behavior)
  if (!how) return failed(`there is no behavior ${String(behavior)}`)
  const where = placeOf(value)
  if (!where) return failed(`there is no destination ${String(destination)}`)
  if (!Array.isArray(rules)) return failed("rules must be a list")
  const texts = rules.map((rule: JsonValue) => ruleText(rule))
  if (texts.includes(undefined)) return failed("a rule has no toolName")
  return ok({ kind: "rules", act, rules: texts.flatMap((text) => text ?? []), behavior: how, destination: where })
}

function ruleText(rule: JsonValue): string | undefined {
  if (!isObject(rule) || typeof rule.toolName !== "string") return undefined
  return typeof rule.ruleContent === "string" ? `${rule.toolName}(${rule.ruleContent})` : rule.toolName
}

/** Each rule for itself, so that a client may choose among them. */
export const rulesAsUpdates = (grants: readonly Grant[]): readonly JsonObject[] =>
  grants.map(({ rule, destination, behavior = "allow" }) => ({
    type: "addRules",
    rules: [ruleParts(rule)],
    behavior,
    destination: Object.keys(destinations).find((name) => destinations[name] === destination) ?? "session",
  }))

/** A rule as clients write it. */
export function ruleParts(rule: string): { readonly toolName: string; readonly ruleContent?: string } {
  const found = /^([^(]+)\((.*)\)$/s.exec(rule)
  return found ? { toolName: found[1] as string, ruleContent: found[2] as string } : { toolName: rule }
}
