/**
 * What a project's own files may set: before the user trusts the folder they can only restrict, and some things they
 * can never set.
 */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { isPersonalVariable } from "./child-environment.ts"
import { isEntry, type KeepLine, type LinePlace, type ProjectLine, keptLines } from "./project-lines.ts"
import { isProjectSource, type SourceName } from "./sources.ts"
import type { Trust } from "./trust.ts"

/** A setting that was found but does not count. */
export interface LeftOut {
  readonly file: string
  /** Such as `permissions.allow` or `env.PATH`. */
  readonly key: string
  /** The length of a list, otherwise 1. */
  readonly count: number
  readonly why:
    | "untrusted"
    /** It would run or permit something, and was not there like this when the user trusted the folder. */
    | "changed"
    /** One of the user's variables would leave, without their approval. */
    | "secret"
    /** A project never decides this, trusted or not. */
    | "never from a project"
    /** Only the managed policy decides this. */
    | "managed only"
}

/** What it takes for a project's setting to count. */
type Need = "nothing" | "vouched" | "trusted" | "never"

export interface FileAdmission {
  readonly name: SourceName
  readonly file: string
  readonly trust: Trust
  /** The file as shown in lines. */
  readonly shownFile: string
  /** For a trusted project, what may count; everything except secrets when absent. */
  readonly trusts?: KeepLine | undefined
  readonly isSecret: LinePlace["isSecret"]
}

export interface Admitted {
  readonly value: JsonObject
  readonly leftOut: readonly LeftOut[]
  /** Everything in a project's file that would run or permit something, whether it counts or not. */
  readonly lines: readonly ProjectLine[]
}

export function admit(value: JsonObject, admission: FileAdmission): Admitted {
  const { name, file, trust, shownFile, trusts = isEntry, isSecret } = admission
  const leftOut: LeftOut[] = []
  const lines: ProjectLine[] = []
  const leave = (key: string, count: number, why: LeftOut["why"]): void => void leftOut.push({ file, key, count, why })

  function keep(object: JsonObject, prefix: string): JsonObject {
    const kept: { [key: string]: JsonValue } = {}
    for (const [key, inner] of Object.entries(object)) {
      const path = prefix + key
      const count = Array.isArray(inner) ? inner.length : 1
      if (name !== "managed" && managedOnly.includes(path)) leave(path, count, "managed only")
      else if (opened.includes(path) && isObject(inner)) kept[key] = keep(inner, `${path}.`)
      else {
        const need = isProjectSource(name) ? needOf(path, inner, name) : "nothing"
        if (need === "never") leave(path, count, "never from a project")
        else if (need === "nothing") kept[key] = inner
        else {
          const left = believed(path, inner, meets(trust, need))
          if (left !== undefined) kept[key] = left
        }
      }
    }
    return kept
  }

  /** What counts of a value that a project's file may set once it is trusted. */
  function believed(path: string, inner: JsonValue, isBelieved: boolean): JsonValue | undefined {
    const count = Array.isArray(inner) ? inner.length : 1
    if (harmless.includes(path)) {
      if (!isBelieved) leave(path, count, "untrusted")
      return isBelieved ? inner : undefined
    }
    let changed = 0
    const left = keptLines({ file: shownFile, path, isSecret }, inner, (line) => {
      lines.push(line)
      const counts = isBelieved && trusts(line)
      if (isBelieved && !counts && line.kind === "secret")
        leave(`${path}: your ${line.what.replace("secret ", "")}`, 1, "secret")
      else if (isBelieved && !counts) changed++
      return counts
    })
    if (!isBelieved) leave(path, count, "untrusted")
    if (changed > 0) leave(path, changed, "changed")
    return isBelieved ? left : undefined
  }

  return { value: keep(value, ""), leftOut, lines }
}

/** What a project may set once it is trusted, and change afterwards: it runs nothing and permits nothing. */
const harmless: readonly string[] = [
  "model",
  "planModel",
  "smallModel",
  "subagentModel",
  "fallbackModel",
  "effortLevel",
  "alwaysThinkingEnabled",
  "showThinkingSummaries",
  "outputStyle",
  "language",
  "includeCoAuthoredBy",
  "attribution",
  "autoCompact",
  "autoCompactEnabled",
  "compaction",
  "respectGitignore",
  "skillListingBudgetFraction",
  "backgroundAgents",
  "mouse",
  "promptSuggestions",
  "sideColumn",
  "backgroundWorktrees",
  "spinnerTipsEnabled",
  "spinnerVerbs",
  "editorMode",
  "vim",
  "theme",
  "notifications",
  "screenReader",
  "detailedExitCodes",
  "backgroundWaitSeconds",
]

/** Objects whose keys are judged one by one. */
const opened: readonly string[] = [
  "permissions",
  "env",
  "gates",
  "sandbox",
  "sandbox.filesystem",
  "sandbox.network",
  "undo",
]

const managedOnly: readonly string[] = [
  "allowManagedPermissionRulesOnly",
  "permissions.allowBypassAsRoot",
  "strictKnownMarketplaces",
  "blockedMarketplaces",
]

const needs: { readonly [key: string]: Need } = {
  $schema: "nothing",
  "permissions.deny": "nothing",
  "permissions.ask": "nothing",
  "permissions.disableAutoMode": "nothing",
  "permissions.disableBypassPermissionsMode": "nothing",
  disabledMcpjsonServers: "nothing",
  // It turns off the project's own hooks and no others.
  disableAllHooks: "nothing",
  "sandbox.filesystem.denyWrite": "nothing",
  "sandbox.filesystem.denyRead": "nothing",
  "sandbox.network.deniedDomains": "nothing",
  hooks: "vouched",
  // A project cannot approve its own servers.
  enabledMcpjsonServers: "never",
  enableAllProjectMcpServers: "never",
  // Endpoint, credentials, telemetry, the sandbox's off switch, the mode, and what controls the user's own state.
  "permissions.defaultMode": "never",
  // Whatever would widen the sandbox: a project only tightens it, trusted or not.
  "sandbox.excludedCommands": "never",
  "sandbox.autoAllowBashIfSandboxed": "never",
  "sandbox.caches": "never",
  "sandbox.limits": "never",
  "sandbox.allowEnv": "never",
  // A project could name its own host for any of the user's credentials.
  "sandbox.credentials": "never",
  "sandbox.filesystem.allowWrite": "never",
  "sandbox.filesystem.allowRead": "never",
  "sandbox.network.allowedDomains": "never",
  "sandbox.network.allowUnixSockets": "never",
  "sandbox.network.allowLocalBinding": "never",
  // Only the user decides which servers plan mode may use.
  readOnlyMcpServers: "never",
  languageServers: "never",
  providers: "never",
  server: "never",
  webSearch: "never",
  updates: "never",
  network: "never",
  apiKeyHelper: "never",
  awsAuthRefresh: "never",
  otelHeadersHelper: "never",
  telemetry: "never",
  forceLoginMethod: "never",
  cleanupPeriodDays: "never",
  storage: "never",
  keybindings: "never",
  // A project cannot have itself shown what the user's editor shows, nor where the user answers.
  autoConnectIde: "never",
  diffTool: "never",
  // It runs something, permits something or decides what the model reads: counts once the folder is trusted, as it was then.
  budget: "trusted",
  goal: "trusted",
  statusLine: "trusted",
  plansDirectory: "trusted",
  plan: "trusted",
  "gates.testFiles": "trusted",
  "gates.testCommands": "trusted",
  enabledPlugins: "trusted",
  extraKnownMarketplaces: "trusted",
  agent: "trusted",
  // Each is asked about besides, before it is started.
  lsp: "trusted",
  claudeMdExcludes: "trusted",
  // It takes undo away from the user, and with it the reason why some changes are not asked about.
  "undo.exclude": "trusted",
  fileSuggestion: "trusted",
  skipDangerousModePermissionPrompt: "trusted",
  memory: "trusted",
  teams: "trusted",
  teammateMode: "trusted",
  teammateIsolation: "trusted",
  sessionMessages: "trusted",
}

/** Switches that restrict in one position and permit in the other. */
const tightens: { readonly [key: string]: boolean } = {
  offline: true,
  "sandbox.enabled": true,
  "sandbox.failIfUnavailable": true,
  "sandbox.hooks": true,
  "sandbox.mcp": true,
  "sandbox.allowUnsandboxedCommands": false,
  "gates.clarify": true,
  "gates.plan": true,
  "gates.files": true,
  "gates.git": true,
  "gates.testFirst": true,
}

/** Where it depends on which of a project's files says it. */
const byFile: readonly string[] = ["permissions.allow", "permissions.additionalDirectories"]

/** Every setting that is decided here; a test holds it against the settings there are. */
export const judgedSettings: ReadonlySet<string> = new Set([
  ...[harmless, opened, managedOnly, byFile].flat(),
  ...Object.keys(needs),
  ...Object.keys(tightens),
])

function needOf(path: string, value: JsonValue, name: SourceName): Need {
  const safe = tightens[path]
  if (safe !== undefined) return value === safe ? "nothing" : "never"
  if (path.startsWith("env.")) return isPersonalVariable(path.slice("env.".length)) ? "never" : "vouched"
  // A program that vouches for the project means the user's own local file, never rules that came with the
  // repository.
  if (byFile.includes(path)) return name === "local settings" ? "vouched" : "trusted"
  return needs[path] ?? "trusted"
}

function meets(trust: Trust, need: Need): boolean {
  if (need === "nothing") return true
  if (need === "vouched") return trust !== "untrusted"
  return need === "trusted" && trust === "trusted"
}
