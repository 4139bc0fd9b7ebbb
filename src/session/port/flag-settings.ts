/** Settings that a client applies to a running session, as ops; those that only count at the start are named. */

import type { Op } from "#agent/words/op.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { isEffort, type Thinking } from "#agent/words/thinking.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

export interface AppliedSettings {
  readonly ops: readonly Op[]
  /** Keys without effect now: unknown, of the wrong kind, or read only at the start. */
  readonly ignored: readonly string[]
}

/**
 * A key replaces what an earlier call said for it, `null` takes it back. `before`: what earlier calls said in all;
 * `thinking`: as chosen now.
 */
export function opsOfSettings(settings: JsonObject, before: JsonObject, thinking: Thinking): AppliedSettings {
  const ops: Op[] = "permissions" in settings ? [...noLonger(before.permissions, settings.permissions)] : []
  const ignored: string[] = []
  const { effort: _effort, ...withoutEffort } = thinking
  const base = settings.effortLevel === null ? withoutEffort : thinking
  for (const [key, value] of leaves(settings)) {
    const found = key in readers ? readers[key]?.(value, base) : undefined
    if (found) ops.push(...found)
    else ignored.push(key)
  }
  return { ops, ignored }
}

const behaviors = ["allow", "ask", "deny"] as const

/** Rules that an earlier call added and this one leaves out. */
const noLonger = (before: JsonValue | undefined, now: JsonValue | undefined): readonly Op[] =>
  behaviors.flatMap((behavior) => {
    const kept = rulesIn(now, behavior)
    return rulesIn(before, behavior).flatMap((rule): readonly Op[] =>
      kept.includes(rule) ? [] : [{ type: "drop_rule", behavior, rule }],
    )
  })

const rulesIn = (permissions: JsonValue | undefined, behavior: string): readonly string[] =>
  (isObject(permissions) ? textsIn(permissions[behavior] ?? null) : undefined) ?? []

/** `permissions` is the only setting with parts of its own. */
const leaves = (settings: JsonObject): readonly (readonly [string, JsonValue])[] =>
  Object.entries(settings).flatMap(([key, value]) =>
    key === "permissions" && (isObject(value) || value === null)
      ? Object.entries(value ?? {}).map(([inner, one]) => [`permissions.${inner}`, one] as const)
      : [[key, value] as const],
  )

type Reader = (value: JsonValue, thinking: Thinking) => readonly Op[] | undefined

const rules =
  (behavior: "allow" | "ask" | "deny"): Reader =>
  (value) =>
    textsIn(value)?.map((rule) => ({ type: "add_rule", behavior, rule, destination: "session" }))

const readers: { readonly [key: string]: Reader } = {
  model: (value) =>
    typeof value === "string" || value === null ? [{ type: "set_model", model: value ?? "default" }] : undefined,
  effortLevel: (value) =>
    isEffort(value) || value === null ? [{ type: "set_effort", effort: value ?? "auto" }] : undefined,
  alwaysThinkingEnabled(value, thinking) {
    const type = value === true ? "on" : value === false ? "off" : value === null ? "auto" : undefined
    return type && [{ type: "set_thinking", to: { ...thinking, type } }]
  },
  outputStyle: (value) => (typeof value === "string" ? [{ type: "set_style", style: value }] : undefined),
  "permissions.allow": rules("allow"),
  "permissions.ask": rules("ask"),
  "permissions.deny": rules("deny"),
  "permissions.additionalDirectories": (value) => textsIn(value)?.map((path) => ({ type: "add_folder", path })),
  "permissions.defaultMode"(value) {
    const mode = permissionModes.find((known) => known === value)
    return mode && [{ type: "set_mode", mode }]
  },
}

const textsIn = (value: JsonValue): readonly string[] | undefined =>
  Array.isArray(value) && value.every((one: JsonValue) => typeof one === "string") ? value : undefined
