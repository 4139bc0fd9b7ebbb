/** Behind the door: takes ops, drives the loop turn by turn, and does what is no turn in between. Faces only watch and ask. */

import type { Agent } from "#agent/agent.ts"
import { run } from "#agent/loop.ts"
import type { End } from "#agent/words/end.ts"
import type { ChoreName } from "#agent/words/event.ts"
import type { PromptBlock, ToolUseBlock } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import type { LogFailure } from "#ground/transcript/log.ts"
import type { Ids } from "#lib/ids.ts"
import { given } from "#lib/given.ts"
import { never } from "#lib/never.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Admission } from "./admission.ts"
import type { Chore, Chores } from "./chores.ts"
import type { Feed } from "./feed.ts"
import type { SessionHooks } from "./hooks.ts"
import type { Inbox, Waiting } from "./inbox.ts"
import type { Look } from "./look.ts"
import type { Questions } from "./questions.ts"
import type { Recorder } from "./recorder.ts"
import type { Unfinished } from "./repair.ts"
import type { OpFailure, Session, SessionAbout } from "./session.ts"
import { type CommandDesk, openSpoken } from "./spoken.ts"
import type { SessionState } from "./state.ts"

export interface DoorParts {
  readonly id: string
  readonly about: SessionAbout
  readonly agent: Agent
  readonly recorder: Recorder
  readonly feed: Feed
  readonly inbox: Inbox
  readonly questions: Questions
  readonly ids: Ids
  readonly state: () => SessionState
  readonly bypassAvailable: boolean
  readonly chores: Chores
  /** A prompt is about to be answered: how the files are now can be gone back to. */
  readonly beforePrompt: (promptId: string) => void
  readonly look: Look
  readonly commands?: CommandDesk | undefined
  /** Absent where no hook is configured. */
  readonly hooks?: Pick<SessionHooks, "turnBegins" | "turnFailed"> | undefined
  readonly admission?: Admission | undefined
  /** The turn that waited for the person when the session was left: it goes on at once. */
  readonly unfinished?: Unfinished
  /** Lets what runs go on in the background; whether there was something. */
  readonly moveToBackground: () => boolean
  /** Agents that this one started and that work now; each says whether there was such a one. */
  readonly agents?: {
    readonly stop: (agentId: string) => boolean
    readonly steer: (agentId: string, content: readonly PromptBlock[]) => boolean
  }
  /** From here on, what is interrupted has only so long to end. */
  readonly hurry: (graceMs: number) => void
  readonly close: () => Promise<void>
}

/** What only the session itself may do. */
interface BackDoor {
  readonly interrupt: () => void
  /** Ends the turn, forgets the conversation and begins another with these words. */
  readonly startFresh: (text: string) => void
}

export function openDoor(parts: DoorParts): Session & BackDoor {
  const { recorder, inbox, feed, questions, ids } = parts
  const spoken = openSpoken({ desk: parts.commands, ...recorder })
  let turn: AbortController | undefined
  let driving: Promise<void> | undefined
  /** Whether what waits is to be said, although an interrupt or a chore came before it. */
  let goesOn = false
  let isChore = false
  let waitingShown = false
  let fresh: string | undefined
  let closed = false
  let closing: Promise<void> | undefined

  async function drive(unfinished?: Unfinished): Promise<void> {
    try {
      for (let next = unfinished ?? inbox.take(); next && !closed; next = inbox.take()) {
        const end = "calls" in next ? await goOn(next) : await takeTurn(next)
        beginFresh()
        tellQueue()
        // An interrupt keeps the queue; a prompt that came after it says that it goes on.
        if (end.reason === "aborted" && !goesOn) return
      }
    } finally {
      // In the same moment as the last look at the inbox, or a prompt that comes in between would wait for ever.
      driving = undefined
    }
  }

  function goOn({ turnId, calls }: Unfinished): Promise<End> {
    turn = new AbortController()
    return throughTurn(turnId, turn, calls)
  }

  /** What was said before is forgotten, and the next thing said is all that is left of it. */
  function beginFresh(): void {
    if (fresh === undefined) return
    const first: Waiting = { promptId: ids.uuid(), content: [{ type: "text", text: fresh }], when: "queue" }
    // First of all, so that whatever ends the program now leaves it waiting.
    recorder.record({ kind: "queued", ...first })
    parts.chores.forget()
    inbox.putFirst(first)
    fresh = undefined
    goesOn = true
  }

  const isGuarded = (): boolean => !recorder.failure() && parts.admission?.isGuarded() === true

  async function takeTurn(waiting: Waiting): Promise<End> {
    const { promptId, content } = waiting
    const turnId = ids.uuid()
    turn = new AbortController()
    goesOn = false
    recorder.recover()
    parts.hooks?.turnBegins()
    recorder.record({ kind: "turn_start", turnId })
    const unsent = isGuarded() ? await parts.admission?.first(waiting, turn.signal) : undefined
    if (unsent) return endTurn(turnId, unsent)
    parts.beforePrompt(promptId)
    const delivering = spoken.deliver(waiting, turn.signal)
    const said = delivering ? await delivering : { content }
    if ("reason" in said) return endTurn(turnId, said)
    recorder.record({ kind: "prompt", promptId, ...said })
    // Whoever shows what waits has shown this, too.
    if (waitingShown) tellQueue()
    return throughTurn(turnId, turn)
  }

  /** Drives the loop until the turn ends, and records how it did. */
  async function throughTurn(
    turnId: string,
    controller: AbortController,
    waiting: readonly ToolUseBlock[] = [],
  ): Promise<End> {
    // What cannot be recorded does not happen: not in the turn in which the log failed, nor in a later one.
    if (recorder.failure()) controller.abort()
    const end = await run(parts.agent, controller.signal, waiting).catch(mistake)
    const failure = recorder.failure()
    const honest: End = failure ? { reason: "error", cause: "log", message: logWords(failure) } : end
    if (honest.reason === "error" && !failure) await parts.hooks?.turnFailed(honest, controller.signal)
    return endTurn(turnId, honest)
  }

  async function endTurn(turnId: string, end: End): Promise<End> {
    recorder.record({ kind: "turn_end", turnId, ...end })
    turn = undefined
    await recorder.sync()
    return end
  }

  function prompt(op: Op & { type: "prompt" }): Result<void, OpFailure> {
    // As it will be read from the log again, byte for byte: a client may order fields in its own way, or add some.
    const content = op.content
      .filter((block) => block.type !== "text" || block.text.trim() !== "")
      .map((block) => (block.type === "text" ? ({ type: "text", text: block.text } as const) : block))
    if (content.length === 0) return failed({ kind: "empty_prompt" })
    const found = spoken.recognise({ ...op, content })
    if (!found.ok) return found
    const isCommand = found.value === "command"
    const promptId = op.promptId ?? ids.uuid()
    // A command begins a turn of its own, in which what it brings along holds.
    const when = isCommand ? "queue" : op.when
    const waiting: Waiting = { promptId, content, when, ...given("command", op.command) }
    // Whatever has to wait is in the log first, also behind what an interrupt or a crash left waiting.
    const waits = driving !== undefined || inbox.texts().length > 0 || isGuarded() || isCommand
    if (waits) recorder.record({ kind: "queued", promptId, content, when })
    inbox.put(waiting)
    if (driving && (isChore || turn === undefined || turn.signal.aborted)) goesOn = true
    if (waits) tellQueue()
    driving ??= drive()
    return ok(undefined)
  }

  /** What is no turn runs between turns, one at a time; what is said meanwhile waits for it. */
  function chore(name: ChoreName, work: Chore): Result<void, OpFailure> {
    if (driving) return failed({ kind: "working" })
    driving = (async () => {
      turn = new AbortController()
      isChore = true
      goesOn = false
      feed.publish({ type: "chore", name, running: true })
      await unlessUnsaved(work)(turn.signal).catch((error: unknown) =>
        recorder.record({ kind: "notice", level: "error", text: mistakeWords(error) }),
      )
      turn = undefined
      feed.publish({ type: "chore", name, running: false })
      await recorder.sync()
      isChore = false
      // What waited before it, or was said before it was interrupted, goes on waiting for the person.
      if (goesOn) await drive()
      else driving = undefined
    })()
    return ok(undefined)
  }

  const unlessUnsaved =
    (work: Chore): Chore =>
    async (signal) => {
      const failure = recorder.failure()
      if (failure) recorder.record({ kind: "notice", level: "error", text: unsavedChoreWords(failure) })
      else await work(signal)
    }

  function answer(op: Op & { type: "answer" }): Result<void, OpFailure> {
    const { questionId } = op
    const taken = questions.answer(questionId, op.answer, op.digest)
    if (taken === "taken") return ok(undefined)
    return failed({ kind: taken === "stale" ? "stale" : "no_such_question", questionId })
  }

  const tellQueue = (): void => {
    const texts = inbox.texts()
    waitingShown = texts.length > 0
    feed.publish({ type: "queue_change", texts })
  }

  const interrupt = (graceMs?: number): void => {
    if (graceMs !== undefined) parts.hurry(graceMs)
    if (isChore) goesOn = false
    turn?.abort()
  }

  async function shut(): Promise<void> {
    closed = true
    // Who leaves has not said no: the question is still open in the log, and is asked again when the session goes on.
    if (questions.open().length > 0) recorder.seal()
    interrupt()
    while (driving) await driving
    recorder.recover()
    try {
      await parts.close()
    } finally {
      feed.close()
    }
  }

  // Not before the door is handed out: what goes on may want it.
  if (parts.unfinished) driving = Promise.resolve(parts.unfinished).then(drive)

  return {
    id: parts.id,
    about: parts.about,
    interrupt,
    startFresh(text) {
      fresh = text
      turn?.abort()
    },
    state: parts.state,
    openQuestions: questions.open,
    look: parts.look,
    events: (after) => feed.after(after),
    submit(op) {
      if (closed) return failed({ kind: "closed" })
      // Not within the turn that the failure ends.
      if (!driving) recorder.recover()
      switch (op.type) {
        case "prompt":
          return prompt(op)
        case "command": {
          const said = spoken.asPrompt(op)
          return said.ok ? prompt(said.value) : said
        }
        case "answer":
          return answer(op)
        case "interrupt":
          interrupt(op.graceMs)
          return ok(undefined)
        case "set_mode":
          if (op.mode === "bypassPermissions" && !parts.bypassAvailable)
            return failed({ kind: "mode_not_available", mode: op.mode })
          recorder.record({ kind: "mode", mode: op.mode })
          return ok(undefined)
        case "set_model":
          recorder.record({ kind: "model", model: op.model, why: "chosen" })
          return ok(undefined)
        case "rename":
          if (op.title.trim() === "") return failed({ kind: "empty_title" })
          recorder.record({ kind: "title", text: op.title.trim(), by: "person" })
          return ok(undefined)
        case "background":
          return parts.moveToBackground() ? ok(undefined) : failed({ kind: "nothing_runs" })
        case "stop_agent":
          return parts.agents?.stop(op.agentId) ? ok(undefined) : noAgent(op.agentId)
        case "steer_agent":
          return parts.agents?.steer(op.agentId, op.content) ? ok(undefined) : noAgent(op.agentId)
        case "rewind":
          return chore("rewind", (signal) => parts.chores.rewind(op, signal))
        case "switch":
          return chore("switch", () => parts.chores.switch(op.to))
        case "redo":
        case "clear":
        case "uncompact":
          return chore(op.type, parts.chores[op.type])
        case "compact":
          return chore("compact", (signal) => parts.chores.compact(op, signal))
        case "shell":
          return chore("shell", (signal) => parts.chores.shell(op.command, signal))
        default:
          return never(op)
      }
    },
    async settled() {
      while (driving) await driving
    },
    close: () => (closing ??= shut()),
  }
}

const noAgent = (agentId: string): Result<never, OpFailure> => failed({ kind: "no_such_agent", agentId })

const mistake = (error: unknown): End => ({
  reason: "error",
  cause: "mistake",
  message: mistakeWords(error),
})

const mistakeWords = (error: unknown): string =>
  `Codewright made a mistake of its own: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`

const logWords = (failure: LogFailure): string =>
  `${unsavedWords(failure)} The turn was ended so that nothing happens unrecorded. When it can be saved again, your next prompt continues the session.`

const unsavedChoreWords = (failure: LogFailure): string =>
  `${unsavedWords(failure)} Nothing was done, because nothing may happen unrecorded.`

const unsavedWords = ({ message, path }: LogFailure): string => `The session could not be saved: ${message} (${path}).`
