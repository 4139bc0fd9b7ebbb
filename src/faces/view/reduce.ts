/** Folds events into a view. Pure, and indifferent to how the events were portioned. */

import type { Entry } from "#agent/words/entry.ts"
import type { Happening } from "#agent/words/event.ts"
import type { Goal } from "#agent/words/goal.ts"
import { goalNotice } from "#agent/words/goal-words.ts"
import type { ModelEvent } from "#agent/words/model.ts"
import { isByAuto } from "#agent/words/permission.ts"
import { saidText } from "#agent/words/prompt-text.ts"
import type { Question } from "#agent/words/question.ts"
import { dropped, finishMessage, finishThinking, finishText, say, think } from "./speech.ts"
import { noFiles, withResult } from "./changed.ts"
import { optional } from "#lib/optional.ts"
import { allowedByAuto, autoWords } from "./auto-words.ts"
import { agentActs, agentBegun } from "./agents.ts"
import { agentEnded, commandEnded } from "./background.ts"
import { callBegun, callMade, callResult, callWritten, changeCall, tailOf } from "./calls.ts"
import type { Item } from "./item.ts"
import { ownBegun, ownCommand, ownEnded, ownRan } from "./own-command.ts"
import { gateNotice } from "./gate-notice.ts"
import { denialWords, refusalOf } from "./refusal.ts"
import { compactionWords, feedbackWords, headWords, reviewWords } from "./turning-points.ts"
import type { View } from "./view.ts"
import { withWaiting, workedMs } from "./waiting.ts"

export function reduce(view: View, event: Happening): View {
  switch (event.type) {
    case "entry":
      return withWaiting(view, reduceEntry(view, event.entry), event.entry.at)
    case "model_delta":
      return reduceDelta(view, event.messageId, event.delta)
    case "tool_start":
      return changeCall(view, event.callId, (call) => ({
        ...call,
        title: event.title,
        state: "running",
        ...optional("gathers", event.gathers),
        ...optional("movable", event.movable),
      }))
    case "tool_progress":
      return changeCall(view, event.callId, (call) => ({
        ...call,
        tail: tailOf(call.tail + event.progress.output),
        totalBytes: event.progress.totalBytes,
        elapsedMs: event.progress.elapsedMs,
      }))
    case "retry_wait":
      return view.working ? { ...view, working: { ...view.working, retry: event.retry } } : view
    case "question_open":
      return asked(view, event.question)
    case "question_close":
      return { ...view, questions: view.questions.filter(({ id }) => id !== event.questionId) }
    case "queue_change":
      return { ...view, queue: event.texts }
    case "child":
      return agentActs(view, event.callId, event.event)
    case "background_end":
      return commandEnded(view, event)
    case "hook_status":
      return { ...view, hookStatus: event.texts }
    case "suggestion":
      return view.working ? view : { ...view, suggestion: event.text }
    case "chore":
      return { ...(event.running ? view : ownEnded(view)), chore: event.running ? event.name : undefined }
    default:
      return view
  }
}

function reduceDelta(view: View, messageId: string, delta: ModelEvent): View {
  switch (delta.type) {
    case "message_start":
      return quiet({ ...view, said: "", streamed: 0 })
    case "text_delta":
      return heard({ ...say(view, messageId, delta.text), said: view.said + delta.text }, delta.text)
    case "thinking_delta":
      return heard(think(view, messageId, delta.thinking), delta.thinking)
    case "block_start":
      return delta.block.type === "tool_use" ? callBegun(view, delta.index, delta.block) : view
    case "input_delta":
      return heard(callWritten(view, delta.index, delta.json), delta.json)
    case "block_stop": {
      const last = view.items.at(-1)
      const open = (last?.kind === "text" || last?.kind === "thinking") && !last.finished
      return open ? { ...finishMessage(view, messageId), said: "", streamed: view.streamed + 1 } : view
    }
    default:
      return view
  }
}

function heard(view: View, text: string): View {
  if (!view.working) return view
  return { ...view, working: { ...view.working, received: view.working.received + text.length } }
}

const quiet = (view: View): View =>
  view.working?.retry ? { ...view, working: { ...view.working, retry: undefined } } : view

function reduceEntry(view: View, entry: Entry): View {
  switch (entry.kind) {
    case "prompt":
      return add(view, { kind: "prompt", text: saidText(entry) })
    case "command": {
      const typed = add(view, { kind: "prompt", text: entry.typed })
      // What went wrong is said by the end of the turn.
      return entry.isError || entry.text === ""
        ? typed
        : add(typed, { kind: "notice", level: "info", text: entry.text })
    }
    case "reply":
      return reduceReply(view, entry)
    case "reply_end":
      return withCut(endReply(finishMessage(view, entry.messageId), entry), entry)
    case "orphan":
      return add(dropped(view, entry.messageId), {
        kind: "notice",
        level: "warning",
        text: "The answer was cut off. Asking again.",
      })
    case "result":
      return changed(callResult(view, entry), entry)
    case "intent":
      if (entry.tool === ownCommand) return ownBegun(view, entry)
      return changeCall(view, entry.callId, (call) => ({ ...call, title: entry.title }))
    case "decision":
      if (entry.behavior === "allow" && isByAuto(entry.reason)) return allowedByAuto(view, entry.callId)
      if (entry.behavior !== "deny") return view
      return changeCall(view, entry.callId, (call) => ({ refusal: denialWords(entry.reason), ...call }))
    case "question":
      return asked(view, entry.question)
    case "answer":
      return answered(view, entry)
    case "attachment":
      return typeof entry.data?.shown === "string"
        ? add(view, { kind: "notice", level: "info", text: entry.data.shown })
        : view
    case "gates": {
      const text = gateNotice(entry)
      return text === "" ? view : add(view, { kind: "notice", level: "info", text })
    }
    case "goal": {
      const text = entry.state === "cleared" ? "Goal ended." : goalNotice(entry)
      const now = { ...view, goal: openGoal(entry) }
      return text === "" ? now : add(now, { kind: "notice", level: "info", text })
    }
    case "loop":
      return entry.stopped
        ? add({ ...view, loop: undefined }, { kind: "notice", level: "info", text: "Loop ended." })
        : { ...view, loop: entry }
    case "notice":
      return add(entry.level === "info" ? view : ownEnded(view), {
        kind: "notice",
        level: entry.level,
        text: entry.text,
      })
    case "head":
      return add({ ...view, suggestion: undefined }, { kind: "notice", level: "info", text: headWords(entry) })
    case "review": {
      const text = reviewWords(entry)
      return text === "" ? view : add(view, { kind: "notice", level: "info", text })
    }
    case "feedback":
      return add(view, { kind: "notice", level: "info", text: feedbackWords(entry) })
    case "compaction":
      return add(standingIn(view, entry), { kind: "notice", level: "info", text: compactionWords(entry) })
    case "shell":
      return ownRan(view, entry)
    case "child":
      return entry.state === "ended" ? agentEnded(view, entry) : agentBegun(view, entry)
    case "todo":
      return { ...view, todos: entry.todos, todosAre: "current" }
    case "plan":
      return { ...view, planPath: entry.change === "forgotten" ? undefined : entry.path }
    case "mode":
      return { ...view, mode: entry.mode }
    case "model":
      return { ...view, model: entry.model }
    case "turn_start":
      return {
        ...ownEnded(view),
        todosAre: "old",
        suggestion: undefined,
        working: {
          since: entry.at,
          waitedMs: 0,
          askedAt: undefined,
          received: 0,
          outputTokens: 0,
          costUsd: 0,
          retry: undefined,
          files: noFiles,
          auto: [],
        },
      }
    case "turn_end":
      return endTurn(view, entry)
    default:
      return view
  }
}

/** For logs read from a compaction on: only the compaction has this. */
function standingIn(view: View, { standing }: Entry & { kind: "compaction" }): View {
  let { todos, goal, loop, mode, model } = view
  for (const body of standing) {
    if (body.kind === "todo") ({ todos } = body)
    if (body.kind === "goal") goal = openGoal(body)
    if (body.kind === "loop") loop = body.stopped ? undefined : body
    if (body.kind === "mode") ({ mode } = body)
    if (body.kind === "model") ({ model } = body)
  }
  return { ...view, todos, goal, loop, mode, model }
}

const openGoal = (goal: Goal): Goal | undefined => (goal.state === "open" ? goal : undefined)

function changed(view: View, entry: Entry & { kind: "result" }): View {
  const { working } = view
  return working ? { ...view, working: { ...working, files: withResult(working.files, entry, view.planPath) } } : view
}

function reduceReply(view: View, { messageId, block }: Entry & { kind: "reply" }): View {
  switch (block.type) {
    case "tool_use":
      return callMade(view, block)
    case "text":
    case "thinking": {
      if (view.streamed > 0) return { ...view, streamed: view.streamed - 1 }
      const last = view.items.at(-1)
      const open = (last?.kind === "text" || last?.kind === "thinking") && !last.finished
      if (open) return finishMessage(view, messageId)
      return block.type === "text"
        ? finishText(say(view, messageId, block.text))
        : finishThinking(think(view, messageId, block.thinking))
    }
    default:
      return view
  }
}

function endReply(view: View, entry: Entry & { kind: "reply_end" }): View {
  const { working } = view
  if (!working) return { ...view, streamed: 0 }
  const outputTokens = working.outputTokens + entry.usage.output_tokens
  const costUsd = working.costUsd + (entry.costUsd ?? 0)
  return { ...view, streamed: 0, working: { ...working, outputTokens, costUsd, received: 0, retry: undefined } }
}

/** Complete calls of an interrupted answer, and their results, stay. */
function withCut(view: View, { cut }: Entry & { kind: "reply_end" }): View {
  if (cut !== "broken") return view
  const text = "The answer was cut off. Complete calls are kept; asking for the rest again."
  return add(view, { kind: "notice", level: "warning", text })
}

/** A question arrives twice: as its entry, and when it opens. */
function asked(view: View, question: Question): View {
  const at = view.questions.findIndex(({ id }) => id === question.id)
  if (at === -1) return { ...view, questions: [...view.questions, question] }
  // Asked once more under the same id, it may show something else.
  return view.questions[at]?.digest === question.digest
    ? view
    : { ...view, questions: view.questions.with(at, question) }
}

function answered(view: View, { questionId, answer }: Entry & { kind: "answer" }): View {
  const question = view.questions.find(({ id }) => id === questionId)
  const rest = { ...view, questions: view.questions.filter(({ id }) => id !== questionId) }
  const ask = question?.ask
  if (ask === undefined) return rest
  if (ask.kind === "elicitation")
    return answer.kind === "elicited" ? add(rest, { kind: "elicited", server: ask.server, answer }) : rest
  const refusal = refusalOf(answer)
  return refusal === undefined ? rest : changeCall(rest, ask.callId, (call) => ({ ...call, refusal }))
}

function endTurn(view: View, entry: Entry & { kind: "turn_end" }): View {
  const { working } = view
  const auto = autoWords(view)
  const whole = dropped(view, undefined)
  const settled = auto === undefined ? whole : add(whole, { kind: "notice", level: "info", text: auto })
  return {
    ...add(settled, {
      kind: "end",
      reason: entry.reason,
      message: entry.message,
      cause: entry.cause,
      durationMs: working ? workedMs(working, entry.at) : 0,
      costUsd: working?.costUsd ?? 0,
      outputTokens: working?.outputTokens ?? 0,
      files: working?.files ?? noFiles,
    }),
    working: undefined,
  }
}

const add = (view: View, item: Item): View => ({ ...view, items: [...view.items, item] })
