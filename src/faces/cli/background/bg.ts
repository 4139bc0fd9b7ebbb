/** `codewright --bg "task"`: a session that works without this terminal. */

import type { PromptOrigin } from "#agent/words/origin.ts"
import { holderOf } from "#ground/transcript/lock.ts"
import { findRepository } from "#ground/workspace/git/git.ts"
import type { JobPrompt } from "#fleet/background/job.ts"
import { openJobs } from "#fleet/background/jobs.ts"
import { progressOf } from "#fleet/background/progress.ts"
import { loadTail } from "#ground/transcript/load.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { optional } from "#lib/optional.ts"
import { systemIds } from "#lib/ids.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { trustingBare } from "#faces/cli/first-run.ts"
import { settledOptions } from "#faces/cli/flags/session-options.ts"
import { type StartFailure, usage, wrong } from "#faces/cli/failure.ts"
import type { Io } from "#faces/cli/io.ts"
import { connect } from "#faces/cli/models/connect.ts"
import { chooseSession } from "#faces/cli/sessions/choose-session.ts"
import { resumedFolder } from "#faces/cli/sessions/resumed-folder.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"
import { handOver } from "./hand-over.ts"
import { continuePrompt } from "./resume.ts"

export async function startInBackground(
  args: Arguments<FlagName>,
  prompt: { readonly text: string; readonly origin?: PromptOrigin },
  io: Io,
  folder: string | undefined,
): Promise<Result<number, StartFailure>> {
  const misused = (["print", "no-session-persistence", "json-schema"] as const).find((name) => args.has(name))
  if (misused !== undefined) return usage(`--bg and --${misused} cannot be combined.`)
  const own = await resumedFolder(args, folder)
  if (!own.ok) return own
  const read = await settingOf(args, own.value?.folder ?? folder)
  if (!read.ok) return read
  for (const warning of read.value.warnings) io.warn(warning)
  const wrongly = await problemOf(args, read.value)
  if (!wrongly.ok) return wrongly
  const setting = await inWorktree(args, read.value, prompt.text, io)
  if (!setting.ok) return setting
  const chosen = await chooseSession(args, setting.value)
  if (!chosen.ok) return chosen
  const { id, log } = chosen.value
  const isKnown = openJobs(setting.value.state, process.pid).get(id) !== undefined
  const holder = log.kind === "resume" ? holderOf(`${log.path}.lock`, process.pid) : undefined
  if (holder && !isKnown)
    return wrong(`The session is open in process ${holder.pid}. Close it there first, or type /bg there.`)
  const handover = await handOver({
    id,
    args,
    setting: setting.value,
    ...optional("prompt", promptOf(prompt, log)),
  })
  if (!handover.ok) return wrong(handover.failure)
  const short = id.slice(0, 8)
  const { cwd } = setting.value
  if (args.has("json") || (args.value("output-format") ?? "text") !== "text")
    io.write(`${JSON.stringify({ type: "started", id, folder: cwd, branch: findRepository(cwd)?.branch ?? null })}\n`)
  else
    io.say(
      `${log.kind === "resume" ? `Session ${short} continues` : `Started session ${short}`} in the background.\nList sessions: codewright agents\nOpen this one: codewright attach ${short}`,
    )
  return ok(0)
}

/**
 * A session that nobody watches gets files of its own where git can make them, unless it only plans. What is left of them is
 * merged or removed later, with codewright worktree.
 */
async function inWorktree(
  args: Arguments<FlagName>,
  setting: StartupContext,
  words: string,
  io: Io,
): Promise<Result<StartupContext, StartFailure>> {
  const { settings } = setting.loaded
  const isAsked = args.has("worktree")
  const isUsual =
    settings.backgroundWorktrees !== false &&
    settings.permissions.defaultMode !== "plan" &&
    !args.has("resume") &&
    !args.has("continue") &&
    findRepository(setting.cwd) !== undefined
  if (!isAsked && !isUsual) return ok(setting)
  if (!isAsked && !setting.trusted) {
    io.warn("The session works in this folder, which is not trusted. For a worktree of its own, add --trust.")
    return ok(setting)
  }
  const { enterWorktree } = await import("#faces/cli/worktree/enter-worktree.ts")
  const entered = await enterWorktree(args, setting, words)
  if (!entered.ok && isAsked) return entered
  if (!entered.ok) {
    io.warn(`The session works in this folder. ${entered.failure.message}`)
    return ok(setting)
  }
  for (const note of entered.value.notes) io.warn(note)
  return settingOf(args, entered.value.folder)
}

async function settingOf(
  args: Arguments<FlagName>,
  folder: string | undefined,
): Promise<Result<StartupContext, StartFailure>> {
  const read = await readSetting(args, folder)
  return read.ok ? trustingBare(args, read.value, folder) : read
}

/** One of before continues without a word if it was cut off or waits for an answer. */
function promptOf(
  { text, origin }: { readonly text: string; readonly origin?: PromptOrigin },
  log: SessionOptions["log"],
): JobPrompt | undefined {
  if (text.trim() !== "") return { id: systemIds.uuid(), text, ...optional("origin", origin) }
  const loaded = log.kind === "resume" ? loadTail(log.path, { torn: "leave" }) : undefined
  const progress = loaded?.ok ? progressOf(loaded.value.entries) : undefined
  return progress?.isDue || progress?.state === "waiting" ? undefined : continuePrompt()
}

/** What would keep it from starting is said here, where somebody reads it. */
export async function problemOf(
  args: Arguments<FlagName>,
  setting: StartupContext,
): Promise<Result<void, StartFailure>> {
  const settled = await settledOptions(args, setting, "headless")
  if (!settled.ok) return settled
  const connection = await connect(args, setting, "headless")
  if (!connection.ok) return connection
  await connection.value.close()
  return ok(undefined)
}
