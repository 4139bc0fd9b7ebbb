/** A chat of the protocol, folded from the events of a session: what happened there becomes the actions that say so. */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { Usage } from "#agent/words/model.ts"
import { saidText } from "#agent/words/prompt-text.ts"
import type { FleetEvent } from "#fleet/records.ts"
import { entryOf } from "#faces/web/page/line-entry.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { type CallFold, openCallFold } from "./call-fold.ts"
import {
  type ChatAction,
  type ChatMessage,
  type ChatState,
  reduceChat,
  type ToolCall,
  type UsageInfo,
} from "./chat-state.ts"
import { openStreamedText } from "./streamed-text.ts"

export interface ChatFold {
  readonly state: () => ChatState
  /** What an event of the session means; the state has it already. */
  readonly onEvent: (event: FleetEvent, at: number) => readonly ChatAction[]
  /** An action that no event says: it is part of the state as long as this process lives. */
  readonly add: (action: ChatAction, at: number) => void
  /** A question that can be answered now, by its call or by its own id. */
  readonly open: CallFold["open"]
}

interface OpenTurn {
  readonly turnId: string
  readonly startedAt: number
  /** Its first prompt has come, and so its name is known. */
  id: string | undefined
  usage: Usage | undefined
}

/** `turnNames`: what a client calls the turn of a prompt, if it calls it anything else. */
export function openChatFold(empty: ChatState, turnNames: ReadonlyMap<string, string>): ChatFold {
  let state = empty
  let turn: OpenTurn | undefined
  let out: ChatAction[] = []
  let now = 0
  /** The last turn that was over when an entry was written. */
  const lastTurnAt = new Map<string, string | undefined>()

  function send(...actions: readonly ChatAction[]): void {
    for (const action of actions) {
      state = reduceChat(state, action, new Date(now).toISOString())
      out.push(action)
    }
  }

  function startTurn(open: OpenTurn, id: string, message: ChatMessage): void {
    open.id = id
    send({ type: "chat/turnStarted", turnId: id, startedAt: new Date(open.startedAt).toISOString(), message })
  }

  /** The turn that is under way, as clients know it; one that begins without a prompt has the name of ours. */
  function inTurn(): string {
    turn ??= { turnId: state.activeTurn?.id ?? "", startedAt: now, id: state.activeTurn?.id, usage: undefined }
    if (turn.id === undefined) startTurn(turn, turn.turnId, { text: "", origin: { kind: "systemNotification" } })
    return turn.id ?? turn.turnId
  }

  const calls = openCallFold({ send, turnId: inTurn, call: (id) => callIn(state, id) })
  const speech = openStreamedText(inTurn)

  const notice = (content: string): void =>
    send({ type: "chat/responsePart", turnId: inTurn(), part: { kind: "systemNotification", content } })

  function prompt(entry: Entry & { readonly kind: "prompt" }): void {
    const text = saidText(entry)
    const { promptId } = entry
    const kind = entry.origin?.kind === "made" ? "systemNotification" : "user"
    if (state.steeringMessage?.id === promptId)
      send({ type: "chat/pendingMessageRemoved", kind: "steering", id: promptId })
    if (turn && turn.id === undefined)
      return startTurn(turn, turnNames.get(promptId) ?? promptId, { text, origin: { kind } })
    notice(text)
  }

  function endTurn(end: Pick<End, "reason" | "message" | "cause">): void {
    const turnId = inTurn()
    send(endAction(end, { turnId, duration: Math.max(0, now - (turn?.startedAt ?? now)) }))
    turn = undefined
  }

  function rewound(head: Entry & { readonly kind: "head" }): void {
    if (head.before !== undefined) return
    turn = undefined
    const turnId = head.to === null ? undefined : lastTurnAt.get(head.to)
    send({ type: "chat/truncated", ...(turnId !== undefined && { turnId }) })
  }

  function used(entry: Entry & { readonly kind: "reply_end" }): void {
    speech.onReplyEnd(entry.messageId)
    if (turn?.id === undefined) return
    turn.usage = sum(turn.usage, entry.usage)
    send({ type: "chat/usage", turnId: turn.id, usage: usageInfo(turn.usage, entry.model) })
  }

  function onEntry(entry: Entry): void {
    switch (entry.kind) {
      case "turn_start":
        turn = { turnId: entry.turnId, startedAt: entry.at, id: undefined, usage: undefined }
        return undefined
      case "turn_end":
        return endTurn(entry)
      case "prompt":
        return prompt(entry)
      case "reply":
        if (entry.block.type === "tool_use") {
          speech.onReply(entry)
          return calls.made(entry.block)
        }
        return send(...(speech.onReply(entry) ?? []))
      case "reply_end":
        return used(entry)
      case "head":
        return rewound(entry)
      case "notice":
        if (state.activeTurn && entry.level !== "info") notice(entry.text)
        return undefined
      case "compaction":
        return state.activeTurn ? notice("Summarized the conversation.") : undefined
      default:
        return calls.onEntry(entry)
    }
  }

  function onMoment(moment: Moment & { readonly cursor?: string }): void {
    if (!state.activeTurn) return
    if (moment.type === "model_delta") send(...speech.onDelta(moment, moment.cursor ?? ""))
    if (moment.type === "tool_progress") calls.progress(moment.callId, moment.progress.output)
  }

  /** A session that fails or is cancelled may leave a turn behind that no entry ends. */
  function onStage(stage: JsonValue | undefined): void {
    if (!state.activeTurn || (stage !== "failed" && stage !== "cancelled")) return
    endTurn(stage === "cancelled" ? { reason: "aborted" } : { reason: "error", message: "The session failed." })
  }

  return {
    state: () => state,
    add(action, at) {
      state = reduceChat(state, action, new Date(at).toISOString())
    },
    onEvent({ type, data }, at) {
      out = []
      now = at
      const value = parsed(data)
      if (type === "entry") {
        const entry = entryOf(value)
        if (!entry) return out
        now = entry.at
        onEntry(entry)
        lastTurnAt.set(entry.uuid, state.turns.at(-1)?.id)
      }
      if (type === "approval" && isObject(value)) calls.approval(value)
      if (type === "stage" && isObject(value)) onStage(value["stage"])
      // A moment is what a worker sent; an unknown one changes nothing.
      if (type === "moment" && isObject(value)) onMoment(value as unknown as Moment)
      return out
    },
    open: calls.open,
  }
}

function endAction(
  { reason, cause, message }: Pick<End, "reason" | "message" | "cause">,
  over: { readonly turnId: string; readonly duration: number },
): ChatAction {
  if (reason === "completed") return { type: "chat/turnComplete", ...over }
  if (reason === "aborted") return { type: "chat/turnCancelled", ...over }
  const error = { errorType: cause ?? reason, message: message ?? "The turn ended early." }
  return { type: "chat/error", ...over, error }
}

const usageInfo = (usage: Usage, model: string): UsageInfo => ({
  inputTokens: usage.input_tokens + usage.cache_creation_input_tokens,
  outputTokens: usage.output_tokens,
  cacheReadTokens: usage.cache_read_input_tokens,
  model,
})

function callIn({ activeTurn }: ChatState, id: string): ToolCall | undefined {
  for (const part of activeTurn?.responseParts ?? [])
    if (part.kind === "toolCall" && part.toolCall.toolCallId === id) return part.toolCall
  return undefined
}

const sum = (before: Usage | undefined, more: Usage): Usage => ({
  ...more,
  input_tokens: more.input_tokens + (before?.input_tokens ?? 0),
  output_tokens: more.output_tokens + (before?.output_tokens ?? 0),
  cache_creation_input_tokens: more.cache_creation_input_tokens + (before?.cache_creation_input_tokens ?? 0),
  cache_read_input_tokens: more.cache_read_input_tokens + (before?.cache_read_input_tokens ?? 0),
})

function parsed(data: string): JsonValue {
  try {
    return JSON.parse(data) as JsonValue
  } catch {
    return null
  }
}
