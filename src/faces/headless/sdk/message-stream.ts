/** Tells a conversation turn by turn, in the order that clients rely on: one `init`, what happens, one `result`. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import type { BackgroundTask } from "#faces/headless/background.ts"
import type { OpenTask } from "#faces/headless/open-tasks.ts"
import { apiFailure, errorText, errorWord, resultMessage } from "#faces/headless/result.ts"
import { foldTally, noTally, type Tally } from "#faces/headless/tally.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Session } from "#session/port/session.ts"
import { type Answerable, openAnswered } from "./answered.ts"
import type { CommandChanges } from "./command-changes.ts"
import { openEventMemory } from "./event-memory.ts"
import { syntheticAssistant, syntheticUser } from "./entry-message.ts"
import type { Envelope } from "./envelope.ts"
import { isHookEvent } from "./hook-messages.ts"
import { type InitParts, initMessage } from "./init-message.ts"
import { openLiveTasks } from "./live-tasks.ts"
import { sdkMessages, type MessageOptions } from "./messages.ts"
import { openTaskRuns } from "./task-runs.ts"
import { isTeamEvent, openTeamNews } from "./team-messages.ts"

export interface MessageStreamParts extends InitParts {
  readonly session: Pick<Session, "ask">
  readonly send: (message: object) => void
  readonly envelope: Envelope
  readonly messageOptions: MessageOptions
  readonly factsOf: (model: string) => ModelFacts
  readonly clock: Clock
  /** For clients that keep a list of the commands. */
  readonly commands?: CommandChanges
  /** How many messages of the client wait for their turn. */
  readonly queued?: () => number
  /** What is told when a prompt is taken up, for clients that want their messages back. */
  readonly replay?: (prompt: Extract<Entry, { readonly kind: "prompt" | "command" }>) => object | undefined
}

export interface ResultContext {
  readonly background?: readonly BackgroundTask[]
  readonly openTasks?: readonly OpenTask[]
  /** Done once the result is certain, and before it is told. */
  readonly before?: () => Promise<void>
}

export interface MessageStream {
  /** Tells one event; resolves when that is done. The tally is that of a turn that just ended: it is to be sendResultd, or another turn continues it. */
  readonly onEvent: (event: Event) => Promise<Tally | undefined>
  /** The result, and what comes just before it. */
  readonly sendResult: (tally: Tally, more?: ResultContext) => Promise<void>
  /** A prompt was handed to the session: whatever happens next belongs to its turn. */
  readonly expect: (asked?: Answerable) => void
  /** The turn that is under way, or begins now, answers this too. */
  readonly join: (asked: Answerable) => void
  /** What goes on in the background now. */
  readonly liveTasks: () => object
  /** A result for a prompt that the session did not take. */
  readonly refuse: (message: string) => Promise<Tally>
}

export function openMessageStream(parts: MessageStreamParts): MessageStream {
  const { session, envelope, clock } = parts
  const memory = openEventMemory()
  const answered = openAnswered()
  const live = openLiveTasks(envelope)
  const runs = openTaskRuns(clock.now)
  const team = openTeamNews(envelope)
  const send = (message: object): void => parts.send(answered.mark(message))
  const sendAll = (messages: readonly object[]): void => messages.forEach(send)
  let results = 0
  let tally = noTally
  /** `due`: a turn is under way or awaited, and has not been introduced. */
  let init: "due" | "told" = "told"
  /** A prompt was handed over, and its turn has not started: a command may be carried out before. */
  let isExpected = false
  /** Whether the next result answers something that was said; otherwise the turn began by itself. */
  let isSaid = false
  /** What hooks did before the first prompt: nothing is told while nothing is asked. */
  let hooksBefore: object[] = []
  /** What happens before the first prompt; a stream begins with its `init`. Undefined once it has begun. */
  let early: object[] | undefined = []

  async function introduce(): Promise<void> {
    if (init === "told") return
    init = "told"
    send(await initMessage(parts, envelope))
    sendAll(early ?? [])
    early = undefined
    await tellCommands()
  }

  async function tellCommands(): Promise<void> {
    const changed = await parts.commands?.changes()
    if (changed) send(changed)
  }

  async function sendResult(
    ended: Tally,
    { background = [], openTasks = [], before }: ResultContext = {},
  ): Promise<void> {
    await introduce()
    const state = await session.ask({ type: "state" })
    sendAll(beforeResult(ended, state.model, envelope, clock.now()))
    const { uuid, session_id: sessionId } = envelope.stamp()
    const result = resultMessage(ended, {
      sessionId,
      uuid,
      state,
      factsOf: parts.factsOf,
      now: clock.now(),
      background,
      openTasks,
      index: results++,
      answers: answered.ids(),
      ...optional("origin", answered.origin() ?? (isSaid ? undefined : byItself)),
      ...optional("queued", parts.queued?.()),
    })
    await before?.()
    send(result)
    answered.turnEnds()
    isSaid = false
  }

  return {
    sendResult,
    join(asked) {
      isSaid = true
      answered.join(asked)
    },
    expect(asked = {}) {
      isSaid = true
      answered.expect(asked)
      init = "due"
      isExpected = true
      sendAll(hooksBefore)
      hooksBefore = []
    },
    async onEvent(event) {
      tally = foldTally(tally, event, clock)
      memory.onEvent(event, clock.now())
      const entry = event.type === "entry" ? event.entry : undefined
      if (entry?.kind === "turn_start") {
        if (!isExpected) init = "due"
        isExpected = false
      }
      const messages = [
        ...sdkMessages(event, envelope, memory, parts.messageOptions),
        ...(live.onEvent(event) ? [live.message()] : []),
        ...(isTeamEvent(event) ? team.messagesFor(await session.ask({ type: "team" })) : []),
      ].map(runs.mark)
      if (isHookEvent(event)) {
        // Hooks run before a turn begins, and clients that wait for one see why.
        if (init === "due" || early === undefined) sendAll(messages)
        else hooksBefore.push(...messages)
        return undefined
      }
      if (event.type === "servers_change" && early === undefined) await tellCommands()
      const isPrompt = entry?.kind === "prompt" || entry?.kind === "command"
      isSaid ||= isPrompt
      if (isPrompt || messages.length > 0) await introduce()
      if (isPrompt) {
        const echo = parts.replay?.(entry)
        if (echo) send(echo)
      }
      if (init === "told" && early) early.push(...messages)
      else sendAll(messages)
      return entry?.kind === "turn_end" ? tally : undefined
    },
    liveTasks: () => runs.mark(live.message()),
    async refuse(message) {
      const at = clock.now()
      isExpected = false
      isSaid = true
      const refused: Tally = { ...noTally, startedAt: at, end: { reason: "error", cause: "command", message, at } }
      await sendResult(refused)
      return refused
    },
  }
}

/** Why a turn ended, where a client shows that by messages of its own. */
const beforeResult = (ended: Tally, model: string, envelope: Envelope, now: number): readonly object[] => [
  ...(ended.end?.reason === "aborted" ? [interruption(ended, envelope, now)] : []),
  ...(apiFailure(ended) ? [syntheticAssistant(errorText(ended), errorWord(ended), envelope)] : []),
  ...(ended.end?.cause === "refusal" ? [refusal(ended, model, envelope)] : []),
]

/** In the client's words: work in the background had news. */
const byItself: JsonObject = { kind: "task-notification" }

/** No other model is asked when one refuses. */
const refusal = (ended: Tally, original_model: string, { stamp }: Envelope): object => ({
  type: "system",
  subtype: "model_refusal_no_fallback",
  original_model,
  request_id: null,
  content: errorText(ended),
  ...stamp(),
})

/** In the words that clients look for. */
const interruption = ({ end }: Tally, { stamp }: Envelope, now: number): object =>
  syntheticUser(
    end?.cause === "aborted_tools" || end?.cause === "declined"
      ? "[Request interrupted by user for tool use]"
      : "[Request interrupted by user]",
    now,
    stamp(),
  )
