/** `codewright rewind`: files and conversation of a session go back to before a prompt, and forth again. */

import { existsSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import type { Op } from "#agent/words/op.ts"
import { type RewindPoint, type RewindPreview } from "#kits/checkpoints/checkpoints.ts"
import { pointsOf } from "#kits/checkpoints/report.ts"
import { stripControls } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Session } from "#session/port/session.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import type { Io } from "#faces/cli/io.ts"
import { openUnmodelled } from "./open-unmodelled.ts"
import { type ReadSession, readSession } from "./read-session.ts"
import { shownIn, storeOf } from "./read-store.ts"
import { folderOfLine } from "#kits/checkpoints/words.ts"
import { excludedIn, leftBehind, pointLines, previewLines, restoredLines } from "./rewind-lines.ts"
import { whereWeAre, type Where } from "#faces/cli/where.ts"

type RewindFlag = "to" | "files" | "conversation" | "dry-run" | "force" | "redo" | "json" | "help"

const table: readonly Flag<RewindFlag>[] = [
  {
    name: "to",
    kind: "value",
    takes: "prompt",
    about: "Rewind to before this prompt: its number in the list, or its id.",
  },
  { name: "files", kind: "switch", about: "Rewind only the files." },
  { name: "conversation", kind: "switch", about: "Rewind only the conversation." },
  { name: "dry-run", also: ["-n"], kind: "switch", about: "Show what would change, and change nothing." },
  { name: "force", also: ["-f"], kind: "switch", about: "Also overwrite files changed outside the session." },
  { name: "redo", kind: "switch", about: "Undo the last rewind." },
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright rewind <session> [--to <prompt>] [options]"],
  about:
    "Without --to, lists the prompts you can rewind to. The first characters of an id are enough if only one " +
    "session matches. The session must not be open elsewhere. To undo a rewind: --redo. " +
    "Exit code 3 means that something could not be restored; the output names it.",
  table,
}

export async function rewindCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = readCommand(argv, table, help, io)
  if (typeof args === "number") return args
  const mistake = mistakeIn(args)
  if (mistake !== undefined) return io.fail(mistake)
  const where = whereWeAre()
  const found = await readSession(args.rest[0], where)
  if (!found.ok) return io.fail(found.failure)
  const session = found.value
  for (const note of session.notes) io.warn(note)
  const show = shownIn(session.row.cwd)
  const snapshots = storeOf(session.entries, session.row.cwd, where.state)
  const points = pointsOf(session.entries, session.path, { snapshots, show, name: show })
  const to = args.value("to")
  if (to === undefined && !args.has("redo")) return list(session, points, args, io)
  const place = to === undefined ? undefined : placeOf(to, points)
  if (place && !place.ok) return io.fail(place.failure)
  return act({ session, points, at: place?.value, args, where, io })
}

function mistakeIn(args: Arguments<RewindFlag>): string | undefined {
  const has = (...names: readonly RewindFlag[]): RewindFlag | undefined => names.find((name) => args.has(name))
  if (args.rest.length !== 1)
    return "rewind takes one session id, or the first characters of one. Run codewright rewind --help for details."
  if (args.has("files") && args.has("conversation"))
    return "Use --files or --conversation, not both. Without either, both are rewound."
  const beside = args.has("redo") ? has("to", "files", "conversation", "dry-run", "force") : undefined
  if (beside) return `--redo cannot be combined with --${beside}.`
  const alone = args.has("to") || args.has("redo") ? undefined : has("files", "conversation", "dry-run", "force")
  if (alone) return `--${alone} needs --to and a prompt. To list the prompts, leave out both.`
  if (args.has("conversation") && args.has("force"))
    return "--force applies to files, and --conversation does not change files. Use one of them."
  return undefined
}

function list(
  { row, entries }: ReadSession,
  points: readonly RewindPoint[],
  args: Arguments<RewindFlag>,
  io: Io,
): number {
  if (args.has("json")) {
    const prompts = points.map((point, index) => ({ number: index + 1, ...point }))
    io.write(`${JSON.stringify({ session: row.id, cwd: row.cwd, prompts }, null, 2)}\n`)
    return 0
  }
  io.say(pointLines(row, points, excludedIn(entries)).join("\n"))
  return 0
}

/** By its number or the start of one of its ids. */
function placeOf(to: string, points: readonly RewindPoint[]): Result<number, string> {
  if (points.length === 0) return failed("This session has no prompts, so there is nothing to rewind to.")
  if (/^\d{1,6}$/.test(to)) {
    const index = Number(to) - 1
    const range = points.length === 1 ? "The only prompt is 1" : `The prompts are 1 to ${points.length}`
    return points[index] ? ok(index) : failed(`No prompt ${to}. ${range}.`)
  }
  const wanted = to.trim().toLowerCase()
  const fits = (id: string): boolean => wanted !== "" && id.toLowerCase().startsWith(wanted)
  const found = points.flatMap(({ uuid, promptId }, index) => (fits(uuid) || fits(promptId) ? [index] : []))
  const [first, ...more] = found
  if (first === undefined) return failed(`No prompt has the number or id '${to}'. To list the prompts, leave out --to.`)
  return more.length === 0 ? ok(first) : failed(`${found.length} prompt ids start with '${to}'. Give more characters.`)
}

interface Act {
  readonly session: ReadSession
  readonly points: readonly RewindPoint[]
  /** Undefined undoes the last rewind. */
  readonly at: number | undefined
  readonly args: Arguments<RewindFlag>
  readonly where: Where
  readonly io: Io
}

async function act({ session: { row, entries }, points, at, args, where, io }: Act): Promise<number> {
  if (!existsSync(row.cwd)) return io.fail(`The session's folder ${row.cwd} no longer exists.`)
  const opened = await openUnmodelled(row, where, excludedIn(entries).map(folderOfLine))
  if (!opened.ok) return io.fail(opened.failure.message)
  const session = opened.value
  try {
    const point = at === undefined ? undefined : points[at]
    const what = args.has("files") ? "files" : args.has("conversation") ? "conversation" : "both"
    const about = { session: row.id, ...(point && { to: { number: (at ?? 0) + 1, ...point }, what }) }
    const write = (json: object, lines: readonly string[]): void => {
      const text = args.has("json") ? JSON.stringify({ ...about, ...json }, null, 2) : stripControls(lines.join("\n"))
      io.write(`${text}\n`)
    }
    if (point && args.has("dry-run")) {
      const preview = await previewOf(session, point, what)
      if (!preview.ok) return io.fail(preview.failure)
      const left = points.length - (at ?? 0)
      write(preview.value, previewLines(preview.value, { what, left, force: args.has("force") }))
      return 0
    }
    const force = args.has("force") && { force: true }
    const op: Op = point ? { type: "rewind", promptId: point.promptId, what, ...force } : { type: "redo" }
    const done = await carryOut(session, op)
    if (!done.ok) return io.fail(done.failure)
    const { files, gaps = [] } = done.value
    const isPartial = leftBehind(done.value) > 0
    write(
      { restored: files ?? null, gaps, partial: isPartial },
      restoredLines(done.value, { row, what, isRedo: !point, excluded: excludedIn(entries) }),
    )
    return isPartial ? partlyRewound : 0
  } finally {
    await session.close()
  }
}

async function previewOf(
  session: Session,
  { promptId }: RewindPoint,
  what: "files" | "conversation" | "both",
): Promise<Result<RewindPreview, string>> {
  if (what === "conversation") return ok({ files: [], conflicts: [], uncovered: [] })
  return session.ask({ type: "preview", promptId })
}

/** Not 1: something was done, and a script must not take the session for unchanged. */
const partlyRewound = 3

/** Closes the session at once: a queued prompt must wait for later. */
async function carryOut(session: Session, op: Op): Promise<Result<Entry & { readonly kind: "head" }, string>> {
  const { opened } = await session.ask({ type: "about" })
  const events = session.events(opened)
  const submitted = await session.submit(op)
  if (!submitted.ok) return failed(`The session cannot do that now (${submitted.failure.kind}).`)
  let done: Result<Entry & { readonly kind: "head" }, string> = failed("The rewind did nothing.")
  for await (const event of events) {
    if (event.type === "entry" && event.entry.kind === "head") done = ok(event.entry)
    if (event.type === "entry" && event.entry.kind === "notice" && event.entry.level !== "info")
      done = failed(event.entry.text)
    if (event.type === "chore" && !event.running) void session.close()
  }
  return done
}
