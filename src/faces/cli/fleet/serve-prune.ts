/** `codewright serve prune`: erases what is older than the settings say, now. */

import { prune } from "#fleet/retention.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { databaseHere, openFleetHere } from "./fleet-here.ts"
import type { Io } from "#faces/cli/io.ts"
import { readNumber } from "#faces/cli/flags/numbers.ts"
import { ownEnvironment } from "./own-environment.ts"
import { settingHere } from "#faces/cli/startup-context-here.ts"

type PruneFlag = "days" | "secrets" | "database" | "json"

export async function pruneCommand(args: Pick<Arguments<PruneFlag>, "value" | "has">, io: Io): Promise<number> {
  const asked = args.value("days")
  const days = asked === undefined ? undefined : readNumber("--days", asked, { least: 0, most: 100_000, whole: false })
  if (days && !days.ok) return io.fail(days.failure)
  const own = ownEnvironment(args.value("secrets"), io)
  if (!own.ok) return io.fail(own.failure)
  const { env } = own.value
  const setting = await settingHere(io, env)
  if (!setting) return 1
  const kept = setting.loaded.settings.server?.retention ?? {}
  const retention = { ...kept, ...(days && { sessionDays: days.value }) }
  if (retention.sessionDays === undefined && retention.auditDays === undefined)
    return io.fail(
      "Nothing says what is old. Add --days 90, or set server.retention.sessionDays or server.retention.auditDays.",
    )
  const database = await databaseHere(args.value("database"), env, setting)
  if (!database.ok) return io.fail(database.failure)
  const fleet = await openFleetHere(setting.state, database.value, io.warn)
  // A server that runs has the embedded database, and prunes by itself where the settings say so.
  if (!fleet.ok) return io.fail(fleet.failure)
  const { sessions, auditLines } = await prune(fleet.value.store, retention, new AbortController().signal)
  await fleet.value.close()
  if (args.has("json")) io.write(`${JSON.stringify({ type: "pruned", sessions, auditLines })}\n`)
  else
    io.say(
      `Erased ${sessions} session${sessions === 1 ? "" : "s"} and ${auditLines} line${auditLines === 1 ? "" : "s"} of the audit. Workers remove the files when they next look.`,
    )
  return 0
}
