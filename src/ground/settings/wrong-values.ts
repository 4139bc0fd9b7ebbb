/**
 * What counts instead of a wrong value, so that one mistake costs neither the start nor the rest of its file: the
 * strictest reading of a guard, and nothing for any other setting.
 */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

type Path = readonly (string | number)[]

/**
 * `use`: this value instead. `ignore`: the file is read as if what is at `path` were not there. `refuse`: nothing of
 * the file may be used.
 */
export type InvalidValueRule =
  | { readonly kind: "use"; readonly path: Path; readonly value: JsonValue }
  | { readonly kind: "ignore"; readonly path: Path }
  | { readonly kind: "refuse" }

/** How an invalid value at `path` is read. */
export function readingOf(path: Path, file: JsonValue): InvalidValueRule {
  const [first] = path
  const found = valueAt(file, path)
  if (first === undefined) return refuse
  // Without its key a value is missing, so what it is missing from cannot be used either.
  const ignore: InvalidValueRule = {
    kind: "ignore",
    path: found === undefined && path.length > 1 ? path.slice(0, -1) : path,
  }
  const use = (value: JsonValue): InvalidValueRule => ({ kind: "use", path, value })
  if (isNothing(found)) return ignore
  switch (first) {
    case "permissions":
      return permissionReading(path, found, use) ?? ignore
    case "sandbox":
      return sandboxReading(path, found, use) ?? ignore
    case "hooks":
      return hookReading(path, file)
    case "allowManagedPermissionRulesOnly":
      return use(true)
    case "disabledMcpjsonServers":
      return typeof found === "string" ? use([found]) : ignore
    default:
      return found === "true" || found === "false"
        ? use(found === "true")
        : isObject(found) && typeof found.enabled === "boolean" && autoCompact.includes(first)
          ? use(found.enabled)
          : ignore
  }
}

type Use = (value: JsonValue) => InvalidValueRule

const refuse: InvalidValueRule = { kind: "refuse" }
const autoCompact: Path = ["autoCompact", "autoCompactEnabled"]

/** Cannot restrict anything, however it is read. */
const isNothing = (found: JsonValue | undefined): boolean =>
  found === null || (Array.isArray(found) && found.length === 0) || (isObject(found) && Object.keys(found).length === 0)

function permissionReading([, key, index]: Path, found: JsonValue | undefined, use: Use): InvalidValueRule | undefined {
  if (key === undefined) return refuse
  if (key === "deny" || key === "ask") {
    if (index !== undefined) return use("*")
    return use([typeof found === "string" ? found : "*"])
  }
  // Left out, it would let a weaker source decide.
  if (key === "defaultMode") return use("default")
  if ((key === "disableAutoMode" || key === "disableBypassPermissionsMode") && found !== false) return use("disable")
  return undefined
}

const tightWhenTrue: Path = ["enabled", "failIfUnavailable", "hooks", "mcp"]
const tightWhenFalse: Path = ["allowUnsandboxedCommands", "autoAllowBashIfSandboxed"]
const opening: Path = [
  "excludedCommands",
  "allowWrite",
  "allowRead",
  "allowedDomains",
  "allowUnixSockets",
  "allowLocalBinding",
]
const closing: Path = ["denyWrite", "denyRead", "deniedDomains"]

function sandboxReading(path: Path, found: JsonValue | undefined, use: Use): InvalidValueRule | undefined {
  const [, key, inner] = path
  if (key === undefined) return found === true ? use({ enabled: true }) : refuse
  // Half of a list could leave out the line that keeps a credential from a host.
  if (key === "credentials") return { kind: "use", path: path.slice(0, 2), value: "off" }
  if (tightWhenTrue.includes(key)) return use(true)
  if (tightWhenFalse.includes(key)) return use(false)
  if ([key, inner].some((name) => name !== undefined && opening.includes(name))) return undefined
  const isList = inner !== undefined && closing.includes(inner) && path.length === 3
  return isList && typeof found === "string" ? use([found]) : refuse
}

/**
 * A group or a hook without the list around it means itself, and a list of matchers any of them. A required hook is
 * never ignored.
 */
function hookReading(path: Path, file: JsonValue): InvalidValueRule {
  const smallest = path.slice(0, path.length >= 5 ? 5 : 3)
  const found = valueAt(file, smallest)
  if (found !== undefined && /"required":true/.test(JSON.stringify(found))) return refuse
  const matcher = smallest.length === 3 && path[3] === "matcher" ? valueAt(file, path) : undefined
  if (Array.isArray(matcher) && matcher.every((one) => typeof one === "string" && /^\w+$/.test(one)))
    return { kind: "use", path, value: matcher.join("|") }
  const group = smallest.length < 4 && path[3] !== "matcher" && isObject(found) ? groupFrom(found) : undefined
  if (group === undefined || smallest.length < 2) return { kind: "ignore", path: smallest }
  return { kind: "use", path: smallest, value: smallest.length === 2 ? [group] : group }
}

const groupFrom = (found: JsonObject): JsonObject | undefined =>
  Array.isArray(found.hooks) ? found : typeof found.type === "string" ? { hooks: [found] } : undefined

export function withReadings(value: JsonObject, readings: readonly InvalidValueRule[]): JsonObject {
  const changes = readings.flatMap((reading) => (reading.kind === "refuse" ? [] : [reading]))
  // From the end of each list, so that a removal moves none of the places that are still to be changed.
  const ordered = changes.toSorted((a, b) => Number(b.path.at(-1) ?? 0) - Number(a.path.at(-1) ?? 0))
  return ordered.reduce<JsonObject>((whole, change) => {
    const next = changed(whole, change.path, change.kind === "use" ? change.value : undefined)
    return isObject(next) ? next : whole
  }, value)
}

function changed(value: JsonValue, path: Path, to: JsonValue | undefined): JsonValue | undefined {
  const [step, ...rest] = path
  if (step === undefined) return to
  if (Array.isArray(value)) {
    const at = Number(step)
    const inner = value[at] === undefined ? undefined : changed(value[at], rest, to)
    return inner === undefined ? value.toSpliced(at, 1) : value.toSpliced(at, 1, inner)
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return value
  const { [step]: old, ...others } = value
  const inner = old === undefined ? undefined : changed(old, rest, to)
  return inner === undefined ? others : { ...value, [step]: inner }
}

export function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, step) => {
    if (Array.isArray(inner)) return inner[Number(step)]
    return isObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined
  }, value)
}
