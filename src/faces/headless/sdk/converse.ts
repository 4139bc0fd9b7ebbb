/** The conversation with a client, once its session is open. */

import { resolve } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { interruptCauses } from "#agent/words/interruption.ts"
import type { Op } from "#agent/words/op.ts"
import { deferred, type Deferred } from "#lib/deferred.ts"
import { exitCode } from "#faces/headless/exit.ts"
import { openTasksOf } from "#faces/headless/open-tasks.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { openCommandChanges } from "./command-changes.ts"
import { type ControlParts, openApplied } from "./control.ts"
import { answerControl } from "./controls.ts"
import { syntheticUser } from "./entry-message.ts"
import { envelopeOf } from "./envelope.ts"
import { openDelivery } from "./deliver.ts"
import type { Asked, InboundQueue } from "./inbound-queue.ts"
import { type ClientPlugin, readPlugins } from "./initialize.ts"
import { type Applied as ClientApplied, introduction } from "./introduction.ts"
import { openModeOverrides } from "./mode-overrides.ts"
import { openMessageStream } from "./message-stream.ts"
import type { Pace } from "./pace.ts"
import type { SdkRun, SdkSession } from "./parts.ts"
import { openPrompts, type WaitingMessage } from "./prompts.ts"
import { openClientQuestions } from "./questions.ts"
import type { ClientRequests } from "./requests.ts"
import { openStateTelling } from "./session-state.ts"
import { openTurns } from "./turns.ts"

export interface Conversation extends SdkRun, SdkSession {
  readonly send: (message: object) => void
  readonly requests: ClientRequests
  readonly pace: Pace
  readonly inbound: InboundQueue
  /** What was read before the session was open. */
  readonly held: readonly Asked[]
  /** What the client said at the start. */
  readonly asked: JsonObject
  /** Called with the answer to `initialize`. */
  readonly introduced: (response: object) => void
}

/** Gives the exit code. */
export async function converse(parts: Conversation): Promise<number> {
  const { session, send, ids, clock, inbound, stop } = parts
  const envelope = envelopeOf(session.id, ids)
  const prompts = openPrompts()
  const state = openStateTelling({ send, envelope, isWanted: parts.readsState })
  const questions = openClientQuestions({
    session,
    requests: parts.requests,
    clock,
    patienceMs: parts.patienceMs,
    onChange: () => state.waits(questions.waiting() > 0),
  })
  const overrides = openModeOverrides(session)
  const commands = openCommandChanges(session, envelope)
  const originals = new Map<string, WaitingMessage>()
  const begun = openBegun()
  const startedAt = clock.now()
  let isInputOver = false
  const messages = openMessageStream({
    ...parts,
    envelope,
    commands,
    queued: () => prompts.ids().length,
    ...(parts.replays && { replay: (entry) => replay(originals.get(entry.promptId), envelope) }),
  })
  const turns = openTurns({
    ...parts,
    messages,
    prompts,
    state,
    isInputOver: () => isInputOver,
    async onEvent(event) {
      questions.onEvent(event)
      if (event.type === "entry" && event.entry.kind === "prompt") originals.delete(event.entry.promptId)
      if (event.type === "entry" && event.entry.kind === "mode") void overrides.follow()
      await parts.written()
    },
  })
  const controls: ControlParts = {
    ...parts,
    introduction: async (again) => introduction(parts, await appliedOf(again, parts)),
    takeBack: prompts.takeBack,
    applied: openApplied(),
    overrides,
    isAtWork: () => state.isWorking() || prompts.ids().length > 0,
    began: (await session.ask({ type: "thinking" })).chosen,
    times: () => ({ startedAt, apiMs: turns.apiMs() }),
    say: (text) =>
      send(syntheticUser(`<local-command-stdout>${text}</local-command-stdout>`, clock.now(), envelope.stamp())),
  }

  async function answerAll(): Promise<void> {
    for await (const message of prompts) {
      originals.set(message.id, message)
      const answered = turns.answer(message)
      begun.mark(message.id)
      await answered
      originals.delete(message.id)
    }
  }

  const { deliver, interrupt } = openDelivery({ session, send, prompts, turns, state, begins: begun.wait, originals })

  /** A message comes into effect after the requests before it. */
  async function listen(): Promise<void> {
    const under = new Map<string, { readonly done: Promise<void>; readonly withdrawn: AbortController }>()
    for await (const asked of both(parts.held, inbound)) {
      if (asked.kind === "cancel") under.get(asked.id)?.withdrawn.abort()
      else if (asked.kind === "user") {
        await Promise.all([...under.values()].map(({ done }) => done))
        const message = prompts.composed(asked, asked.uuid ?? ids.uuid())
        if (message) await deliver(message)
      } else if (asked.subtype === "interrupt") interrupt(asked)
      else {
        const withdrawn = new AbortController()
        const done = answerControl(asked, controls, withdrawn.signal)
          .then((response) => {
            send(response)
            // A client that starts over has lost track of what it was told.
            if (asked.subtype === "initialize") send(messages.liveTasks())
          })
          .finally(() => under.delete(asked.id))
        under.set(asked.id, { done, withdrawn })
      }
    }
    await Promise.all([...under.values()].map(({ done }) => done))
    isInputOver = true
    prompts.close()
  }

  const { opened } = await session.ask({ type: "about" })
  if (opened !== "beginning") await session.submit({ type: "withdraw", what: "all", by: "client" })
  const narrated = turns.narrate(session.events("now"))
  stop.addEventListener("abort", () => {
    prompts.drop()
    prompts.close()
    void session.submit(interruptFor(stop.reason))
  })
  const first = await introduction(parts, await appliedOf(parts.asked, parts))
  commands.known(first.commands)
  parts.introduced(first)
  const over = new AbortController()
  void listen().then(() => beat(parts, over.signal))
  await answerAll()
  await turns.finish()
  over.abort()
  await parts.written()
  void narrated
  const last = turns.last()
  if (last && last.end?.reason !== "completed") return 1
  return last ? exitCode(last, "plain", await openTasksOf(session)) : 0
}

/** Hooks and plugins are fixed by the first request: those of a later one are in force if they are the same. */
async function appliedOf(request: JsonObject, { asked, session }: Conversation): Promise<ClientApplied> {
  const { hooks } = request
  const named = readPlugins(request.plugins)
  const { cwd, plugins } = await session.ask({ type: "about" })
  const isLoaded = ({ path }: ClientPlugin): boolean =>
    plugins?.loaded.some((one) => one.path === resolve(cwd, path)) === true
  return {
    ...(hooks !== undefined && hooks !== null && { hooks: isDeepStrictEqual(hooks, asked.hooks) }),
    ...(named.ok && named.value && named.value.length > 0 && { plugins: named.value.every(isLoaded) }),
  }
}

/** Who waits for the turns of which messages. */
function openBegun(): { readonly mark: (id: string) => void; readonly wait: (id: string) => Promise<void> } {
  const waiting = new Map<string, Deferred<void>>()
  return {
    mark(id) {
      waiting.get(id)?.resolve()
      waiting.delete(id)
    },
    wait(id) {
      const begins = deferred<void>()
      waiting.set(id, begins)
      return begins.promise
    },
  }
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

/** What the signal was aborted with says how long calls may take, and that it was not the user. */
function interruptFor(reason: unknown): Op {
  const { graceMs, cause } = isObject(reason) ? reason : {}
  return {
    type: "interrupt",
    ...(typeof graceMs === "number" && { graceMs }),
    ...optional(
      "cause",
      interruptCauses.find((known) => known === cause),
    ),
  }
}
