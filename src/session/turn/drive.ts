/** Drives the loop turn by turn, and does what is no turn in between: one thing at a time. */

import type { End } from "#agent/words/end.ts"
import type { ChoreName } from "#agent/words/event.ts"
import type { Attachment } from "#agent/words/kit.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Admission } from "./admission.ts"
import type { Chore } from "./chores.ts"
import { type ErrandParts, openErrands } from "./errands.ts"
import type { Inbox, Waiting } from "#session/journal/inbox.ts"
import { mistake, type OneTurnParts, openOneTurn } from "./one-turn.ts"
import { mistakeWords } from "./mistake-words.ts"
import { carryOutOwn, type OwnOutcome } from "#session/joints/own-command.ts"
import type { Unfinished } from "#session/journal/repair.ts"
import type { OpFailure } from "#session/port/session.ts"
import type { Slash } from "#session/port/command.ts"
import type { OwnSaid, SaidPrompt, Spoken } from "./spoken.ts"

export interface DriverParts extends OneTurnParts, ErrandParts {
  readonly journal: OneTurnParts["journal"]
  readonly inbox: Inbox
  readonly spoken: Spoken
  /** A prompt is about to be answered: how the files are now can be gone back to. */
  readonly beforePrompt: (promptId: string) => void
  /** What the program's own commands come to. */
  readonly slash: Slash
  readonly admission?: Admission | undefined
}

export interface Driver {
  /** Takes what waits, turn after turn, unless that is happening already. */
  readonly drive: (unfinished?: Unfinished) => void
  /** What is no turn runs between turns; what is said meanwhile waits for it. */
  readonly chore: (name: ChoreName, work: Chore) => Result<void, OpFailure>
  /** Begins a turn for what kits have to tell the model, if they have anything, after what is under way. */
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

/** What a turn begins with: what was said, calls that wait, or what kits have to tell the model. */
type Turn = Waiting | Unfinished | { readonly news: readonly Attachment[] }

export function openDriver(parts: DriverParts): Driver {
  const { turns, journal, inbox, agent, spoken, ids } = parts
  const { record, feed } = journal
  const turn = openOneTurn(parts)
  const errands = openErrands(parts)
  const queue = openQueueTelling(parts)
  let driving: Promise<void> | undefined
  let isStopped = false
  /** A kit had something to say while something was under way, and it may have been too late to be heard there. */
  let isStirred = false

  async function takeAll(first: Turn | undefined = inbox.take()): Promise<void> {
    try {
      for (let next = first; next && !isStopped; next = inbox.take()) {
        const end = await take(next)
        beginFresh()
        queue.tell()
        // An interrupt keeps the queue; a prompt that came after it says that it is wanted.
        if (end.reason !== "aborted" || turns.wantsQueue()) continue
        isStirred = false
        return
      }
    } finally {
      // In the same moment as the last look at the inbox, or a prompt that comes in between would wait for ever.
      rest()
    }
  }

  function rest(): void {
    driving = undefined
    if (isStirred) wake()
  }

  function wake(): void {
    isStirred = driving !== undefined
    if (driving || isStopped || journal.failure()) return
    const news = agent.news()
    if (news.length > 0) driving = takeAll({ news })
  }

  function take(next: Turn): Promise<End> {
    if ("calls" in next) return turn.through(next.turnId, turns.begin("turn"), next.calls)
    return "news" in next ? takeNews(next.news) : takeTurn(next)
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

  async function takeTurn(said: Waiting): Promise<End> {
    const own = spoken.own(said)
    const left = own ? await takeOwn(said, own) : said
    return "reason" in left ? left : takePrompt(left)
  }

  /** A command of the program; what is left of it is for the model, or its turn is over. */
  async function takeOwn(said: Waiting, own: OwnSaid): Promise<Waiting | End> {
    const signal = turns.begin("turn")
    journal.recover()
    const done = await carryOutOwn({ slash: parts.slash, perform: errands.perform }, own, signal).catch(
      (error: unknown): OwnOutcome => ({ kind: "over", text: mistakeWords(error), isError: true }),
    )
    if (done.kind === "prompt") return { ...said, content: done.content }
    // Only now: it may have led to another place of the conversation, and the turn belongs there.
    const turnId = ids.uuid()
    record({ kind: "turn_start", turnId })
    return turn.end(turnId, spoken.over(said, { ...done, typed: own.typed }, signal))
  }

  async function takePrompt(waiting: Waiting): Promise<End> {
    const { promptId } = waiting
    const { turnId, signal } = turn.begin()
    const sent = await admitted(waiting, signal).catch(mistake)
    if ("reason" in sent) return turn.end(turnId, sent)
    record({ kind: "prompt", promptId, ...sent })
    // Whoever shows what waits has shown this, too.
    if (queue.isShown()) queue.tell()
    return turn.through(turnId, signal)
  }

  /** What is sent of a prompt, or how its turn ends without it. */
  async function admitted(waiting: Waiting, signal: AbortSignal): Promise<SaidPrompt | End> {
    const unsent = isGuarded() ? await parts.admission?.first(waiting, signal) : undefined
    if (unsent) return unsent
    parts.beforePrompt(waiting.promptId)
    return spoken.deliver(waiting, signal) ?? { content: waiting.content }
  }

  async function runChore(name: ChoreName, work: Chore): Promise<void> {
    const done = await errands.begin(name, work, turns.begin("chore"))
    if (!done.ok) record({ kind: "notice", ...done.failure })
    turns.end()
    feed.publish({ type: "chore", name, running: false })
    await journal.sync()
    // What waited before it, or was said before it was interrupted, goes on waiting for the person.
    if (turns.wantsQueue()) await takeAll()
    else rest()
  }

  function takeNews(news: readonly Attachment[]): Promise<End> {
    const { turnId, signal } = turn.begin()
    for (const attachment of news) record({ kind: "attachment", ...attachment })
    return turn.through(turnId, signal)
  }

  return {
    drive(unfinished) {
      if (!unfinished && inbox.texts().length === 0) return
      // Not before the door is handed out: what continues may want it.
      driving ??= unfinished ? Promise.resolve(unfinished).then(takeAll) : takeAll()
    },
    chore(name, work) {
      if (driving) return failed({ kind: "working" })
      driving = runChore(name, work)
      return ok(undefined)
    },
    wake,
    isBusy: () => driving !== undefined,
    isGuarded,
    tellQueue: queue.tell,
    tellWaiting: () => inbox.texts().length > 0 && queue.tell(),
    async settled() {
      while (driving) await driving
    },
    stop: () => void (isStopped = true),
  }
}

/** Tells whoever watches what waits, and knows whether they were told of anything. */
function openQueueTelling({ inbox, journal }: Pick<DriverParts, "inbox" | "journal">): {
  readonly tell: () => void
  readonly isShown: () => boolean
} {
  let isShown = false
  return {
    tell() {
      const texts = inbox.texts()
      isShown = texts.length > 0
      journal.feed.publish({ type: "queue_change", texts })
    },
    isShown: () => isShown,
  }
}
