/** The turns of a conversation with a client: one for each message, and those that begin by themselves. Each has a result. */

import type { Event } from "#agent/words/event.ts"
import { type BackgroundWait, openBackgroundTasks, stopWords } from "#faces/headless/background.ts"
import { openTasksOf } from "#faces/headless/open-tasks.ts"
import { joinTallies, type Tally } from "#faces/headless/tally.ts"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { Session } from "#session/port/session.ts"
import type { MessageStream } from "./message-stream.ts"
import type { Pace } from "./pace.ts"
import type { Prompts, WaitingMessage } from "./prompts.ts"
import type { StateTelling } from "./session-state.ts"

export interface TurnParts {
  readonly session: Session
  readonly messages: MessageStream
  readonly prompts: Pick<Prompts, "ids">
  readonly state: StateTelling
  readonly pace: Pace
  readonly backgroundWait: BackgroundWait
  readonly warn: (line: string) => void
  readonly clock: Clock
  readonly stop: AbortSignal
  /** Whether no more messages can come. */
  readonly isInputOver: () => boolean
  /** Called after each event. */
  readonly onEvent: (event: Event) => Promise<void>
}

export interface Turns {
  /** One event after the other, so that messages keep the order of what happened. */
  readonly narrate: (events: AsyncIterable<Event>) => Promise<void>
  readonly answer: (message: WaitingMessage) => Promise<void>
  /** Hands a message to the turn that is under way: its result answers it too, unless it ends before. */
  readonly steer: (message: WaitingMessage) => Promise<void>
  /** Ends what runs, or the turn of the message that is just being handed over. */
  readonly interrupt: (withdraw?: "client") => void
  /** Whether no turn is under way; its result may still be on its way to the client. */
  readonly isOver: () => boolean
  /** Those handed over and not taken up yet. */
  readonly steered: () => readonly string[]
  /** Waits for background work as long as that may take. What the model says to it is the last result. */
  readonly finish: () => Promise<void>
  readonly last: () => Tally | undefined
  /** What all requests took together. */
  readonly apiMs: () => number
}

export function openTurns(parts: TurnParts): Turns {
  const { session, messages, prompts, state, stop } = parts
  const backgroundTasks = openBackgroundTasks({
    ...parts,
    limits: parts.backgroundWait,
    signal: stop,
    onStop: (task) => parts.warn(stopWords(task)),
  })
  let last: Tally | undefined
  let apiMs = 0
  /** The last turn, when no more messages come: what runs in the background may still continue it. */
  let pendingResult: Tally | undefined
  let turn = deferred<void>()
  let isOver = true
  /** The prompt whose turn is awaited, until that turn takes it up. */
  let awaited: string | undefined
  const steered = new Map<string, WaitingMessage>()

  const submit = ({ id: promptId, content, as, typed }: WaitingMessage, when: "queue" | "steer") =>
    session.submit({
      type: "prompt",
      content,
      when,
      promptId,
      ...(typed !== undefined && { origin: { kind: "piped", words: typed } }),
      ...(as === "text" && { as, origin: { kind: "made" } }),
    })

  /** What was handed to a turn is taken up, refused or withdrawn. */
  function takeSteered(event: Event): void {
    const taken = promptIn(event)
    const message = taken === undefined ? undefined : steered.get(taken)
    if (message) messages.join(message)
    if (taken !== undefined) steered.delete(taken)
    if (event.type === "entry" && event.entry.kind === "withdrawn") steered.clear()
  }

  async function resting(): Promise<Tally | undefined> {
    await session.ask({ type: "settled" })
    await parts.pace.quiet(stop)
    return last
  }

  function begins(): void {
    isOver = false
    state.works()
  }

  return {
    last: () => last,
    isOver: () => isOver,
    interrupt(withdraw) {
      if (awaited !== undefined && withdraw === undefined) void interruptWhenTaken(session, awaited)
      void session.submit({ type: "interrupt", ...(withdraw && { withdraw }) })
    },
    apiMs: () => apiMs,
    async narrate(events) {
      for await (const event of events) {
        takeSteered(event)
        const ended = await parts.pace.writing(() => messages.onEvent(event))
        await parts.onEvent(event)
        if (awaited !== undefined && promptIn(event) === awaited) awaited = undefined
        if (event.type === "entry" && event.entry.kind === "turn_start") begins()
        if (!ended) continue
        isOver = awaited === undefined || ended.end?.reason === "aborted"
        last = ended
        apiMs += ended.apiMs
        if (parts.isInputOver() && prompts.ids().length === 0 && !stop.aborted)
          pendingResult = pendingResult ? joinTallies(pendingResult, ended) : ended
        else await messages.sendResult(ended, { background: await backgroundTasks.list() })
        // A turn that began by itself may end just when a message comes; an interrupt ends everything.
        if (awaited !== undefined && ended.end?.reason !== "aborted") continue
        turn.resolve()
        // An interrupt leaves what was steered waiting, and nobody else would deliver it.
        if (steered.size > 0 && ended.end?.reason === "aborted") void session.submit({ type: "release" })
        if (prompts.ids().length === 0 && !pendingResult) state.rests()
      }
      turn.resolve()
    },
    steered: () => [...steered.keys()],
    async steer(message) {
      steered.set(message.id, message)
      const taken = await submit(message, "steer")
      if (taken.ok) return
      steered.delete(message.id)
      last = await messages.refuse(opFailureWords(taken.failure))
    },
    async answer(message) {
      turn = deferred()
      awaited = message.id
      begins()
      messages.expect(message)
      const taken = await submit(message, "queue")
      if (taken.ok) await turn.promise
      else last = await messages.refuse(opFailureWords(taken.failure))
      awaited = undefined
      if (!taken.ok && prompts.ids().length === 0) state.rests()
    },
    async finish() {
      for (let before = await resting(); !stop.aborted; before = await resting()) {
        if (before?.end?.reason !== "completed") break
        if (!(await backgroundTasks.wait()) && before === (await resting())) break
      }
      await (last?.end?.reason === "max_budget" ? backgroundTasks.drain() : backgroundTasks.end())
      if (pendingResult)
        await messages.sendResult(pendingResult, {
          background: await backgroundTasks.tasks(),
          openTasks: await openTasksOf(session),
        })
      await parts.pace.quiet(stop)
      state.rests()
    },
  }
}

/** The session may still be ending the turn before, and has nothing to interrupt then. */
async function interruptWhenTaken(session: TurnParts["session"], id: string): Promise<void> {
  for await (const event of session.events("now")) {
    if (promptIn(event) === id) return void (await session.submit({ type: "interrupt" }))
    if (event.type === "entry" && event.entry.kind === "withdrawn") return
  }
}

function promptIn(event: Event): string | undefined {
  if (event.type !== "entry") return undefined
  const { entry } = event
  return entry.kind === "prompt" || entry.kind === "command" || entry.kind === "unsent" ? entry.promptId : undefined
}
