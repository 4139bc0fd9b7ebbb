/** Settings that a client applies to a running session, as ops; those that only count at the start are named. */

import type { Op } from "#agent/words/op.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { isEffort } from "#agent/words/thinking.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

export interface AppliedSettings {
  readonly ops: readonly Op[]
  /** Keys without effect now: unknown, of the wrong kind, or read only at the start. */
  readonly ignored: readonly string[]
}

export function opsOfSettings(settings: JsonObject): AppliedSettings {
  const ops: Op[] = []
  const ignored: string[] = []
  for (const [key, value] of leaves(settings)) {
    const found = key in readers ? readers[key]?.(value) : undefined
    if (found) ops.push(...found)
    else ignored.push(key)
  }
  return { ops, ignored }
}

/** `permissions` is the only setting with parts of its own. */
const leaves = (settings: JsonObject): readonly (readonly [string, JsonValue])[] =>
  Object.entries(settings).flatMap(([key, value]) =>
    key === "permissions" && isObject(value)
      ? Object.entries(value).map(([inner, one]) => [`permissions.${inner}`, one] as const)
      : [[key, value] as const],
  )

type Reader = (value: JsonValue) => readonly Op[] | undefined

const rules =
  (behavior: "allow" | "ask" | "deny"): Reader =>
  (value) =>
    textsIn(value)?.map((rule) => ({ type: "add_rule", behavior, rule, destination: "session" }))

const readers: { readonly [key: string]: Reader } = {
  model: (value) => (typeof value === "string" ? [{ type: "set_model", model: value }] : undefined),
  effortLevel: (value) => (isEffort(value) ? [{ type: "set_effort", effort: value }] : undefined),
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
