/** What a project's own files may say: before the person trusts the folder they only tighten, and some things they never say. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { isPersonalVariable } from "./child-environment.ts"
import type { ChangedSince } from "./executable.ts"
import type { SourceName } from "./sources.ts"
import type { Trust } from "./trust.ts"

/** A setting that was found but does not count. */
export interface LeftOut {
  readonly file: string
  /** The key, such as `permissions.allow` or `env.PATH`. */
  readonly key: string
  /** How many values it held: the length of a list, otherwise 1. */
  readonly count: number
  readonly why:
    | "untrusted"
    /** It would run something, and is not what was there when the person trusted the folder. */
    | "changed"
    /** A project never decides this, trusted or not. */
    | "never from a project"
    /** Only the managed policy decides this. */
    | "managed only"
}

/** What it takes for a project's setting to count. */
type Need = "nothing" | "vouched" | "trusted" | "never"

/** Whose values they are, and how far they are believed. */
export interface Admission {
  readonly name: SourceName
  readonly file: string
  readonly trust: Trust
  /** Whether a value would run something else than when the person trusted the folder. */
  readonly changed?: ChangedSince | undefined
}

/** Leaves out of a source what it may not say. */
export function admit(
  value: JsonObject,
  { name, file, trust, changed }: Admission,
): { readonly value: JsonObject; readonly leftOut: readonly LeftOut[] } {
  const leftOut: LeftOut[] = []
  const leave = (key: string, inner: JsonValue, why: LeftOut["why"]): void => {
    leftOut.push({ file, key, count: Array.isArray(inner) ? inner.length : 1, why })
  }

  function keep(object: JsonObject, prefix: string): JsonObject {
    const kept: { [key: string]: JsonValue } = {}
    for (const [key, inner] of Object.entries(object)) {
      const path = prefix + key
      if (name !== "managed" && managedOnly.includes(path)) leave(path, inner, "managed only")
      else if (prefix === "" && isProject(name) && changed?.(file, key, inner)) leave(path, inner, "changed")
      else if (opened.includes(path) && isObject(inner)) kept[key] = keep(inner, `${path}.`)
      else {
        const need = isProject(name) ? needOf(path, inner, name) : "nothing"
        if (meets(trust, need)) kept[key] = inner
        else leave(path, inner, need === "never" ? "never from a project" : "untrusted")
      }
    }
    return kept
  }

  return { value: keep(value, ""), leftOut }
}

/** Whether a source lies in the project, where whoever wrote the repository could have written it. */
function isProject(name: SourceName): boolean {
  return name === "local settings" || name === "project settings"
}

/** Objects whose keys are judged one by one. */
const opened: readonly string[] = ["permissions", "env", "sandbox", "sandbox.filesystem", "sandbox.network"]

const managedOnly: readonly string[] = ["allowManagedPermissionRulesOnly", "permissions.allowBypassAsRoot"]

const needs: { readonly [key: string]: Need } = {
  $schema: "nothing",
  "permissions.deny": "nothing",
  "permissions.ask": "nothing",
  "permissions.disableBypassPermissionsMode": "nothing",
  disabledMcpjsonServers: "nothing",
  // It turns off the project's own hooks and no others.
  disableAllHooks: "nothing",
  "sandbox.filesystem.denyWrite": "nothing",
  "sandbox.filesystem.denyRead": "nothing",
  "sandbox.network.deniedDomains": "nothing",
  hooks: "vouched",
  enabledMcpjsonServers: "vouched",
  enableAllProjectMcpServers: "vouched",
  // Endpoint, credentials, telemetry, the sandbox's off switch, the mode, and what rules the person's own state.
  "permissions.defaultMode": "never",
  "sandbox.excludedCommands": "never",
  "sandbox.autoAllowBashIfSandboxed": "never",
  providers: "never",
  server: "never",
  webSearch: "never",
  apiKeyHelper: "never",
  awsAuthRefresh: "never",
  otelHeadersHelper: "never",
  forceLoginMethod: "never",
  cleanupPeriodDays: "never",
  keybindings: "never",
}

/** Switches of the sandbox that tighten in one position and loosen in the other. */
const tightens: { readonly [key: string]: boolean } = {
  "sandbox.enabled": true,
  "sandbox.failIfUnavailable": true,
  "sandbox.allowUnsandboxedCommands": false,
}

function needOf(path: string, value: JsonValue, name: SourceName): Need {
  const safe = tightens[path]
  if (safe !== undefined) return value === safe ? "nothing" : "never"
  if (path.startsWith("env.")) return isPersonalVariable(path.slice("env.".length)) ? "never" : "vouched"
  // A program that vouches for the project has the person's own local file in mind, never rules that came with the repository.
  if (path === "permissions.allow" || path === "permissions.additionalDirectories")
    return name === "local settings" ? "vouched" : "trusted"
  return needs[path] ?? "trusted"
}

function meets(trust: Trust, need: Need): boolean {
  if (need === "nothing") return true
  if (need === "vouched") return trust !== "untrusted"
  return need === "trusted" && trust === "trusted"
}
