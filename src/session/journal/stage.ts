/** The stage of a session, folded from its log: how far it is, and what it waits for. Every log has exactly one. See decision 85. */

import type { End } from "#agent/words/end.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Follower } from "#agent/words/follower.ts"
import { gateNames, type Gates, type SwitchedGates } from "#agent/words/gates.ts"
import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import type { SessionStage } from "#agent/words/stage.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import type { AskedQuestion } from "./asked.ts"
import { restatedEntries } from "./journal.ts"

export interface StageState {
  /** Those of the opening, as they were switched since. */
  readonly gates: Gates
  readonly opened: Gates
  readonly switched: SwitchedGates
  /** Undefined until an entry says it. */
  readonly mode: PermissionMode | undefined
  /** Questions without an answer by id, oldest first. */
  readonly open: ReadonlyMap<string, AskedQuestion>
  /** Undefined before the first turn. */
  readonly turn: { readonly id: string; readonly end?: End } | undefined
  /** The last text of the main agent in this turn. */
  readonly said: { readonly messageId: string; readonly text: string } | undefined
  readonly talk: TalkState
}

/** What belongs to the conversation: rewinding takes it back. */
export interface TalkState {
  readonly clarified: string | undefined
  /** A plan was approved. */
  readonly isApproved: boolean
  /** The plan as it was shown last, or as the user changed it; `digest` is that of the question. */
  readonly plan: { readonly questionId: string; readonly markdown: string; readonly digest: string } | undefined
}

const beginningTalk: TalkState = { clarified: undefined, isApproved: false, plan: undefined }

const beginning: StageState = {
  gates: {},
  opened: {},
  switched: {},
  mode: undefined,
  open: new Map(),
  turn: undefined,
  said: undefined,
  talk: beginningTalk,
}

export function stageOf({ gates, mode, open, turn, talk }: StageState): SessionStage {
  const isUnclear = gates.clarify === true && talk.clarified === undefined
  const isPlanning = mode === "plan" || (gates.plan === true && !talk.isApproved)
  const waits = new Set([...open.values()].map(({ question }) => awaiting(question, isUnclear)))
  const first = waitingStages.find((stage) => waits.has(stage))
  if (first) return first
  if (turn?.end === undefined) return isUnclear || isPlanning ? "planning" : "executing"
  switch (turn.end.reason) {
    case "completed":
      // Whatever it said, nobody has agreed on the task yet.
      return isUnclear ? "awaiting_clarification" : "completed"
    case "aborted":
      return "cancelled"
    case "max_turns":
    case "max_budget":
    case "blocked_by_hook":
    case "structured_output_retry_exhausted":
    case "error":
      return "failed"
  }
}

/** If it waits for several things, the first of these is its stage. */
const waitingStages = [
  "awaiting_clarification",
  "awaiting_plan_approval",
  "awaiting_tool_approval",
  "awaiting_answer",
] as const

function awaiting({ ask, agent }: AskedQuestion["question"], isUnclear: boolean): (typeof waitingStages)[number] {
  switch (ask.kind) {
    case "permission":
      return "awaiting_tool_approval"
    case "plan":
      return "awaiting_plan_approval"
    case "choice":
      return isUnclear && agent === undefined ? "awaiting_clarification" : "awaiting_answer"
    case "elicitation":
      return "awaiting_answer"
  }
}

/** From a whole log, or from its last compaction on. */
export function stageIn(entries: readonly Entry[]): StageState {
  const all = [...restatedEntries(entries), ...entries]
  const state = all.reduce(foldStage, beginning)
  const path = entries.some(({ kind }) => kind === "head") ? pathOf(entries) : all
  return { ...state, talk: path.reduce(foldTalk, beginningTalk) }
}

export interface StageKeeper extends Follower {
  readonly now: () => StageState
}

export function openStageKeeper(): StageKeeper {
  let state = beginning
  let talk = beginningTalk
  return {
    now: () => ({ ...state, talk }),
    onEntry: (entry) => void (state = foldStage(state, entry)),
    conversation: {
      reset: () => void (talk = beginningTalk),
      onEntry: (entry) => void (talk = foldTalk(talk, entry)),
    },
  }
}

const foldStage = (state: StageState, entry: Entry): StageState => foldBody(state, entry, entry.at)

function foldBody(state: StageState, body: EntryBody, at: number): StageState {
  switch (body.kind) {
    case "begun":
      // A session that is not kept has no entry with the mode it begins in.
      return withGates({ ...state, opened: gatesIn(body.opening), mode: state.mode ?? modeIn(body.opening) })
    case "gates":
      return withGates({ ...state, switched: body.switched })
    case "mode":
      return { ...state, mode: body.mode }
    case "question": {
      const { question } = body
      const open = new Map(state.open)
      return { ...state, open: open.set(question.id, { question, at: open.get(question.id)?.at ?? at }) }
    }
    case "answer": {
      const asked = state.open.get(body.questionId)
      // An answer to something else leaves it open.
      if (!asked || (body.digest !== undefined && body.digest !== asked.question.digest)) return state
      const open = new Map(state.open)
      open.delete(body.questionId)
      return { ...state, open }
    }
    case "result": {
      if (state.open.size === 0) return state
      // A call that ended without asking again, because something else was wrong with it by then.
      const left = [...state.open].filter(([, { question }]) => question.ask.callId !== body.callId || question.agent)
      return left.length === state.open.size ? state : { ...state, open: new Map(left) }
    }
    case "turn_start":
      // A compaction repeats that of the current turn.
      return state.turn?.id === body.turnId && !state.turn.end
        ? state
        : { ...state, turn: { id: body.turnId }, said: undefined }
    case "turn_end": {
      const { kind: _kind, turnId, ...end } = body
      return { ...state, turn: { id: turnId, end } }
    }
    case "reply": {
      if (body.block.type !== "text") return state
      const { messageId, block } = body
      const before = state.said?.messageId === messageId ? `${state.said.text}\n\n` : ""
      return { ...state, said: { messageId, text: `${before}${block.text}` } }
    }
    case "compaction":
      return body.standing.reduce((next, one) => foldBody(next, one, at), state)
    default:
      return state
  }
}

function foldTalk(talk: TalkState, body: EntryBody): TalkState {
  switch (body.kind) {
    case "gate":
      return body.gate === "clarify" ? { ...talk, clarified: body.text } : talk
    case "question": {
      const { id, ask, agent, digest } = body.question
      if (ask.kind !== "plan" || agent) return talk
      return { ...talk, plan: { questionId: id, markdown: ask.plan, digest } }
    }
    case "answer": {
      const { plan } = talk
      const changed = body.answer.kind === "approve" || body.answer.kind === "deny" ? body.answer.plan : undefined
      if (plan?.questionId !== body.questionId || changed === undefined) return talk
      return { ...talk, plan: { ...plan, markdown: changed } }
    }
    case "plan":
      if (body.change === "approved") return { ...talk, isApproved: true }
      return body.change === "forgotten" ? { ...talk, isApproved: false, plan: undefined } : talk
    case "compaction":
      return body.standing.reduce(foldTalk, talk)
    default:
      return talk
  }
}

const modeIn = ({ permissions }: JsonObject): PermissionMode | undefined =>
  permissionModes.find((mode) => isObject(permissions) && mode === permissions.mode)

function withGates(state: StageState): StageState {
  const { opened, switched } = state
  const isOn = (name: (typeof gateNames)[number]): true | undefined => (switched[name]?.on ?? opened[name]) || undefined
  return { ...state, gates: Object.assign({}, ...gateNames.map((name) => optional(name, isOn(name)))) }
}

/** A log may have been written by another version: whatever is not a gate is left out. */
function gatesIn({ gates }: JsonObject): Gates {
  if (!isObject(gates)) return {}
  const isSet = (name: string): boolean | undefined => (gates[name] === true ? true : undefined)
  return Object.assign({}, ...gateNames.map((name) => optional(name, isSet(name))))
}
