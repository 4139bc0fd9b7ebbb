/** `codewright --bg "task"`: a session that works without this terminal. */

import type { PromptOrigin } from "#agent/words/origin.ts"
import { holderOf } from "#ground/transcript/lock.ts"
import { openJobs } from "#fleet/background/jobs.ts"
import { optional } from "#lib/optional.ts"
import { systemIds } from "#lib/ids.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { settledOptions } from "#faces/cli/flags/session-options.ts"
import { type StartFailure, usage, wrong } from "#faces/cli/failure.ts"
import type { Io } from "#faces/cli/io.ts"
import { connect } from "#faces/cli/models/connect.ts"
import { chooseSession } from "#faces/cli/sessions/choose-session.ts"
import { resumedFolder } from "#faces/cli/sessions/resumed-folder.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"
import { handOver } from "./hand-over.ts"

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
  const setting = await readSetting(args, own.value?.folder ?? folder)
  if (!setting.ok) return setting
  for (const warning of setting.value.warnings) io.warn(warning)
  const wrongly = await problemOf(args, setting.value)
  if (!wrongly.ok) return wrongly
  const chosen = await chooseSession(args, setting.value)
  if (!chosen.ok) return chosen
  const { id, log } = chosen.value
  const isKnown = openJobs(setting.value.state, process.pid).get(id) !== undefined
  const holder = log.kind === "resume" ? holderOf(`${log.path}.lock`, process.pid) : undefined
  if (holder && !isKnown)
    return wrong(`The session is open in process ${holder.pid}. Close it there first, or type /bg there.`)
  const given = await handOver({
    id,
    args,
    setting: setting.value,
    ...(prompt.text.trim() !== "" && {
      prompt: { id: systemIds.uuid(), text: prompt.text, ...optional("origin", prompt.origin) },
    }),
  })
  if (!given.ok) return wrong(given.failure)
  const short = id.slice(0, 8)
  if (args.value("output-format") !== undefined && args.value("output-format") !== "text")
    io.write(`${JSON.stringify({ id, cwd: setting.value.cwd })}\n`)
  else
    io.say(
      `Started session ${short} in the background.\nList sessions: codewright agents\nOpen this one: codewright attach ${short}`,
    )
  return ok(0)
}

/** What would keep it from starting is said here, where somebody reads it. */
async function problemOf(args: Arguments<FlagName>, setting: StartupContext): Promise<Result<void, StartFailure>> {
  const settled = await settledOptions(args, setting, "headless")
  if (!settled.ok) return settled
  const connection = await connect(args, setting, "headless")
  if (!connection.ok) return connection
  await connection.value.close()
  return ok(undefined)
}
