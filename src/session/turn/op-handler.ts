/** Accepts ops and says whether they can be done. */

import type { PromptBlock } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import type { Ids } from "#lib/ids.ts"
import { optional } from "#lib/optional.ts"
import { never } from "#lib/never.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { isAtOnce, type OpAtOnce } from "#session/port/at-once.ts"
import { type Chores, isChoreOp, workOf } from "./chores.ts"
import type { Driver } from "./drive.ts"
import type { Inbox, WaitingPrompt } from "#session/journal/inbox.ts"
import { isInTime, type OpInTime } from "#session/adapters/in-time.ts"
import type { Journal } from "#session/journal/journal.ts"
import type { Questions } from "#session/journal/questions.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { OpFailure, Session } from "#session/port/session.ts"
import type { CommandDelivery } from "./command-delivery.ts"
import type { Turns } from "./turns.ts"
import { withdrawn } from "./withdrawn.ts"

export interface OpHandlerParts {
  readonly driver: Driver
  readonly turns: Turns
  readonly journal: Pick<Journal, "record" | "recover" | "seal" | "feed">
  readonly inbox: Inbox
  readonly commands: CommandDelivery
  readonly questions: Questions
  readonly ids: Ids
  readonly chores: Chores
  /** Whether a hook may refuse a model, and why it does. */
  readonly guardsModel: () => boolean
  readonly beforeModelSwitch?: (to: string, signal: AbortSignal) => Promise<string | undefined>
  readonly atOnce: (op: OpAtOnce) => Result<void, OpFailure>
  readonly inTime: (op: OpInTime) => Promise<Result<void, OpFailure>>
  /** Limits the time that interrupted work has to end. */
  readonly hurry: (graceMs: number) => void
  /** Whether a server works on a call without us: whoever resumes the session gets its result. */
  readonly hasTasks: () => boolean
  /** Records what is only known at the end, while the log is still written. */
  readonly leaving: () => void
  readonly close: () => Promise<void>
}

export interface OpHandler {
  /** Synchronous whenever the op can be accepted or refused at once. */
  readonly run: (op: Op) => Result<void, OpFailure> | Promise<Result<void, OpFailure>>
  readonly say: (content: readonly PromptBlock[], when: "steer" | "queue") => boolean
  readonly close: Session["close"]
}

export function openOpHandler(parts: OpHandlerParts): OpHandler {
  const { driver, journal, questions } = parts
  let closed = false
  let closing: Promise<void> | undefined

  async function shut(how?: Parameters<Session["close"]>[0]): Promise<void> {
    closed = true
    driver.stop()
    parts.leaving()
    // Leaving is not declining: the question stays open in the log, and is asked again when the session continues.
    if (how === "handing over" || questions.open().length > 0 || parts.hasTasks()) journal.seal()
    parts.turns.interrupt(undefined, how === "handing over" ? undefined : how)
    await driver.settled()
    journal.recover()
    try {
      await parts.close()
    } finally {
      journal.feed.close()
    }
  }

  async function switchModel(op: Op & { readonly type: "set_model" }): Promise<Result<void, OpFailure>> {
    const why = await parts.beforeModelSwitch?.(op.model, new AbortController().signal)
    if (why !== undefined) return failed({ kind: "model", message: why })
    return closed ? failed({ kind: "closed" }) : carryOut(op, parts)
  }

  return {
    run(op) {
      if (closed) return failed({ kind: "closed" })
      // Not during the turn that the failure ends.
      if (!driver.isBusy()) journal.recover()
      if (isInTime(op)) return parts.inTime(op)
      return op.type === "set_model" && parts.guardsModel() ? switchModel(op) : carryOut(op, parts)
    },
    say(content, when) {
      if (closed) return false
      if (!driver.isBusy()) journal.recover()
      return prompt({ type: "prompt", content, when, origin: { kind: "made" } }, parts).ok
    },
    close: (how) => (closing ??= shut(how)),
  }
}

function carryOut(op: Exclude<Op, OpInTime>, parts: OpHandlerParts): Result<void, OpFailure> {
  const { driver } = parts
  if (op.type === "shell" && driver.isBusy()) return queueShell(op, parts)
  if (isChoreOp(op)) return driver.chore(op.type, workOf(op, parts.chores))
  if (isAtOnce(op)) return parts.atOnce(op)
  switch (op.type) {
    case "prompt":
      return prompt(op, parts)
    case "command": {
      const said = parts.commands.asPrompt(op)
      return said.ok ? prompt(said.value, parts) : said
    }
    case "answer":
      return answer(op, parts.questions)
    case "interrupt":
      if (op.graceMs !== undefined) parts.hurry(op.graceMs)
      // First, so that the end of the turn finds nothing to deliver.
      if (op.withdraw !== undefined) withdraw({ what: "all", by: op.withdraw, ...optional("from", op.from) }, parts)
      parts.turns.interrupt(op.withdraw === undefined ? undefined : { by: op.withdraw, from: op.from }, op.cause)
      // What another face has queued was not meant: it is sent next.
      if (op.withdraw !== undefined && parts.inbox.texts().length > 0) parts.turns.said()
      return ok(undefined)
    case "withdraw":
      withdraw(op, parts)
      return ok(undefined)
    case "release":
      parts.inbox.release()
      if (driver.isBusy()) parts.turns.said()
      driver.drive()
      return ok(undefined)
    case "wake":
      driver.wake()
      return ok(undefined)
    default:
      return never(op)
  }
}

function prompt(op: Op & { type: "prompt" }, parts: OpHandlerParts): Result<void, OpFailure> {
  const { driver, turns, inbox, commands, journal, ids } = parts
  // As it will be read back from the log, byte for byte: a client may order fields differently, or add some.
  const content = op.content
    .filter((block) => block.type !== "text" || block.text.trim() !== "")
    .map((block) => (block.type === "text" ? ({ type: "text", text: block.text } as const) : block))
  if (content.length === 0) return failed({ kind: "empty_prompt" })
  // Sent again by a client that did not hear that it was accepted.
  if (op.promptId !== undefined && inbox.knows(op.promptId)) return ok(undefined)
  const found = commands.recognise({ ...op, content })
  if (!found.ok) return found
  const isCommand = found.value === "command"
  const promptId = op.promptId ?? ids.uuid()
  // A command starts a turn of its own, which its rules and model apply to.
  const when = isCommand ? "queue" : op.when
  const stranger = isCommand ? undefined : commands.stranger({ ...op, content })
  const origin = { ...optional("origin", op.origin), ...optional("as", stranger ? "text" : op.as) }
  const extra = {
    ...optional("command", op.command),
    ...optional("holds", op.holds),
    ...optional("from", op.from),
    ...origin,
  }
  if (stranger && stranger.near.length > 0)
    journal.record({ kind: "notice", level: "info", text: `${opFailureWords(stranger)} It was sent as text.` })
  const waiting: WaitingPrompt = { promptId, content, when, ...extra }
  // A prompt that has to wait is logged first, even behind what an interrupt or a crash left waiting.
  const waits = driver.isBusy() || inbox.texts().length > 0 || driver.isGuarded() || isCommand
  if (waits) journal.record({ kind: "queued", promptId, content, when, ...origin })
  inbox.add(waiting)
  if (driver.isBusy()) turns.said()
  if (waits) driver.publishQueue()
  driver.drive()
  return ok(undefined)
}

function queueShell({ command, from }: Op & { type: "shell" }, parts: OpHandlerParts): Result<void, OpFailure> {
  const waiting = {
    promptId: parts.ids.uuid(),
    content: [{ type: "text", text: command }],
    when: "queue",
    as: "shell",
  } as const
  parts.journal.record({ kind: "queued", ...waiting })
  parts.inbox.add({ ...waiting, ...optional("from", from) })
  parts.turns.said()
  parts.driver.publishQueue()
  return ok(undefined)
}

function withdraw(
  { what, by, from }: Pick<Op & { type: "withdraw" }, "what" | "by" | "from">,
  { inbox, journal, driver }: OpHandlerParts,
): void {
  const prompts = inbox.withdraw(what, from)
  if (prompts.length === 0) return
  journal.record(withdrawn(prompts, by))
  driver.publishQueue()
}

function answer(
  { questionId, answer: said, digest, by }: Op & { type: "answer" },
  questions: Questions,
): Result<void, OpFailure> {
  const taken = questions.answer(questionId, said, digest, by)
  if (taken === "taken") return ok(undefined)
  return failed({ kind: taken === "stale" ? "stale" : "no_such_question", questionId })
}
