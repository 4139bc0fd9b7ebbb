/** `codewright logs`: what a session said and did, and with `--follow` what it says and does from now on. */

import type { Entry } from "#agent/words/entry.ts"
import { progressOf } from "#fleet/background/progress.ts"
import { partsOf } from "#faces/document/parts.ts"
import { plainDocument } from "#faces/document/plain.ts"
import { followLog } from "#ground/transcript/follow.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { isAfterGap, pathOf } from "#ground/transcript/path.ts"
import { openStoredLog, type StoredLog } from "#ground/transcript/stored-log.ts"
import { approvalOf } from "#session/port/approval.ts"
import { systemClock } from "#lib/clock.ts"
import { stripControls } from "#lib/printable.ts"
import { openJobs } from "#fleet/background/jobs.ts"
import type { Io } from "#faces/cli/io.ts"
import type { OneCall } from "./session-command-call.ts"
import { logsOf } from "./job-places.ts"
import { pickListed } from "./pick-listed.ts"
import type { ListedSession } from "./session-list.ts"
import { startHost } from "./start-host.ts"

export async function logs({ args, words, where, io }: OneCall): Promise<number> {
  if (words.length > 1) return io.fail("logs takes one session. Put a name with spaces in quotes.")
  const picked = await pickListed(words[0], where)
  if (!picked.ok) return io.fail(picked.failure)
  const { session, list } = picked.value
  if (list.isDue) await startHost(where.state)
  const path = session.path ?? logsOf(where.state, session.cwd).logPath(session.id)
  const form = args.has("json") ? "json" : "text"
  if (args.has("follow")) return follow(session, { path, form, state: where.state, io })
  const log = openStoredLog(path)
  if (!log.ok) return io.fail(session.path === undefined ? notBegun(session) : "The log cannot be read.")
  for (const text of form === "json" ? jsonLines(log.value) : textPieces(log.value)) {
    io.write(text)
    await io.flushed()
  }
  if (form === "text") for (const line of openQuestions(log.value.list())) io.say(line)
  return 0
}

function* jsonLines({ entries }: StoredLog): Generator<string> {
  for (const entry of entries) yield `${JSON.stringify(entry)}\n`
}

function* textPieces({ conversation }: StoredLog): Generator<string> {
  let between = ""
  for (const { entries, isAfterGap: isGap } of conversation()) {
    const text = plainDocument(partsOf(entries, isGap))
    if (text === "") continue
    yield between + text
    between = "\n"
  }
}

const notBegun = ({ id, last }: ListedSession): string => `${id.slice(0, 8)} has not begun yet: ${last}`

export function logText(entries: readonly Entry[]): string {
  const path = pathOf(entries)
  return plainDocument(partsOf(path, (index) => isAfterGap(path, index)))
}

const openQuestions = (entries: readonly Entry[]): readonly string[] =>
  progressOf(entries).questions.map((question) => `? ${stripControls(approvalOf(question).title)}`)

/** Prints each part once it is complete; ends with the session's turn, or when it needs somebody. */
async function follow(
  { id }: ListedSession,
  parts: { readonly path: string; readonly form: "json" | "text"; readonly state: string; readonly io: Io },
): Promise<number> {
  const { path, form, state, io } = parts
  const followed = followLog(path, "beginning")
  void io.untilStopped().then(followed.close)
  const entries: Entry[] = []
  let shown = ""
  const jobs = openJobs(state, process.pid)
  /** Whether something was sent to it that came after this. */
  const isPending = (at: number): boolean =>
    (jobs.get(id)?.prompts.length ?? 0) > 0 ||
    (["mail", "reading"] as const).some((mark) => at < (jobs.marked(id, mark)?.at ?? 0))
  /** A prompt leaves its file a moment after its turn is in the log, and the log says nothing of that. */
  function endIfOver(): void {
    const last = entries.at(-1)
    if (last === undefined || !isResting(last) || isPending(last.at) || goesOn(path)) return
    if (form === "text") for (const line of openQuestions(entries)) io.say(line)
    followed.close()
  }
  const over = new AbortController()
  // Also keeps the process: what watches a file does not, and the runtime would wait for that without ever sleeping.
  const looking = lookAgain(endIfOver, over.signal)
  for await (const entry of followed.entries) {
    entries.push(entry)
    if (form === "json") io.write(`${JSON.stringify(entry)}\n`)
    else if (isWhole(entry)) {
      const text = logText(entries)
      // A rewind makes it shorter, and then nothing is new.
      io.write(text.startsWith(shown) ? text.slice(shown.length) : text)
      shown = text
    }
    endIfOver()
  }
  over.abort()
  await looking
  return 0
}

const lookMs = 500

async function lookAgain(check: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await systemClock.sleep(lookMs, signal)
    if (!signal.aborted) check()
  }
}

/** By its whole log: what was read so far may be long ago. */
function goesOn(path: string): boolean {
  const loaded = loadTail(path, { torn: "leave" })
  const { state, isDue } = progressOf(loaded.ok ? loaded.value.entries : [])
  return state === "working" || isDue
}

const isWhole = ({ kind }: Entry): boolean => ["prompt", "reply_end", "result", "notice", "turn_end"].includes(kind)

const isResting = ({ kind }: Entry): boolean => kind === "turn_end" || kind === "question"
