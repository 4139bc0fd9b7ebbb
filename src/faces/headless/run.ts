/** One prompt in, text or JSON out, an exit code: the agent for scripts. No question ever blocks it. */

import type { Event } from "#agent/words/event.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import { unknownCommand } from "#faces/view/command-words.ts"
import { openDrawing, retryWords } from "#faces/view/lines.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { bared } from "#lib/printable.ts"
import type { Session } from "#session/session.ts"
import { type ExitStyle, exitCode } from "./exit.ts"
import { apiFailure, errorText, errorWord, resultMessage } from "./result.ts"
import { initMessage, sdkMessage, syntheticMessage } from "./sdk/messages.ts"
import { foldTally, noTally } from "./tally.ts"

export const outputFormats = ["text", "json", "stream-json"] as const
export type OutputFormat = (typeof outputFormats)[number]

export interface HeadlessRun {
  readonly session: Session
  readonly prompt: readonly PromptBlock[]
  readonly format: OutputFormat
  /** `steps` also tells what happens on the way, on standard error. */
  readonly tell: "answer" | "steps"
  readonly exitStyle: ExitStyle
  readonly version: string
  readonly apiKeySource: string
  readonly factsOf: (model: string) => ModelFacts
  readonly write: (text: string) => void
  /** For text that did not come from us. */
  readonly writeForeign: (text: string) => void
  /** Without a line break of its own. */
  readonly writeAside: (text: string) => void
  readonly warn: (line: string) => void
  readonly clock: Clock
  readonly ids: Ids
}

/** A wait that is longer needs its reason, also where only the answer is wanted. */
const noticeableMs = 1000

/** Plays one prompt to its end and gives the exit code. */
export async function runHeadless(run: HeadlessRun): Promise<number> {
  const { session, format } = run
  const envelope = { sessionId: session.id, ids: run.ids }
  const line = (message: object): void => run.write(`${JSON.stringify(message)}\n`)
  const drawing = openDrawing()
  let tally = noTally
  let started = false
  let ours = false
  let kept = false

  // What the stream begins with names the servers and their tools; the first request waits for them anyway.
  await session.look.mcp?.ready(new AbortController().signal)
  const about = () => ({
    sessionId: session.id,
    uuid: run.ids.uuid(),
    state: session.state(),
    factsOf: run.factsOf,
    now: run.clock.now(),
  })

  const promptId = run.ids.uuid()
  const submitted = session.submit({ type: "prompt", content: run.prompt, when: "queue", promptId })
  if (!submitted.ok) {
    const { failure } = submitted
    const words =
      failure.kind === "unknown_command" ? unknownCommand(failure) : "The prompt is empty; nothing was sent."
    run.warn(words)
    // A program that waits for a result gets one.
    if (failure.kind === "unknown_command" && format !== "text") {
      const at = run.clock.now()
      line(
        resultMessage(
          { ...noTally, startedAt: at, end: { reason: "error", cause: "command", message: words, at } },
          about(),
        ),
      )
    }
    return 1
  }
  const before = session.about.entriesBefore
  for await (const event of session.events(before)) {
    tally = foldTally(tally, event)
    if (run.tell === "steps" && format === "text") run.writeAside(drawing.draw(event))
    else if (event.type === "entry" && event.entry.kind === "notice" && format !== "stream-json")
      run.warn(event.entry.text)
    else if (event.type === "retry_wait" && event.retry.delayMs >= noticeableMs && format !== "stream-json")
      run.warn(retryWords(event.retry))
    if (format === "stream-json") {
      if (!started) {
        started = true
        const { mode, model, cwd } = session.state()
        const { addedFolders, agents = [] } = session.about
        const { apiKeySource, version } = run
        const tools = session.look.tools()
        const mcpServers = session.look.mcp?.servers() ?? []
        const { look } = session
        const extensions = {
          commands: look.commands().map(({ name }) => name),
          skills: look.skills(),
          outputStyle: look.outputStyle(),
        }
        line(
          initMessage(
            {
              cwd,
              tools,
              model,
              permissionMode: mode,
              apiKeySource,
              version,
              addedFolders,
              agents,
              mcpServers,
              ...extensions,
            },
            envelope,
          ),
        )
      }
      const message = sdkMessage(event, envelope)
      if (message) line(message)
    }
    kept ||= event.type === "entry" && event.entry.kind === "snapshot"
    ours ||= isPrompt(event, promptId)
    // A resumed session may first deliver what it was told before; an interrupt ends everything.
    if (tally.end && (ours || tally.end.reason === "aborted")) break
  }

  // They outlive a turn, not a session, and this one ends here.
  for (const { id, command } of session.look.background())
    run.warn(`A background command still runs and is ended now: ${id}, ${bared(command)}`)
  for (const { fact } of session.look.agents())
    if (fact.state === "background")
      run.warn(`An agent still works in the background and is ended now: ${fact.agentId}, ${bared(fact.description)}`)
  if (kept && run.tell === "steps" && format === "text") {
    const changed = await session.look.summary()
    if (changed.ok && changed.value.text !== "") run.warn(undoWords(changed.value.text, session))
  }
  const whole = tally.end?.reason === "completed"
  if (!whole) run.warn(errorText(tally))
  if (format === "text") {
    const said = apiFailure(tally) ? errorText(tally) : tally.text
    if (whole || said !== "") run.writeForeign(`${said}\n`)
    return exitCode(tally, run.exitStyle)
  }
  if (format === "stream-json" && apiFailure(tally))
    line(syntheticMessage(errorText(tally), errorWord(tally), envelope))
  line(resultMessage(tally, about()))
  return exitCode(tally, run.exitStyle)
}

const isPrompt = (event: Event, promptId: string): boolean =>
  event.type === "entry" &&
  (event.entry.kind === "prompt" || event.entry.kind === "command" || event.entry.kind === "unsent") &&
  event.entry.promptId === promptId

/** A session that is not kept cannot be gone back in. */
const undoWords = (changed: string, { id, about }: Session): string =>
  about.logPath === undefined ? changed : `${changed}; codewright rewind ${id.slice(0, 8)} lists the ways back`
