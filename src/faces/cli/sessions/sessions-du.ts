/** `codewright sessions du`: how much space the state folder takes, by kind and by session, and what a clean-up would free. */

import { withCatalog } from "#ground/transcript/catalog.ts"
import { systemClock } from "#lib/clock.ts"
import { counted } from "#lib/figures.ts"
import { stripControls } from "#lib/printable.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { readNumber } from "#faces/cli/flags/numbers.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { minute, nameOf } from "./session-line.ts"
import type { SessionsCall } from "./sessions-call.ts"
import { storageLimits, type StoragePlan, storagePlan } from "./storage-plan.ts"
import { bytesOf, type SessionUse, type StorageKind, storageUse } from "./storage-use.ts"

export async function showUse({ args, words, where, io }: SessionsCall): Promise<number> {
  if (words.length > 0) return io.fail("du takes no arguments. The largest sessions come first; --limit shows more.")
  const limit = readNumber("--limit", args.value("limit") ?? "20", { least: 1, most: 100_000, whole: true })
  if (!limit.ok) return io.fail(limit.failure)
  const flagless = parseArguments<FlagName>([], flags)
  const setting = flagless.ok ? await readSetting(flagless.value) : undefined
  if (!setting?.ok) return io.fail(setting?.failure.message ?? "the settings cannot be read")
  const { snapshots, names } = await withCatalog({ file: where.catalog, projects: where.projects }, async (catalog) => {
    const rows = await catalog.list({ limit: 1_000_000 })
    return { snapshots: await catalog.snapshots(), names: new Map(rows.map((row) => [row.id, nameOf(row)])) }
  })
  const use = storageUse(where.state, snapshots, { pid: process.pid })
  const plan = storagePlan(use, storageLimits(setting.value.loaded.settings, systemClock.now()))
  if (args.has("json")) {
    const { total, kinds } = use
    const sessions = use.sessions.map(({ logPath, isOpen, hasLog: _hasLog, ...session }) => ({
      ...session,
      changed: Math.round(session.changed),
      path: logPath,
      open: isOpen,
      title: names.get(session.id),
    }))
    io.write(`${JSON.stringify({ total, state: where.state, kinds, sessions, cleanup: planFacts(plan) }, null, 2)}\n`)
    return 0
  }
  const shown = use.sessions.slice(0, limit.value)
  const left = use.sessions.length - shown.length
  const lines = [
    `${size(use.total).trim()} in ${where.state}`,
    "",
    ...use.kinds.map(({ kind, bytes, files }) => `${size(bytes)}  ${kindWords[kind]} (${counted(files, "file")})`),
    "",
    ...(shown.length === 0 ? [] : [sessionHead]),
    ...shown.map((session) => sessionRow(session, names.get(session.id) ?? "(no prompt)")),
    ...(left === 0 ? [] : [`${counted(left, "more session")}; all with --limit ${use.sessions.length}`]),
    ...(shown.length === 0 ? [] : [""]),
    planWords(plan),
  ]
  io.write(`${stripControls(lines.join("\n"))}\n`)
  return 0
}

const kindWords: { readonly [kind in StorageKind]: string } = {
  conversations: "conversations",
  outputs: "outputs of commands and tools",
  snapshots: "snapshots of files, for /rewind",
  plans: "plans",
  caches: "caches",
  background: "background sessions",
  worktrees: "worktrees",
  logs: "debug logs and telemetry",
  teams: "teams",
  other: "settings, plugins, notes and the rest",
}

const sessionHead = `${["total", "log", "outputs", "snapshots"].map((name) => name.padStart(9)).join(" ")}  session`

function sessionRow(session: SessionUse, name: string): string {
  const sizes = [bytesOf(session), session.log, session.outputs, session.snapshots]
  const open = session.isOpen ? " (open)" : ""
  return `${sizes.map(size).join(" ")}  ${session.id.slice(0, 8)}  ${minute(session.changed)}  ${name}${open}`
}

/** Right-aligned, in units of a thousand. */
function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"]
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`.padStart(9)
}

const planFacts = (plan: StoragePlan) => ({
  bytes: plan.bytes,
  sessions: plan.sessions.map(({ id }) => id),
  files: plan.files.length,
  caches: plan.caches.length,
  outputs: plan.outputs.map(({ id }) => id),
  snapshots: plan.snapshots.map(({ id }) => id),
  over: plan.over,
})

function planWords({ bytes, sessions, files, caches, outputs, snapshots, over }: StoragePlan): string {
  const parts = [
    ...(sessions.length === 0 ? [] : [counted(sessions.length, "old session")]),
    ...(files.length + caches.length === 0 ? [] : [counted(files.length + caches.length, "old or cached file")]),
    ...(outputs.length === 0 ? [] : [`the outputs of ${counted(outputs.length, "session")}`]),
    ...(snapshots.length === 0 ? [] : [`the snapshots of ${counted(snapshots.length, "session")}`]),
  ]
  const freed =
    parts.length === 0
      ? "The daily clean-up would remove nothing now."
      : `The daily clean-up would free ${size(bytes).trim()}: ${parts.join(", ")}.`
  const more =
    over === 0
      ? ""
      : ` ${size(over).trim()} more than storage.totalMb stay: conversations are only removed by age (cleanupPeriodDays).`
  return `${freed}${more}`
}
