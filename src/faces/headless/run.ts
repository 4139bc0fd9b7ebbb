/** One prompt in, text or JSON out, an exit code: the agent for scripts. No question ever blocks it. */

import type { WithdrawnPrompt } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { PromptOrigin } from "#agent/words/origin.ts"
import { type PromptBlock, textOf } from "#agent/words/message.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import { retryWords } from "#faces/view/retry-words.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import { forConsent } from "#lib/printable.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { Session } from "#session/port/session.ts"
import { deniedWords } from "./denied-words.ts"
import { type BackgroundWait, openBackgroundTasks, stopWords } from "./background.ts"
import { type ExitStyle, exitCode } from "./exit.ts"
import { openTaskWords, openTasksOf } from "./open-tasks.ts"
import { apiFailure, errorText, resultMessage } from "./result.ts"
import { envelopeOf } from "./sdk/envelope.ts"
import type { MessageOptions } from "./sdk/messages.ts"
import { isHookEvent } from "./sdk/hook-messages.ts"
import type { MessageStream } from "./sdk/message-stream.ts"
import { type DeferredCall, foldTally, joinTallies, noTally, type Tally } from "./tally.ts"

export const outputFormats = ["text", "json", "stream-json"] as const
export type OutputFormat = (typeof outputFormats)[number]

export interface HeadlessRun {
  readonly session: Session
  readonly prompt: readonly PromptBlock[]
  /** Set if the text was not typed, or not all of it. */
  readonly origin?: PromptOrigin | undefined
  readonly format: OutputFormat
  /** `steps` also reports progress on standard error. */
  readonly shows: "answer" | "steps"
  /** What else a stream tells. */
  readonly messageOptions: MessageOptions
  readonly exitStyle: ExitStyle
  readonly backgroundWait: BackgroundWait
  /** Ends the session; a stream that tells what hooks do does so before its result, which comes last. */
  readonly close: () => Promise<void>
  /** Nothing is waited for any more. */
  readonly stop: AbortSignal
  readonly version: string
  readonly apiKeySource: string
  /** What was left out because the folder is not trusted. */
  readonly leftOut?: readonly string[]
  readonly factsOf: (model: string) => ModelFacts
  readonly write: (text: string) => void
  /** For text from outside. */
  readonly writeForeign: (text: string) => void
  readonly writeAside: (text: string) => void
  readonly warn: (line: string) => void
  readonly clock: Clock
  readonly ids: Ids
}

/** A longer wait needs its reason, even if only the answer is wanted. */
const noticeableMs = 1000

/** Returns the exit code. */
export async function runHeadless(run: HeadlessRun): Promise<number> {
  const { session, format } = run
  const line = (message: object): void => run.write(`${JSON.stringify(message)}\n`)
  const messages = format === "stream-json" ? await narrated(run, line) : undefined
  const backgroundTasks = openBackgroundTasks({
    ...run,
    limits: run.backgroundWait,
    signal: run.stop,
    onStop: (task) => run.warn(stopWords(task)),
  })

  // What the stream begins with names the servers and their tools; the first request waits for them anyway.
  const [about] = await Promise.all([session.ask({ type: "about" }), session.ask({ type: "ready" })])
  const inAll = async () => ({
    sessionId: session.id,
    uuid: run.ids.uuid(),
    state: await session.ask({ type: "state" }),
    factsOf: run.factsOf,
    now: run.clock.now(),
    background: await backgroundTasks.tasks(),
    index: 0,
  })

  const promptId = run.ids.uuid()
  const events = session.events(about.opened)
  // What a terminal left queued is not sent by a script that does not know of it.
  if (about.opened !== "beginning") await session.submit({ type: "withdraw", what: "all", by: "headless" })
  messages?.expect()
  const submitted = await session.submit({
    type: "prompt",
    content: run.prompt,
    when: "queue",
    promptId,
    ...optional("origin", run.origin),
  })
  if (!submitted.ok) {
    const message = opFailureWords(submitted.failure)
    run.warn(message)
    // A program that waits for a result gets one.
    if (format !== "text") {
      const at = run.clock.now()
      line(
        resultMessage(
          { ...noTally, startedAt: at, end: { reason: "error", cause: "command", message, at } },
          await inAll(),
        ),
      )
    }
    return 1
  }
  const { tally, kept } = await readUntilDone(run, events, { messages, backgroundTasks, promptId })

  if (kept && run.shows === "steps" && format === "text") {
    const changed = await session.ask({ type: "summary" })
    if (changed.ok && changed.value.text !== "") run.warn(undoWords(changed.value.text, session, about))
  }
  if (tally.deferred) run.warn(deferredWords(tally.deferred, session))
  const denied = deniedWords(tally)
  if (denied !== undefined) run.warn(denied)
  const whole = tally.end?.reason === "completed"
  if (!whole) run.warn(errorText(tally))
  const openTasks = await openTasksOf(session)
  if (openTasks.length > 0) run.warn(openTaskWords(openTasks))
  if (format === "text") {
    const said = apiFailure(tally) ? errorText(tally) : tally.text
    if (whole || said !== "") run.writeForeign(`${said}\n`)
    return exitCode(tally, run.exitStyle, openTasks)
  }
  if (!messages) line(resultMessage(tally, { ...(await inAll()), openTasks }))
  else
    await messages.sendResult(tally, {
      background: await backgroundTasks.tasks(),
      openTasks,
      ...(run.messageOptions.hooks && { before: () => closeWithEvents(run, messages) }),
    })
  return exitCode(tally, run.exitStyle, openTasks)
}

/** Loaded for streams alone. */
async function narrated(run: HeadlessRun, send: (message: object) => void): Promise<MessageStream> {
  const { openMessageStream } = await import("./sdk/message-stream.ts")
  return openMessageStream({ ...run, send, envelope: envelopeOf(run.session.id, run.ids) })
}

interface RunFollowing {
  /** Present in a stream. */
  readonly messages: MessageStream | undefined
  readonly backgroundTasks: ReturnType<typeof openBackgroundTasks>
  readonly promptId: string
}

/**
 * Follows events until the prompt is answered and nothing else is to come. A function of its own, because it runs for
 * every event: the runtime compiles it as a whole, and what is around it would take longer.
 */
async function readUntilDone(
  run: HeadlessRun,
  events: AsyncIterable<Event>,
  { messages, backgroundTasks, promptId }: RunFollowing,
): Promise<{ readonly tally: Tally; readonly kept: boolean }> {
  const isDrawn = run.shows === "steps" && run.format === "text"
  const draw = isDrawn ? (await import("#faces/view/lines.ts")).openDrawing().draw : undefined
  let earlier: Tally | undefined
  let tally = noTally
  let ours = false
  let kept = false
  for await (const event of events) {
    tally = foldTally(tally, event, run.clock)
    if (draw) run.writeAside(draw(event))
    else if (!messages) warnOf(run, event)
    if (event.type === "entry" && event.entry.kind === "withdrawn") warnOfUnsent(run, event.entry.prompts)
    if (messages) await messages.onEvent(event)
    kept ||= event.type === "entry" && event.entry.kind === "snapshot"
    ours ||= isPrompt(event, promptId)
    // A resumed session may first deliver what it was told before; an interrupt ends everything.
    if (!tally.end || !(ours || tally.end.reason === "aborted")) continue
    tally = earlier ? joinTallies(earlier, tally) : tally
    // Leaving the session keeps its question open.
    if (tally.deferred) break
    // Members may still have room in a budget that is too small for the lead.
    if (tally.end?.reason === "max_budget") await backgroundTasks.drain()
    else if (tally.end?.reason !== "completed") await backgroundTasks.end()
    else if (await backgroundTasks.wait()) {
      // What the model says once it has heard the news counts.
      earlier = tally
      tally = { ...tally, end: undefined }
      continue
    }
    break
  }
  return { tally, kept }
}

function warnOf({ warn }: HeadlessRun, event: Event): void {
  if (event.type === "entry" && event.entry.kind === "notice") warn(event.entry.text)
  else if (event.type === "retry_wait" && event.retry.delayMs >= noticeableMs) warn(retryWords(event.retry))
}

/** The hooks of the end are told, too. */
async function closeWithEvents(
  { session, close }: HeadlessRun,
  { onEvent }: Pick<MessageStream, "onEvent">,
): Promise<void> {
  const events = session.events("now")
  const hooksReported = (async () => {
    // Whoever begins to listen hears of the start hooks again.
    for await (const event of events) if (isHookEvent(event) && event.run.event === "SessionEnd") await onEvent(event)
  })()
  await close()
  await hooksReported
}

function warnOfUnsent({ warn }: HeadlessRun, prompts: readonly WithdrawnPrompt[]): void {
  for (const { content } of prompts) warn(`Not sent, still queued from an earlier run: ${forConsent(textOf(content))}`)
}

const isPrompt = (event: Event, promptId: string): boolean =>
  event.type === "entry" &&
  (event.entry.kind === "prompt" || event.entry.kind === "command" || event.entry.kind === "unsent") &&
  event.entry.promptId === promptId

/** A session that is not kept cannot be rewound. */
const deferredWords = ({ name }: DeferredCall, { id }: Session): string => {
  const session = id.slice(0, 8)
  return `A hook deferred a call of ${name}, so it waits for an answer.\nSee it with: codewright sessions questions ${session}\nThen continue with: codewright -p --resume ${session} "continue"`
}

const undoWords = (changed: string, { id }: Session, { logPath }: SessionAbout): string =>
  logPath === undefined ? changed : `${changed}. Undo with: codewright rewind ${id.slice(0, 8)}`
