/** Drives the loop turn by turn, and runs chores in between: one thing at a time. */

import type { End } from "#agent/words/end.ts"
import type { ChoreName } from "#agent/words/event.ts"
import { textOf } from "#agent/words/message.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type TurnRunnerParts, openTurnRunner, type TurnStart } from "./turn-runner.ts"
import type { Chore } from "./chores.ts"
import { type ChoreRunnerParts, openChoreRunner } from "./chore-runner.ts"
import type { Inbox, WaitingPrompt } from "#session/journal/inbox.ts"
import type { Unfinished } from "#session/journal/repair.ts"
import type { OpFailure } from "#session/port/session.ts"

export interface DriverParts extends TurnRunnerParts, ChoreRunnerParts {
  readonly journal: TurnRunnerParts["journal"]
  readonly inbox: Inbox
}

export interface Driver {
  /** Takes what waits, turn after turn, unless it is already doing so. */
  readonly drive: (unfinished?: Unfinished) => void
  /** Runs between turns; prompts submitted meanwhile wait for it. */
  readonly chore: (name: ChoreName, work: Chore) => Result<void, OpFailure>
  /** If kits have anything to tell the model, starts a turn for it after what is running. */
  readonly wake: () => void
  readonly isBusy: () => boolean
  readonly isGuarded: () => boolean
  readonly publishQueue: () => void
  /** The same if anything waits. */
  readonly publishWaiting: () => void
  readonly settled: () => Promise<void>
  /** Nothing new starts after what is running. */
  readonly stop: () => void
}

export function openDriver(parts: DriverParts): Driver {
  const { turns, journal, inbox, agent, ids } = parts
  const { record, feed } = journal
  const choreRunner = openChoreRunner(parts)
  const queue = openQueueNotices(parts)
  const begins = openTurnRunner(parts, choreRunner.runOp, queue)
  let driving: Promise<void> | undefined
  let isStopped = false
  /** A kit had news while something was running, perhaps too late to be noticed there. */
  let isStirred = false

  async function runWaiting(first: TurnStart | undefined = inbox.next()): Promise<void> {
    try {
      for (let next = first; next && !isStopped; next = inbox.next()) {
        const end = await ("as" in next && next.as === "shell" ? runShell(next) : begins.run(next))
        beginFresh()
        if ("holds" in next && end.reason === "completed") inbox.pause()
        queue.publish()
        // An interrupt keeps the queue; a prompt that came after it releases it.
        if (end.reason !== "aborted" || turns.wantsQueue()) continue
        isStirred = false
        return
      }
    } finally {
      // In the same tick as the last look at the inbox; otherwise a prompt in between would wait forever.
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
    if (news.length > 0) driving = runWaiting({ news })
  }

  /** Clears the conversation and starts over with the next prompt alone. */
  function beginFresh(): void {
    const text = turns.consumeFreshStart()
    if (text === undefined) return
    const first: WaitingPrompt = {
      promptId: ids.uuid(),
      content: [{ type: "text", text }],
      when: "queue",
      // The model wrote most of it: the plan.
      origin: { kind: "made" },
    }
    // First of all, so that it still waits if the program ends now.
    record({ kind: "queued", ...first })
    parts.chores.forget()
    inbox.putFirst(first)
  }

  async function runShell({ promptId, content }: WaitingPrompt): Promise<Pick<End, "reason">> {
    const signal = turns.begin("chore")
    await during("shell", (ended) => parts.chores.shell(textOf(content), ended, promptId), signal)
    return { reason: signal.aborted ? "aborted" : "completed" }
  }

  async function during(name: ChoreName, work: Chore, signal: AbortSignal): Promise<void> {
    const done = await choreRunner.run(name, work, signal)
    if (!done.ok) record({ kind: "notice", ...done.failure })
    turns.end()
    feed.publish({ type: "chore", name, running: false })
    await journal.sync()
  }

  async function runChore(name: ChoreName, work: Chore): Promise<void> {
    await during(name, work, turns.begin("chore"))
    // What waited before, or was said before the interrupt, keeps waiting for the user.
    if (turns.wantsQueue()) await runWaiting()
    else rest()
  }

  return {
    drive(unfinished) {
      if (!unfinished && inbox.texts().length === 0) return
      // Not before the session is handed out: what continues may need it.
      driving ??= unfinished ? Promise.resolve(unfinished).then(runWaiting) : runWaiting()
    },
    chore(name, work) {
      if (driving) return failed({ kind: "working" })
      driving = runChore(name, work)
      return ok(undefined)
    },
    wake,
    isBusy: () => driving !== undefined,
    isGuarded: begins.isGuarded,
    publishQueue: queue.publish,
    publishWaiting: () => inbox.texts().length > 0 && queue.publish(),
    async settled() {
      while (driving) await driving
    },
    stop: () => void (isStopped = true),
  }
}

/** Tells watchers what waits, and remembers whether they were told of anything. */
function openQueueNotices({ inbox, journal }: Pick<DriverParts, "inbox" | "journal">): {
  readonly publish: () => void
  readonly isShown: () => boolean
} {
  let isShown = false
  return {
    publish() {
      const texts = inbox.texts()
      isShown = texts.length > 0
      journal.feed.publish({ type: "queue_change", texts })
    },
    isShown: () => isShown,
  }
}
