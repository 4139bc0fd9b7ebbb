/** Gives a session to the host of background sessions: a new one, one of before, or the one that a terminal has just closed. */

import { existsSync, readlinkSync } from "node:fs"
import { resolve } from "node:path"
import type { BackgroundJob, JobPrompt } from "#fleet/background/job.ts"
import { type Jobs, openJobs } from "#fleet/background/jobs.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { systemClock } from "#lib/clock.ts"
import { codeOf } from "#lib/error-code.ts"
import { optional } from "#lib/optional.ts"
import { failed, type Result } from "#lib/result.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { isCredential } from "./job-places.ts"
import { startHost } from "./start-host.ts"

export interface HandOver {
  readonly id: string
  readonly args: Arguments<FlagName>
  readonly setting: Pick<StartupContext, "cwd" | "state" | "known" | "declined">
  readonly prompt?: JobPrompt
}

/** The failure is a sentence. What was written stays: the next host sees it. */
export async function handOver(handover: HandOver): Promise<Result<void, string>> {
  const { id, setting } = handover
  const { state } = setting
  const jobs = openJobs(state, process.pid)
  try {
    write(jobs, handover)
  } catch (error) {
    if (codeOf(error) === "") throw error
    return failed(
      `The session cannot be saved in ${state} (${codeOf(error)}). Free disk space, or set CODEWRIGHT_HOME to a folder that can be written.`,
    )
  }
  const started = await startHost(state)
  if (!started.ok) jobs.borrow(id)
  return started
}

function write(jobs: Jobs, { id, args, setting, prompt }: HandOver): void {
  jobs.lend(id, Object.fromEntries(ownVariables().filter(([name, value]) => isCredential(name, value))))
  jobs.unmark(id, "stopped")
  jobs.unmark(id, "problem")
  jobs.unmark(id, "removed")
  const before = jobs.get(id)
  if (before && prompt) jobs.addPrompt(id, prompt)
  const job: BackgroundJob = {
    id,
    ...openingOf(args, setting),
    ...optional("tty", ownTerminal()),
    prompts: prompt ? [prompt] : [],
    createdAt: systemClock.now(),
  }
  if (!before) jobs.put(job)
}

const ownVariables = (): readonly (readonly [string, string])[] =>
  Object.entries(processEnvironment()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))

/** How a session of later is opened: as one would be here and now. */
export const openingOf = (
  args: Arguments<FlagName>,
  { cwd, known, declined }: Pick<StartupContext, "cwd" | "known" | "declined">,
): Pick<BackgroundJob, "cwd" | "args" | "trust" | "env"> => ({
  cwd,
  args: Object.fromEntries(
    flags.flatMap(({ name }) => (isKept(name, args) ? [[name, absolute(name, args, cwd)]] : [])),
  ),
  trust: known ? [...known.keys()] : declined ? "declined" : "as kept",
  env: Object.fromEntries(ownVariables().filter(([name, value]) => !isCredential(name, value))),
})

/** Which session it is and how it is shown was decided here. */
const ownFlags: ReadonlySet<FlagName> = new Set([
  "bg",
  "resume",
  "continue",
  "fork-session",
  "session-id",
  "take-over",
  "resume-session-at",
  "resume-drops-turn",
  "print",
  "output-format",
  "verbose",
  "worktree",
  "profile-startup",
])

const isKept = (name: FlagName, args: Arguments<FlagName>): boolean => args.has(name) && !ownFlags.has(name)

const pathFlags: ReadonlySet<FlagName> = new Set([
  "add-dir",
  "agents",
  "append-system-prompt-file",
  "managed-settings",
  "mcp-config",
  "plugin-dir",
  "plugin-dir-no-mcp",
  "settings",
  "system-prompt-file",
])

/** The host is in another folder. */
function absolute(name: FlagName, args: Arguments<FlagName>, cwd: string): readonly string[] {
  if (!pathFlags.has(name)) return args.list(name)
  return args.list(name).map((value) => (existsSync(resolve(cwd, value)) ? resolve(cwd, value) : value))
}

function ownTerminal(): string | undefined {
  try {
    const path = process.stderr.isTTY ? readlinkSync("/proc/self/fd/2") : ""
    return /^\/dev\/(?:pts\/\d+|tty\w+)$/.test(path) ? path : undefined
  } catch {
    return undefined
  }
}
