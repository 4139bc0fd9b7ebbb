/** Opens a background session in the host: as its command line says, in its folder and environment, where its log ends. */

import { existsSync, readFileSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import type { OpenJob } from "#fleet/background/hold-job.ts"
import type { BackgroundJob } from "#fleet/background/job.ts"
import type { Jobs } from "#fleet/background/jobs.ts"
import { processEnvironment, type RawEnvironment } from "#ground/settings/environment.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { holderOf } from "#ground/transcript/lock.ts"
import { statsOf } from "#lib/quietly.ts"
import { failed, ok } from "#lib/result.ts"
import { restatedEntries } from "#session/journal/journal.ts"
import { leftOpenIn } from "#session/journal/left-open.ts"
import { waitingIn } from "#session/port/answer-kept.ts"
import type { Notifications } from "#faces/tui/attention.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { startSession } from "#faces/cli/start.ts"
import { argumentsOf } from "#faces/cli/team/member-processes.ts"
import { isCredential, logsOf } from "./job-places.ts"

export interface JobOpener {
  readonly open: OpenJob
  /** Takes the credentials that were left for it, so that they are on disk no longer than necessary. */
  readonly seen: (id: string) => void
  /** How the user wants to be told of it. */
  readonly notifications: (id: string) => Notifications
}

export function openJobHere({ jobs, state }: { readonly jobs: Jobs; readonly state: string }): JobOpener {
  const borrowed = new Map<string, RawEnvironment>()
  const wishes = new Map<string, Notifications>()

  function seen(id: string): void {
    const lent = jobs.borrow(id)
    if (lent) borrowed.set(id, lent)
  }

  const open: OpenJob = async (job, { onCall, watched }) => {
    seen(job.id)
    const env: RawEnvironment = { ...(borrowed.get(job.id) ?? ownCredentials()), ...job.env }
    const logs = logsOf(state, job.cwd)
    const path = logs.find(job.id)
    if (path !== undefined && holderOf(`${path}.lock`, process.pid)) return failed({ kind: "busy" })
    const entries = path === undefined ? [] : entriesIn(path)
    const args = path === undefined ? argumentsOf(job) : resuming(argumentsOf(job), entries)
    const problem = (message: string) => failed({ kind: "failed", message } as const)
    if (!statsOf(job.cwd)?.isDirectory()) return problem(`Its folder ${job.cwd} no longer exists.`)
    const setting = await readSetting(args, job.cwd, trustOf(job), env)
    if (!setting.ok) return problem(setting.failure.message)
    wishes.set(job.id, setting.value.loaded.settings.notifications ?? "desktop")
    const started = await startSession(args, setting.value, "headless", {
      asks: "client",
      inBackground: true,
      which: { id: job.id, sessionLogs: logs, log: path === undefined ? { kind: "new" } : { kind: "resume", path } },
      watched,
      shape: (options) => ({ ...options, onCall }),
    })
    if (!started.ok) return problem(started.failure.message)
    const { session, close } = started.value
    const log = path ?? logs.logPath(job.id)
    return ok({
      session,
      close,
      queued: [...leftOpenIn(entries).waiting.keys()],
      asked: waitingIn(entries).map(({ question }) => question.id),
      has: (promptId) =>
        existsSync(log) && readFileSync(log, "utf8").includes(`"promptId":${JSON.stringify(promptId)}`),
    })
  }
  return { open, seen, notifications: (id) => wishes.get(id) ?? "off" }
}

const ownCredentials = (): RawEnvironment =>
  Object.fromEntries(Object.entries(processEnvironment()).filter(([name, value]) => isCredential(name, value)))

const trustOf = ({ trust }: BackgroundJob): "as kept" | "declined" | ReadonlySet<string> =>
  typeof trust === "string" ? trust : new Set(trust)

function entriesIn(path: string): readonly Entry[] {
  const loaded = loadTail(path, { torn: "leave" })
  return loaded.ok ? [...restatedEntries(loaded.value.entries), ...loaded.value.entries] : []
}

/** What its log says counts: somebody may have changed it since. That it may be in bypass mode is said each time. */
function resuming(args: Arguments<FlagName>, entries: readonly Entry[]): Arguments<FlagName> {
  const says = (kind: Entry["kind"]): boolean => entries.some((entry) => entry.kind === kind)
  const model = entries.findLast((entry) => entry.kind === "model")?.model
  const mayBypass = args.has("dangerously-skip-permissions") || args.value("permission-mode") === "bypassPermissions"
  const left = new Set<FlagName>([
    "name",
    ...(says("goal") ? (["goal"] as const) : []),
    ...(says("mode") ? (["permission-mode", "dangerously-skip-permissions"] as const) : []),
    ...(says("budget") ? (["max-budget-usd", "max-budget-tokens"] as const) : []),
    ...(says("thinking") ? (["effort", "thinking", "max-thinking-tokens"] as const) : []),
  ])
  const isAdded = (name: FlagName): boolean =>
    (name === "allow-dangerously-skip-permissions" && mayBypass) || (name === "model" && model !== undefined)
  return {
    has: (name) => isAdded(name) || (!left.has(name) && args.has(name)),
    value: (name) => (name === "model" ? (model ?? args.value(name)) : left.has(name) ? undefined : args.value(name)),
    list: (name) => (name === "model" && model !== undefined ? [model] : left.has(name) ? [] : args.list(name)),
    rest: [],
  }
}
