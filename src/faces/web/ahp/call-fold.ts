/** The calls of a chat, from the model's words to their results, and what people are asked about them. */

import type { Entry } from "#agent/words/entry.ts"
import { textOf, type ToolUseBlock } from "#agent/words/message.ts"
import type { Question } from "#agent/words/question.ts"
import { plainTitle } from "#agent/words/title.ts"
import type { JsonObject } from "#lib/json.ts"
import { confirmationOf, inputRequestOf } from "./asked.ts"
import type { ChatAction, ToolCall } from "./chat-state.ts"

/** A question that waits for an answer. */
export interface OpenQuestion {
  readonly id: string
  readonly digest: string
  readonly kind: Question["ask"]["kind"]
}

export interface CallFold {
  readonly made: (use: ToolUseBlock) => void
  readonly progress: (callId: string, output: string) => void
  readonly onEntry: (entry: Entry) => void
  /** What a record says of something that somebody decides. */
  readonly approval: (record: JsonObject) => void
  /** By the id of its call for what is confirmed, else by its own. */
  readonly open: (id: string) => OpenQuestion | undefined
}

interface CallFoldParts {
  readonly send: (action: ChatAction) => void
  readonly turnId: () => string
  readonly call: (id: string) => ToolCall | undefined
}

/** More is not read in an editor, and the log has it whole. */
const mostText = 50_000
const mostTail = 8_000

export function openCallFold({ send, turnId, call }: CallFoldParts): CallFold {
  const titles = new Map<string, { readonly title: string; readonly input: string }>()
  const printed = new Map<string, string>()
  const questions = new Map<string, Question>()
  const open = new Map<string, OpenQuestion>()
  /** Calls of agents: nothing but the question about them is in this log. */
  const ofAgents = new Set<string>()

  function begin(toolCallId: string, toolName: string, title: string, input: JsonObject): void {
    if (call(toolCallId)) return
    titles.set(toolCallId, { title, input: cut(JSON.stringify(input, undefined, 2)) })
    send({ type: "chat/toolCallStart", turnId: turnId(), toolCallId, toolName, displayName: toolName })
  }

  const input = (toolCallId: string) => ({
    invocationMessage: titles.get(toolCallId)?.title ?? "",
    toolInput: titles.get(toolCallId)?.input ?? "",
  })

  function run(toolCallId: string, confirmed: "not-needed" | "setting"): void {
    if (call(toolCallId)?.status === "streaming")
      send({ type: "chat/toolCallReady", turnId: turnId(), toolCallId, ...input(toolCallId), confirmed })
  }

  function complete({ callId, isError, content, title }: Entry & { readonly kind: "result" }): void {
    const known = call(callId)
    printed.delete(callId)
    open.delete(callId)
    if (!known || known.status === "cancelled" || known.status === "completed") return
    run(callId, "not-needed")
    const text = cut(typeof content === "string" ? content : textOf(content))
    send({
      type: "chat/toolCallComplete",
      turnId: turnId(),
      toolCallId: callId,
      result: {
        success: !isError,
        pastTenseMessage: title ?? titles.get(callId)?.title ?? known.displayName,
        ...(text !== "" && { content: [{ type: "text", text }] }),
        ...(isError && { error: { message: text.split("\n")[0] ?? "" } }),
      },
    })
  }

  /** Asked of people now: before, the session could still answer it by itself. */
  function ask(question: Question): void {
    const { id, digest } = question
    const { callId, kind } = question.ask
    const request = inputRequestOf(question)
    const confirmation = confirmationOf(question)
    if (request) {
      open.set(id, { id, digest, kind })
      return send({ type: "chat/inputRequested", request })
    }
    if (!confirmation) {
      const content = "A server asks for a form. Fill it in on the page of this Codewright server."
      return send({ type: "chat/responsePart", turnId: turnId(), part: { kind: "systemNotification", content } })
    }
    if (!call(callId)) {
      ofAgents.add(callId)
      const {
        tool,
        title,
        input: toolInput,
      } = question.ask.kind === "permission" ? question.ask : { tool: "ExitPlanMode", title: "Plan", input: {} }
      begin(callId, tool, title, toolInput)
    }
    open.set(callId, { id, digest, kind })
    send({ type: "chat/toolCallReady", turnId: turnId(), toolCallId: callId, ...input(callId), ...confirmation })
  }

  function decided(question: Question, isYes: boolean, why: string | undefined): void {
    const { id, ask: asked, digest } = question
    if (open.delete(id))
      return send({ type: "chat/inputCompleted", requestId: id, response: isYes ? "accept" : "decline" })
    const { callId: toolCallId } = asked
    if (!open.delete(toolCallId)) return
    const about = { turnId: turnId(), toolCallId, selectedOptionId: `${isYes ? "allow" : "deny"}:${digest}` }
    const denied = { reason: "denied" as const, ...(why !== undefined && { reasonMessage: why }) }
    send(
      isYes
        ? { type: "chat/toolCallConfirmed", ...about, approved: true, confirmed: "user-action" }
        : { type: "chat/toolCallConfirmed", ...about, approved: false, ...denied },
    )
    if (isYes && ofAgents.has(toolCallId))
      send({
        type: "chat/toolCallComplete",
        turnId: turnId(),
        toolCallId,
        result: { success: true, pastTenseMessage: "Allowed. The agent continues." },
      })
  }

  return {
    made: ({ id, name, input: toolInput }) => begin(id, name, plainTitle({ name, input: toolInput }), toolInput),
    progress(callId, output) {
      run(callId, "not-needed")
      if (call(callId)?.status !== "running" || output === "") return
      const text = ((printed.get(callId) ?? "") + output).slice(-mostTail).toWellFormed()
      printed.set(callId, text)
      send({
        type: "chat/toolCallContentChanged",
        turnId: turnId(),
        toolCallId: callId,
        content: [{ type: "text", text }],
      })
    },
    onEntry(entry) {
      if (entry.kind === "question") questions.set(entry.question.id, entry.question)
      if (entry.kind === "decision" && entry.behavior === "allow")
        run(entry.callId, entry.reason.kind === "rule" ? "setting" : "not-needed")
      if (entry.kind === "intent") run(entry.callId, "not-needed")
      if (entry.kind === "result") complete(entry)
    },
    approval({ id, digest, state }) {
      const question = questions.get(String(id))
      if (!question || question.digest !== digest) return
      if (state === "open") ask(question)
      if (state === "allowed" || state === "denied") decided(question, state === "allowed", undefined)
      if (state === "expired") decided(question, false, "Nobody decided in time.")
      // What is asked instead, if anything, comes next.
      if (state === "void") {
        open.delete(question.id)
        open.delete(question.ask.callId)
      }
    },
    open: (id) => open.get(id),
  }
}

const cut = (text: string): string =>
  text.length <= mostText ? text : `${text.slice(0, mostText).toWellFormed()}\n[…]`
