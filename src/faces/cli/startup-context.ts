/** Where things are, and what the settings say: all that a command may need before there is a session. */

import { realpathSync } from "node:fs"
import { join } from "node:path"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { SettingsChange } from "#agent/words/settings-change.ts"
import {
  type Environment,
  processEnvironment,
  type RawEnvironment,
  readEnvironment,
} from "#ground/settings/environment.ts"
import { type LoadedSettings, loadSettings } from "#ground/settings/load.ts"
import { leftOutLines } from "#ground/settings/notices.ts"
import { problemLine } from "#ground/settings/read-source.ts"
import { managedSettingsFile, type SettingsPlaces, type SourceName, sourcesOf } from "#ground/settings/sources.ts"
import { findRepository } from "#ground/workspace/git/git.ts"
import { homeFolder, stateFolder } from "#ground/settings/state-folder.ts"
import type { KeepLine } from "#ground/settings/project-lines.ts"
import { trustedLines, type TrustedLines } from "#ground/settings/trust.ts"
import { optional } from "#lib/optional.ts"
import { ok, type Result } from "#lib/result.ts"
import type { OwnNetwork } from "#ground/network/network.ts"
import type { Arguments } from "./flags/argv.ts"
import { type StartFailure, usage, wrong } from "./failure.ts"
import type { FlagName } from "./flags/flags.ts"
import { type Loading, loadingOf } from "./loading.ts"
import { type AddedServers, openAddedServers } from "./models/added-servers.ts"
import { configuredNetwork } from "./models/configured-network.ts"
import { isOffline, offlineWords } from "./models/offline-words.ts"

export interface StartupContext {
  readonly cwd: string
  readonly home: string
  readonly state: string
  /** For good or for this run. */
  readonly trusted: boolean
  readonly trusts: KeepLine
  /** For good or for this session. */
  readonly known: TrustedLines | undefined
  /** Whether the user was asked about what is new here and said no. */
  readonly declined: boolean
  readonly environment: Environment
  readonly loaded: LoadedSettings
  readonly loading: Loading
  /** Whether nothing but the model may be contacted. */
  readonly offline: boolean
  /** What was left out because the folder is not trusted, or changed since; among the warnings, too. */
  readonly untrusted: readonly string[]
  /** For standard error. */
  readonly warnings: readonly string[]
  /** Every file that settings may come from, whether it exists or not. */
  readonly files: readonly SettingsChange[]
  /** Every connection of this process goes through it. */
  readonly network: OwnNetwork
  readonly again: () => Promise<Result<StartupContext, StartFailure>>
  readonly added: AddedServers<StartupContext>
}

/** `declined`: only what was trusted before counts. A set: digests of what the user accepted for this session alone. */
export type TrustAnswer = "as kept" | "declined" | ReadonlySet<string>

/** For the current folder and the environment of this process, unless others are named. */
export async function readSetting(
  args: Arguments<FlagName>,
  folder?: string,
  answer: TrustAnswer = "as kept",
  raw: RawEnvironment = processEnvironment(),
): Promise<Result<StartupContext, StartFailure>> {
  const before = readEnvironment(raw)
  const home = homeFolder(before)
  const state = stateFolder(before, home)
  const cwd = realFolder(folder)
  if (cwd === undefined) return wrong("The working folder no longer exists. Change to another folder.")
  const loading = loadingOf(args)
  if (!loading.ok) return usage(loading.failure)
  const settingsFlag = args.value("settings")
  const trustsNow = args.has("trust") || before.trust
  const session = typeof answer === "string" ? undefined : new Map([...answer].map((digest) => [digest, ""]))
  const known = session ?? trustedLines({ state, home }, cwd)
  const trusted = trustsNow || known !== undefined
  const trusts: KeepLine = ({ kind, digest }) => (trustsNow && kind === "entry") || known?.has(digest) === true
  const places: SettingsPlaces = {
    root: cwd,
    state,
    claudeFolder: before.claudeFolder ?? join(home, ".claude"),
    managedFile: managedSettingsFile(process.platform),
    ...(settingsFlag !== undefined && { settingsFlag }),
    ...optional("managedFlag", args.value("managed-settings")),
    ...optional("chosen", loading.value.settings),
  }
  const loaded = await loadSettings({
    ...places,
    home,
    ...optional("top", findRepository(cwd)?.root),
    env: raw,
    trust: trusted ? "trusted" : "untrusted",
    trusts,
    async approvals() {
      const [{ openApprovals }, { fingerprintOf, readServer }] = await Promise.all([
        import("#ground/mcp/approvals.ts"),
        import("#ground/mcp/read-config.ts"),
      ])
      return (name, value) => {
        const config = readServer(value)
        return config.ok ? openApprovals(state).server(cwd, name, fingerprintOf(config.value)) : undefined
      }
    },
    flags: flagSettings(args),
  })
  const broken = loaded.problems.filter(({ level }) => level === "error").map(problemLine)
  // A broken file is left out whole, so running on would mean running under other rules than the user wrote.
  if (broken.length > 0) return wrong(broken.join("\n"))
  const environment = readEnvironment(loaded.env)
  const lines = (leftOut: typeof loaded.leftOut): readonly string[] =>
    leftOutLines(leftOut, { root: cwd, home, userFile: join(state, "settings.json") })
  const warnings = [...environment.warnings, ...loaded.problems.map(problemLine), ...lines(loaded.leftOut)]
  const files = sourcesOf(places).flatMap(({ file: path, name, text }) =>
    text === undefined ? [{ path, source: changeSource(name) }] : [],
  )
  const again = (): Promise<Result<StartupContext, StartFailure>> => readSetting(args, folder, answer, raw)
  const declined = answer === "declined"
  return ok({
    cwd,
    home,
    state,
    trusted,
    trusts,
    known,
    declined,
    environment,
    loaded,
    loading: loading.value,
    offline: isOffline(args, loaded),
    untrusted: lines(loaded.leftOut.filter(({ why }) => why === "untrusted" || why === "changed")),
    warnings,
    files,
    network: configuredNetwork(loaded, environment, isOffline(args, loaded) ? offlineWords : undefined),
    again,
    added: openAddedServers(),
  })
}

/** In the words of hooks. A file of `--settings` counts as the user's. */
function changeSource(name: SourceName): SettingsChange["source"] {
  if (name === "managed") return "policy_settings"
  if (name === "local settings") return "local_settings"
  return name === "project settings" ? "project_settings" : "user_settings"
}

/** The folder as it is called, links resolved; the current one if none is given. Undefined if it is gone. */
export function realFolder(folder?: string): string | undefined {
  try {
    return realpathSync(folder ?? process.cwd())
  } catch {
    return undefined
  }
}

function flagSettings(args: Arguments<FlagName>): NonNullable<Parameters<typeof loadSettings>[0]["flags"]> {
  const list = (flag: FlagName): readonly string[] | undefined => (args.has(flag) ? args.list(flag) : undefined)
  return {
    ...optional("model", args.value("model")),
    permissions: {
      ...optional("allow", list("allowed-tools")),
      ...optional("deny", list("disallowed-tools")),
      ...optional("additionalDirectories", list("add-dir")),
      // The parser has held the value against the list of modes.
      ...optional("defaultMode", args.value("permission-mode") as PermissionMode | "manual" | undefined),
    },
  }
}
