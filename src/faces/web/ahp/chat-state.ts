/** The state of a chat as the protocol defines it, as far as this server uses it, and what each action does to it. */

import type { JsonObject } from "#lib/json.ts"
import { statusBits } from "./names.ts"

export interface ChatMessage {
  readonly text: string
  readonly origin: { readonly kind: "user" | "agent" | "systemNotification" }
}

export interface ConfirmationOption {
  readonly id: string
  readonly label: string
  readonly kind: "approve" | "deny"
}

export type Words = string | { readonly markdown: string }

interface CallBase {
  readonly toolCallId: string
  readonly toolName: string
  readonly displayName: string
}

interface CallInput {
  readonly invocationMessage: Words
  readonly toolInput?: string
}

export type Confirmed = "not-needed" | "user-action" | "setting"

export interface TextContent {
  readonly type: "text"
  readonly text: string
}

export interface CallOutcome {
  readonly success: boolean
  readonly pastTenseMessage: Words
  readonly content?: readonly TextContent[]
  readonly error?: { readonly message: string }
}

export type ToolCall = CallBase &
  (
    | { readonly status: "streaming" }
    | (CallInput & {
        readonly status: "pending-confirmation"
        readonly confirmationTitle?: Words
        readonly options?: readonly ConfirmationOption[]
      })
    | (CallInput & {
        readonly status: "running"
        readonly confirmed: Confirmed
        readonly selectedOption?: ConfirmationOption
        readonly content?: readonly TextContent[]
      })
    | (CallInput &
        CallOutcome & {
          readonly status: "completed"
          readonly confirmed: Confirmed
          readonly selectedOption?: ConfirmationOption
        })
    | (CallInput & {
        readonly status: "cancelled"
        readonly reason: "denied" | "skipped"
        readonly reasonMessage?: string
        readonly selectedOption?: ConfirmationOption
      })
  )

export interface InputQuestion {
  readonly kind: "single-select" | "multi-select"
  readonly id: string
  readonly title: string
  readonly message: string
  readonly options: readonly { readonly id: string; readonly label: string; readonly description: string }[]
  readonly allowFreeformInput: true
}

export interface InputRequest {
  readonly id: string
  readonly message: string
  readonly questions: readonly InputQuestion[]
  /** What clients have filled in so far, as they sent it. */
  readonly answers?: JsonObject
}

export type ResponsePart =
  | { readonly kind: "markdown" | "reasoning"; readonly id: string; readonly content: string }
  | { readonly kind: "toolCall"; readonly toolCall: ToolCall }
  | { readonly kind: "systemNotification"; readonly content: string }
  | { readonly kind: "inputRequest"; readonly request: InputRequest; readonly response?: InputResponse }

export type InputResponse = "accept" | "decline" | "cancel"

export interface UsageInfo {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly model: string
}

export interface ActiveTurn {
  readonly id: string
  readonly startedAt: string
  readonly message: ChatMessage
  readonly responseParts: readonly ResponsePart[]
  readonly usage?: UsageInfo
}

export interface Turn extends ActiveTurn {
  readonly duration: number
  readonly state: "complete" | "cancelled" | "error"
  readonly error?: TurnError
}

export interface TurnError {
  readonly errorType: string
  readonly message: string
}

export interface PendingMessage {
  readonly id: string
  readonly message: ChatMessage
}

export interface ChatState {
  readonly resource: string
  readonly title: string
  readonly status: number
  readonly modifiedAt: string
  readonly turns: readonly Turn[]
  readonly activeTurn?: ActiveTurn
  readonly steeringMessage?: PendingMessage
}

interface OfCall {
  readonly turnId: string
  readonly toolCallId: string
}

interface TurnOver {
  readonly turnId: string
  readonly duration: number
}

/** The actions that this server sends. */
export type ChatAction =
  | {
      readonly type: "chat/turnStarted"
      readonly turnId: string
      readonly startedAt: string
      readonly message: ChatMessage
      readonly queuedMessageId?: string
    }
  | {
      readonly type: "chat/delta" | "chat/reasoning"
      readonly turnId: string
      readonly partId: string
      readonly content: string
    }
  | { readonly type: "chat/responsePart"; readonly turnId: string; readonly part: ResponsePart }
  | ({ readonly type: "chat/toolCallStart"; readonly toolName: string; readonly displayName: string } & OfCall)
  | ({
      readonly type: "chat/toolCallReady"
      readonly confirmationTitle?: Words
      readonly options?: readonly ConfirmationOption[]
      readonly confirmed?: Confirmed
    } & OfCall &
      CallInput)
  | ({
      readonly type: "chat/toolCallConfirmed"
      readonly approved: true
      readonly confirmed: Confirmed
      readonly selectedOptionId?: string
    } & OfCall)
  | ({
      readonly type: "chat/toolCallConfirmed"
      readonly approved: false
      readonly reason: "denied"
      readonly reasonMessage?: string
      readonly selectedOptionId?: string
    } & OfCall)
  | ({ readonly type: "chat/toolCallContentChanged"; readonly content: readonly TextContent[] } & OfCall)
  | ({ readonly type: "chat/toolCallComplete"; readonly result: CallOutcome } & OfCall)
  | { readonly type: "chat/usage"; readonly turnId: string; readonly usage: UsageInfo }
  | ({ readonly type: "chat/turnComplete" | "chat/turnCancelled" } & TurnOver)
  | ({ readonly type: "chat/error"; readonly error: TurnError } & TurnOver)
  | { readonly type: "chat/truncated"; readonly turnId?: string }
  | {
      readonly type: "chat/pendingMessageSet"
      readonly kind: "steering"
      readonly id: string
      readonly message: ChatMessage
    }
  | { readonly type: "chat/pendingMessageRemoved"; readonly kind: "steering"; readonly id: string }
  | { readonly type: "chat/inputRequested"; readonly request: InputRequest }
  | {
      readonly type: "chat/inputAnswerChanged"
      readonly requestId: string
      readonly questionId: string
      readonly answer?: JsonObject
    }
  | { readonly type: "chat/inputCompleted"; readonly requestId: string; readonly response: InputResponse }

export const emptyChat = (resource: string, title: string, at: string): ChatState => ({
  resource,
  title,
  status: statusBits.idle,
  modifiedAt: at,
  turns: [],
})

/** `at`: when it happened. */
export function reduceChat(state: ChatState, action: ChatAction, at: string): ChatState {
  switch (action.type) {
    case "chat/turnStarted": {
      const { turnId: id, startedAt, message } = action
      return refreshed({ ...state, activeTurn: { id, startedAt, message, responseParts: [] }, modifiedAt: at })
    }
    case "chat/responsePart":
      return inTurn(state, action.turnId, (parts) => [...parts, action.part])
    case "chat/delta":
    case "chat/reasoning": {
      const kind = action.type === "chat/delta" ? "markdown" : "reasoning"
      return inTurn(state, action.turnId, (parts) =>
        parts.map((part) =>
          part.kind === kind && part.id === action.partId ? { ...part, content: part.content + action.content } : part,
        ),
      )
    }
    case "chat/toolCallStart": {
      const { toolCallId, toolName, displayName } = action
      const toolCall: ToolCall = { toolCallId, toolName, displayName, status: "streaming" }
      return inTurn(state, action.turnId, (parts) => [...parts, { kind: "toolCall", toolCall }])
    }
    case "chat/toolCallReady":
    case "chat/toolCallConfirmed":
    case "chat/toolCallContentChanged":
    case "chat/toolCallComplete":
      return refreshed(
        inTurn(state, action.turnId, (parts) =>
          parts.map((part) =>
            part.kind === "toolCall" && part.toolCall.toolCallId === action.toolCallId
              ? { ...part, toolCall: changedCall(part.toolCall, action) }
              : part,
          ),
        ),
      )
    case "chat/usage":
      return state.activeTurn?.id === action.turnId
        ? { ...state, activeTurn: { ...state.activeTurn, usage: action.usage } }
        : state
    case "chat/turnComplete":
      return endedTurn(state, action, "complete", at)
    case "chat/turnCancelled":
      return endedTurn(state, action, "cancelled", at)
    case "chat/error":
      return { ...endedTurn(state, action, "error", at, action.error), status: statusBits.error }
    case "chat/truncated": {
      const last = state.turns.findIndex(({ id }) => id === action.turnId)
      const { activeTurn: _active, ...rest } = state
      return { ...rest, turns: state.turns.slice(0, last + 1), status: statusBits.idle, modifiedAt: at }
    }
    case "chat/pendingMessageSet":
      return { ...state, steeringMessage: { id: action.id, message: action.message } }
    case "chat/pendingMessageRemoved": {
      const { steeringMessage, ...rest } = state
      return steeringMessage?.id === action.id ? rest : state
    }
    case "chat/inputRequested":
    case "chat/inputAnswerChanged":
    case "chat/inputCompleted":
      return changedInput(state, action, at)
  }
}

type CallAction = Extract<ChatAction, OfCall>

/** Only what the protocol allows in the state that a call has: anything else changes nothing. */
function changedCall(call: ToolCall, action: CallAction): ToolCall {
  const { toolCallId, toolName, displayName } = call
  const base = { toolCallId, toolName, displayName }
  switch (action.type) {
    case "chat/toolCallReady": {
      if (call.status === "completed" || call.status === "cancelled") return call
      const { invocationMessage, toolInput, confirmed, confirmationTitle, options } = action
      const input = { invocationMessage, ...(toolInput !== undefined && { toolInput }) }
      if (confirmed) return { ...base, ...input, status: "running", confirmed }
      return {
        ...base,
        ...input,
        status: "pending-confirmation",
        ...(confirmationTitle !== undefined && { confirmationTitle }),
        ...(options && { options }),
      }
    }
    case "chat/toolCallConfirmed": {
      if (call.status !== "pending-confirmation") return call
      const selectedOption = call.options?.find(({ id }) => id === action.selectedOptionId)
      const kept = { ...base, ...inputOf(call), ...(selectedOption && { selectedOption }) }
      if (action.approved) return { ...kept, status: "running", confirmed: action.confirmed }
      const { reason, reasonMessage } = action
      return { ...kept, status: "cancelled", reason, ...(reasonMessage !== undefined && { reasonMessage }) }
    }
    case "chat/toolCallContentChanged":
      return call.status === "running" ? { ...call, content: action.content } : call
    case "chat/toolCallComplete": {
      if (call.status !== "running" && call.status !== "pending-confirmation") return call
      const confirmed = call.status === "running" ? call.confirmed : "not-needed"
      const selected = call.status === "running" && call.selectedOption ? { selectedOption: call.selectedOption } : {}
      return { ...base, ...inputOf(call), ...selected, ...action.result, status: "completed", confirmed }
    }
    default:
      return call
  }
}

const inputOf = ({ invocationMessage, toolInput }: CallInput): CallInput => ({
  invocationMessage,
  ...(toolInput !== undefined && { toolInput }),
})

function endedTurn(
  state: ChatState,
  { turnId, duration }: TurnOver,
  how: Turn["state"],
  at: string,
  error?: TurnError,
): ChatState {
  const { activeTurn, ...rest } = state
  if (activeTurn?.id !== turnId) return state
  const responseParts = activeTurn.responseParts.map((part): ResponsePart => {
    if (part.kind !== "toolCall") return part
    const { toolCall } = part
    if (toolCall.status === "completed" || toolCall.status === "cancelled") return part
    const { toolCallId, toolName, displayName } = toolCall
    const input = toolCall.status === "streaming" ? { invocationMessage: "" } : inputOf(toolCall)
    return {
      ...part,
      toolCall: { toolCallId, toolName, displayName, ...input, status: "cancelled", reason: "skipped" },
    }
  })
  const turn: Turn = { ...activeTurn, responseParts, duration, state: how, ...(error && { error }) }
  return { ...rest, turns: [...state.turns, turn], status: statusBits.idle, modifiedAt: at }
}

type InputAction = Extract<
  ChatAction,
  { readonly type: "chat/inputRequested" | "chat/inputAnswerChanged" | "chat/inputCompleted" }
>

function changedInput(state: ChatState, action: InputAction, at: string): ChatState {
  const turn = state.activeTurn
  if (!turn) return state
  if (action.type === "chat/inputRequested") {
    const part: ResponsePart = { kind: "inputRequest", request: action.request }
    const index = turn.responseParts.findIndex((each) => isOpenInput(each, action.request.id))
    const responseParts = index < 0 ? [...turn.responseParts, part] : turn.responseParts.with(index, part)
    return refreshed({ ...state, activeTurn: { ...turn, responseParts }, modifiedAt: at })
  }
  const parts = turn.responseParts.map((part): ResponsePart => {
    if (!isOpenInput(part, action.requestId)) return part
    if (action.type === "chat/inputCompleted") return { ...part, response: action.response }
    const { [action.questionId]: _old, ...others } = part.request.answers ?? {}
    const answers = action.answer ? { ...others, [action.questionId]: action.answer } : others
    return { ...part, request: { ...part.request, answers } }
  })
  return refreshed({ ...state, activeTurn: { ...turn, responseParts: parts } })
}

const isOpenInput = (
  part: ResponsePart,
  id: string,
): part is Extract<ResponsePart, { readonly kind: "inputRequest" }> =>
  part.kind === "inputRequest" && part.response === undefined && part.request.id === id

function inTurn(
  state: ChatState,
  turnId: string,
  change: (parts: readonly ResponsePart[]) => readonly ResponsePart[],
): ChatState {
  const turn = state.activeTurn
  if (turn?.id !== turnId) return state
  return { ...state, activeTurn: { ...turn, responseParts: change(turn.responseParts) } }
}

function refreshed(state: ChatState): ChatState {
  const status = !state.activeTurn
    ? statusBits.idle
    : state.activeTurn.responseParts.some(waits)
      ? statusBits.inputNeeded
      : statusBits.inProgress
  return { ...state, status }
}

/** Whether a part waits for a person. */
export const waits = (part: ResponsePart): boolean =>
  (part.kind === "toolCall" && part.toolCall.status === "pending-confirmation") ||
  (part.kind === "inputRequest" && part.response === undefined)
