/** What every act on plugins needs: where they are kept, how they are fetched, and what the policy says. */

import { rmSync } from "node:fs"
import { join } from "node:path"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { makePrivateFolder } from "#ground/settings/state-folder.ts"
import { underLock } from "#ground/settings/under-lock.ts"
import type { ObtainPorts } from "#ground/plugins/obtain.ts"
import type { MarketplacePolicy } from "#ground/plugins/policy.ts"
import { type PluginRecords, pluginsFolder, readRecords, recordsFile, writeRecords } from "#ground/plugins/store.ts"
import { gitFile } from "#ground/workspace/git/ask-git.ts"
import { openProcesses, type Processes } from "#ground/workspace/processes/process.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { namesIn, statsOf } from "#lib/quietly.ts"
import { ok, type Result } from "#lib/result.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { policyOf } from "./marketplaces-here.ts"

export interface PluginContext {
  readonly setting: StartupContext
  readonly policy: MarketplacePolicy
  readonly ports: ObtainPorts
  /** Where fetched plugins lie until they are installed or dropped. */
  readonly staging: string
  readonly records: () => Result<PluginRecords, string>
  /** One change at a time, also across processes, on what is recorded then. */
  readonly change: <T>(make: (before: PluginRecords) => Result<RecordChange<T>, string>) => Result<T, string>
  readonly close: () => Promise<void>
}

export interface RecordChange<T> {
  readonly after: PluginRecords
  readonly value: T
}

const longestMs = 600_000
const mostOutput = 250_000_000

export function openPluginContext(setting: StartupContext, signal: AbortSignal): PluginContext {
  const { state, loaded, network } = setting
  const staging = join(pluginsFolder(state), "staging")
  for (const name of namesIn(staging)) removeIfOld(join(staging, name))
  const processes = openProcesses({
    clock: systemClock,
    ids: systemIds,
    scratch: join(staging, `processes-${systemIds.uuid()}`),
    graceMs: 1_000,
    drainMs: 500,
  })
  return {
    setting,
    policy: policyOf(setting),
    ports: {
      network,
      git: gitFile(),
      env: childEnvironment(loaded.env),
      scratch: () => makePrivateFolder(join(staging, `repository-${systemIds.uuid()}`)),
      signal,
      run: runBy(processes),
    },
    staging,
    records: () => readRecords(state),
    change: (make) =>
      underLock(recordsFile(state), () => {
        const before = readRecords(state)
        if (!before.ok) return before
        const made = make(before.value)
        if (!made.ok) return made
        const written = writeRecords(state, made.value.after)
        return written.ok ? ok(made.value.value) : written
      }),
    close: () => processes.close(),
  }
}

const keptMs = 24 * 3_600_000

/** What a killed process left behind. */
function removeIfOld(path: string): void {
  const stat = statsOf(path)
  if (stat && systemClock.now() - stat.mtimeMs > keptMs) rmSync(path, { recursive: true, force: true })
}

const runBy =
  (processes: Pick<Processes, "feed">): ObtainPorts["run"] =>
  async (program) => {
    const fed = processes.feed({ ...program, input: "", timeoutMs: longestMs, mostBytes: mostOutput })
    if (!fed.ok) return { exitCode: undefined, stdout: new Uint8Array(), stderr: "git could not be started" }
    const { exitCode, stdout, stderr, isCut } = await fed.value.ended
    if (isCut) return { exitCode: undefined, stdout, stderr: "it is too large" }
    return { exitCode: exitCode ?? undefined, stdout, stderr: new TextDecoder().decode(stderr) }
  }
