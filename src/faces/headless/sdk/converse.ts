/** The conversation with a client, once its session is open. */

import type { Event } from "#agent/words/event.ts"
import { deferred } from "#lib/deferred.ts"
import { openAfterwork, stopWords } from "#faces/headless/background.ts"
import { joinTallies, type Tally } from "#faces/headless/tally.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import { openCommandChanges } from "./command-changes.ts"
import { type ControlParts, openApplied, success } from "./control.ts"
import { answerControl } from "./controls.ts"
import { syntheticUser } from "./entry-message.ts"
import { envelopeOf } from "./envelope.ts"
import type { ControlRequest } from "./inbound.ts"
import type { Asked, Intake } from "./intake.ts"
import { introduction } from "./introduction.ts"
import { openNarration } from "./narration.ts"
import type { Pace } from "./pace.ts"
import type { SdkRun, SdkSession } from "./parts.ts"
import { openPrompts, type WaitingMessage } from "./prompts.ts"
import { openClientQuestions } from "./questions.ts"
import type { ClientRequests } from "./requests.ts"
import { openStateTelling } from "./session-state.ts"

export interface Conversation extends SdkRun, SdkSession {
  readonly send: (message: object) => void
  readonly requests: ClientRequests
  readonly pace: Pace
  readonly intake: Intake
  /** What was read before the session was open. */
  readonly held: readonly Asked[]
  /** Called with the answer to `initialize`. */
  readonly introduced: (response: object) => void
}

/** Gives the exit code. */
export async function converse(parts: Conversation): Promise<number> {
  const { session, send, ids, clock, intake, stop } = parts
  const envelope = envelopeOf(session.id, ids)
  const prompts = openPrompts()
  const state = openStateTelling({ send, envelope, isWanted: parts.readsState })
  const questions = openClientQuestions({
    session,
    requests: parts.requests,
    onChange: () => state.waits(questions.waiting() > 0),
  })
  const commands = openCommandChanges(session, envelope)
  const originals = new Map<string, WaitingMessage>()
  const startedAt = clock.now()
  let apiMs = 0
  const narration = openNarration({
    ...parts,
    envelope,
    commands,
    queued: () => prompts.ids().length,
    ...(parts.replays && { replay: (entry) => replay(originals.get(entry.promptId), envelope) }),
  })
  const controls: ControlParts = {
    ...parts,
    introduction: () => introduction(parts),
    takeBack: prompts.takeBack,
    applied: openApplied(),
    began: (await session.ask({ type: "thinking" })).chosen,
    times: () => ({ startedAt, apiMs }),
    say: (text) =>
      send(syntheticUser(`<local-command-stdout>${text}</local-command-stdout>`, clock.now(), envelope.stamp())),
  }
  const afterwork = openAfterwork({
    ...parts,
    limits: parts.backgroundWait,
    signal: stop,
    onStop: (task) => parts.warn(stopWords(task)),
  })
  let last: Tally | undefined
  /** The last turn, when no more messages come: what runs in the background may still continue it. */
  let held: Tally | undefined
  let inputEnded = false
  let turn = deferred<void>()
  /** The prompt whose turn is awaited, until that turn takes it up. */
  let awaited: string | undefined

  /** One event after the other, so that messages keep the order of what happened. */
  async function narrate(events: AsyncIterable<Event>): Promise<void> {
    for await (const event of events) {
      const ended = await parts.pace.telling(() => narration.tell(event))
      questions.take(event)
      await parts.written()
      if (awaited !== undefined && promptIn(event) === awaited) awaited = undefined
      if (event.type === "entry" && event.entry.kind === "turn_start") state.works()
      if (!ended) continue
      last = ended
      apiMs += ended.apiMs
      if (inputEnded && prompts.ids().length === 0 && !stop.aborted) held = held ? joinTallies(held, ended) : ended
      else await narration.conclude(ended, await afterwork.look())
      // A turn that began by itself may end just when a message comes; an interrupt ends everything.
      if (awaited !== undefined && ended.end?.reason !== "aborted") continue
      turn.resolve()
      if (prompts.ids().length === 0 && !held) state.rests()
    }
    turn.resolve()
  }

  /** Waits for background work as long as that may take. What the model says to it is the last result. */
  async function finish(): Promise<void> {
    const resting = async (): Promise<Tally | undefined> => {
      await session.ask({ type: "settled" })
      await parts.pace.quiet(stop)
      return last
    }
    for (let before = await resting(); !stop.aborted; before = await resting()) {
      if (before?.end?.reason !== "completed") break
      if (!(await afterwork.wait()) && before === (await resting())) break
    }
    await afterwork.end()
    if (held) await narration.conclude(held, await afterwork.tasks())
    await parts.pace.quiet(stop)
  }

  async function answer(message: WaitingMessage): Promise<void> {
    turn = deferred()
    originals.set(message.id, message)
    state.works()
    narration.expect(message.given)
    const { id: promptId, content, as } = message
    awaited = promptId
    const taken = await session.submit({
      type: "prompt",
      content,
      when: "queue",
      promptId,
      ...(as === "text" && { as, origin: { kind: "made" } }),
    })
    if (taken.ok) await turn.promise
    else last = await narration.refuse(opFailureWords(taken.failure))
    awaited = undefined
    originals.delete(promptId)
    if (!taken.ok && prompts.ids().length === 0) state.rests()
  }

  async function answerAll(): Promise<void> {
    for await (const message of prompts) await answer(message)
  }

  function interrupt({ id, request }: ControlRequest): void {
    const cancelled = request.cancel_queued === true ? prompts.drop() : undefined
    // The client hears that it is done before it hears what came of it.
    send(success(id, { still_queued: prompts.ids(), ...(cancelled && { cancelled }) }))
    void session.submit({ type: "interrupt" })
  }

  /** A message comes into effect after the requests before it. */
  async function listen(): Promise<void> {
    const under = new Map<string, { readonly done: Promise<void>; readonly withdrawn: AbortController }>()
    for await (const asked of both(parts.held, intake)) {
      if (asked.kind === "cancel") under.get(asked.id)?.withdrawn.abort()
      else if (asked.kind === "user") {
        await Promise.all([...under.values()].map(({ done }) => done))
        prompts.put(asked, asked.uuid ?? ids.uuid())
      } else if (asked.subtype === "interrupt") interrupt(asked)
      else {
        const withdrawn = new AbortController()
        const done = answerControl(asked, controls, withdrawn.signal)
          .then((response) => {
            send(response)
            // A client that starts over has lost track of what it was told.
            if (asked.subtype === "initialize") send(narration.liveTasks())
          })
          .finally(() => under.delete(asked.id))
        under.set(asked.id, { done, withdrawn })
      }
    }
    await Promise.all([...under.values()].map(({ done }) => done))
    inputEnded = true
    prompts.close()
  }

  const { opened } = await session.ask({ type: "about" })
  if (opened !== "beginning") await session.submit({ type: "withdraw", what: "all", by: "client" })
  const narrated = narrate(session.events("now"))
  stop.addEventListener("abort", () => {
    prompts.drop()
    prompts.close()
    const graceMs: unknown = stop.reason
    void session.submit({ type: "interrupt", ...(typeof graceMs === "number" && { graceMs }) })
  })
  const first = await introduction(parts)
  commands.known(first.commands)
  parts.introduced(first)
  const over = new AbortController()
  void listen().then(() => beat(parts, over.signal))
  await answerAll()
  await finish()
  state.rests()
  over.abort()
  await parts.written()
  void narrated
  return last && last.end?.reason !== "completed" ? 1 : 0
}

function promptIn(event: Event): string | undefined {
  if (event.type !== "entry") return undefined
  const { entry } = event
  return entry.kind === "prompt" || entry.kind === "command" || entry.kind === "unsent" ? entry.promptId : undefined
}

const beatMs = 5_000

/** A client that has closed its input may be gone altogether, and only writing shows it. */
async function beat({ send, clock }: Pick<Conversation, "send" | "clock">, signal: AbortSignal): Promise<void> {
  for (;;) {
    await clock.sleep(beatMs, signal)
    if (signal.aborted) return
    send({ type: "keep_alive" })
  }
}

async function* both(first: readonly Asked[], rest: AsyncIterable<Asked>): AsyncGenerator<Asked> {
  yield* first
  yield* rest
}

function replay(message: WaitingMessage | undefined, { stamp }: ReturnType<typeof envelopeOf>): object | undefined {
  if (!message) return undefined
  return {
    type: "user",
    message: { role: "user", content: message.content },
    parent_tool_use_id: null,
    ...stamp(),
    uuid: message.id,
    isReplay: true,
  }
}
