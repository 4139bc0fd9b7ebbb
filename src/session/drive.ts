/** Drives the loop turn by turn, and does what is no turn in between: one thing at a time. */

import { run } from "#agent/loop.ts"
import type { End } from "#agent/words/end.ts"
import type { ChoreName } from "#agent/words/event.ts"
import type { Attachment } from "#agent/words/kit.ts"
import type { ToolUseBlock } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import type { LogFailure } from "#ground/transcript/log.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Admission } from "./admission.ts"
import type { LiveAgent } from "./agent.ts"
import { isAtOnce, type OpAtOnce } from "./at-once.ts"
import { type Chore, type Chores, isChoreOp, workOf } from "./chores.ts"
import type { SessionHooks } from "./hooks.ts"
import type { Inbox, Waiting } from "./inbox.ts"
import type { Journal } from "./journal.ts"
import { opFailureWords } from "./op-failure-words.ts"
import { carryOutOwn } from "./own-command.ts"
import type { Unfinished } from "./repair.ts"
import type { OpFailure } from "./session.ts"
import type { Slash } from "./slash/command.ts"
import type { OwnSaid, Spoken } from "./spoken.ts"
import type { Turns } from "./turns.ts"

export interface DriverParts {
  readonly turns: Turns
  readonly journal: Pick<Journal, "record" | "recover" | "sync" | "failure" | "feed">
  readonly inbox: Inbox
  readonly agent: LiveAgent
  readonly spoken: Spoken
  readonly ids: Ids
  /** A prompt is about to be answered: how the files are now can be gone back to. */
  readonly beforePrompt: (promptId: string) => void
  readonly chores: Chores
  readonly atOnce: (op: OpAtOnce) => Result<void, OpFailure>
  /** What the program's own commands come to. */
  readonly slash: Slash
  /** Absent where no hook is configured. */
  readonly hooks?: Pick<SessionHooks, "turnBegins" | "turnFailed"> | undefined
  readonly admission?: Admission | undefined
}

export interface Driver {
  /** Takes what waits, turn after turn, unless that is happening already. */
  readonly drive: (unfinished?: Unfinished) => void
  /** What is no turn runs between turns; what is said meanwhile waits for it. */
  readonly chore: (name: ChoreName, work: Chore) => Result<void, OpFailure>
  /** Begins a turn for what kits have to tell the model, if they have anything and nothing is under way. */
  readonly wake: () => void
  readonly isBusy: () => boolean
  readonly isGuarded: () => boolean
  readonly tellQueue: () => void
  /** The same where something waits. */
  readonly tellWaiting: () => void
  readonly settled: () => Promise<void>
  /** Nothing begins after what is under way. */
  readonly stop: () => void
}

/** As it is told to the person. */
interface ChoreFailure {
  readonly level: "warning" | "error"
  readonly text: string
}

/** What a turn begins with: what was said, calls that wait, or what kits have to tell the model. */
type Turn = Waiting | Unfinished | { readonly news: readonly Attachment[] }

export function openDriver(parts: DriverParts): Driver {
  const { turns, journal, inbox, agent, spoken, ids } = parts
  const { record, feed } = journal
  let driving: Promise<void> | undefined
  let waitingShown = false
  let isStopped = false

  async function takeAll(first: Turn | undefined = inbox.take()): Promise<void> {
    try {
      for (let next = first; next && !isStopped; next = inbox.take()) {
        const end = await take(next)
        beginFresh()
        tellQueue()
        // An interrupt keeps the queue; a prompt that came after it says that it is wanted.
        if (end.reason === "aborted" && !turns.wantsQueue()) return
      }
    } finally {
      // In the same moment as the last look at the inbox, or a prompt that comes in between would wait for ever.
      driving = undefined
    }
  }

  function take(turn: Turn): Promise<End> {
    if ("calls" in turn) return throughTurn(turn.turnId, turns.begin("turn"), turn.calls)
    return "news" in turn ? takeNews(turn.news) : takeTurn(turn)
  }

  /** What was said before is forgotten, and the next thing said is all that is left of it. */
  function beginFresh(): void {
    const text = turns.takeFresh()
    if (text === undefined) return
    const first: Waiting = { promptId: ids.uuid(), content: [{ type: "text", text }], when: "queue" }
    // First of all, so that whatever ends the program now leaves it waiting.
    record({ kind: "queued", ...first })
    parts.chores.forget()
    inbox.putFirst(first)
  }

  const isGuarded = (): boolean => !journal.failure() && parts.admission?.isGuarded() === true

  function beginTurn(): { readonly turnId: string; readonly signal: AbortSignal } {
    const turnId = ids.uuid()
    const signal = turns.begin("turn")
    journal.recover()
    parts.hooks?.turnBegins()
    record({ kind: "turn_start", turnId })
    return { turnId, signal }
  }

  async function takeTurn(said: Waiting): Promise<End> {
    const own = spoken.own(said)
    const left = own ? await takeOwn(said, own) : said
    return "reason" in left ? left : takePrompt(left)
  }

  /** A command of the program; what is left of it is for the model, or its turn is over. */
  async function takeOwn(said: Waiting, own: OwnSaid): Promise<Waiting | End> {
    const signal = turns.begin("turn")
    journal.recover()
    const done = await carryOutOwn({ slash: parts.slash, perform }, own, signal)
    if (done.kind === "prompt") return { ...said, content: done.content }
    // Only now: it may have led to another place of the conversation, and the turn belongs there.
    const turnId = ids.uuid()
    record({ kind: "turn_start", turnId })
    return endTurn(turnId, spoken.over(said, { ...done, typed: own.typed }, signal))
  }

  async function takePrompt(waiting: Waiting): Promise<End> {
    const { promptId, content } = waiting
    const { turnId, signal } = beginTurn()
    const unsent = isGuarded() ? await parts.admission?.first(waiting, signal) : undefined
    if (unsent) return endTurn(turnId, unsent)
    parts.beforePrompt(promptId)
    const delivering = spoken.deliver(waiting, signal)
    const sent = delivering ? await delivering : { content }
    if ("reason" in sent) return endTurn(turnId, sent)
    record({ kind: "prompt", promptId, ...sent })
    // Whoever shows what waits has shown this, too.
    if (waitingShown) tellQueue()
    return throughTurn(turnId, signal)
  }

  /** An op of a command, done to its end before the turn of the command begins. */
  async function perform(op: Op, signal: AbortSignal): Promise<Result<void, string>> {
    if (isChoreOp(op)) {
      const done = await told(op.type, workOf(op, parts.chores), signal)
      feed.publish({ type: "chore", name: op.type, running: false })
      return done.ok ? done : failed(done.failure.text)
    }
    const done = isAtOnce(op) ? parts.atOnce(op) : ok(undefined)
    return done.ok ? done : failed(opFailureWords(done.failure))
  }

  /** Drives the loop until the turn ends, and records how it did. */
  async function throughTurn(turnId: string, signal: AbortSignal, calls: readonly ToolUseBlock[] = []): Promise<End> {
    // What cannot be recorded does not happen: not in the turn in which the log failed, nor in a later one.
    if (journal.failure()) turns.interrupt()
    const end = await run(agent, signal, calls).catch(mistake)
    const failure = journal.failure()
    const honest: End = failure ? { reason: "error", cause: "log", message: logWords(failure) } : end
    if (honest.reason === "error" && !failure) await parts.hooks?.turnFailed(honest, signal)
    return endTurn(turnId, honest)
  }

  async function endTurn(turnId: string, end: End): Promise<End> {
    record({ kind: "turn_end", turnId, ...end })
    turns.end()
    await journal.sync()
    return end
  }

  /** A chore from the moment that it is announced; a log that failed lets nothing happen. */
  async function told(name: ChoreName, work: Chore, signal: AbortSignal): Promise<Result<void, ChoreFailure>> {
    feed.publish({ type: "chore", name, running: true })
    const failure = journal.failure()
    if (failure) return failed({ level: "error", text: unsavedChoreWords(failure) })
    try {
      const done = await work(signal)
      return done.ok ? done : failed({ level: "warning", text: done.failure })
    } catch (error) {
      return failed({ level: "error", text: mistakeWords(error) })
    }
  }

  async function runChore(name: ChoreName, work: Chore): Promise<void> {
    const done = await told(name, work, turns.begin("chore"))
    if (!done.ok) record({ kind: "notice", ...done.failure })
    turns.end()
    feed.publish({ type: "chore", name, running: false })
    await journal.sync()
    // What waited before it, or was said before it was interrupted, goes on waiting for the person.
    if (turns.wantsQueue()) await takeAll()
    else driving = undefined
  }

  function takeNews(news: readonly Attachment[]): Promise<End> {
    const { turnId, signal } = beginTurn()
    for (const attachment of news) record({ kind: "attachment", ...attachment })
    return throughTurn(turnId, signal)
  }

  function tellQueue(): void {
    const texts = inbox.texts()
    waitingShown = texts.length > 0
    feed.publish({ type: "queue_change", texts })
  }

  return {
    drive(unfinished) {
      // Not before the door is handed out: what continues may want it.
      driving ??= unfinished ? Promise.resolve(unfinished).then(takeAll) : takeAll()
    },
    chore(name, work) {
      if (driving) return failed({ kind: "working" })
      driving = runChore(name, work)
      return ok(undefined)
    },
    wake() {
      if (driving || isStopped || journal.failure()) return
      const news = agent.news()
      if (news.length > 0) driving = takeAll({ news })
    },
    isBusy: () => driving !== undefined,
    isGuarded,
    tellQueue,
    tellWaiting: () => inbox.texts().length > 0 && tellQueue(),
    async settled() {
      while (driving) await driving
    },
    stop: () => void (isStopped = true),
  }
}

const mistake = (error: unknown): End => ({ reason: "error", cause: "mistake", message: mistakeWords(error) })

const mistakeWords = (error: unknown): string =>
  `Codewright made a mistake of its own: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`

const logWords = (failure: LogFailure): string =>
  `${unsavedWords(failure)} The turn was ended so that nothing happens unrecorded.`

const unsavedChoreWords = (failure: LogFailure): string =>
  `${unsavedWords(failure)} Nothing was done, because nothing may happen unrecorded.`

const unsavedWords = ({ message, path }: LogFailure): string => `The session could not be saved: ${message} (${path}).`
