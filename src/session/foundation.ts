/** What all rooms of a session share: rules, ground, log, questions and ledger. Depends on no kit. */

import { type Inbox, openInbox, type WaitingPrompt } from "#session/journal/inbox.ts"
import { openBudgetPause, type OverBudget } from "#session/opening/budget-pause.ts"
import type { AddWords, Question } from "#agent/words/question.ts"
import type { SessionTrace } from "#ground/telemetry/follow.ts"
import type { Origin } from "#ground/transcript/line.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openTurnScope, type TurnScope } from "#kits/commands/turn.ts"
import { type Conversation, openConversation } from "#kits/context/assemble.ts"
import { optional } from "#lib/optional.ts"
import { onceEach } from "#lib/once-each.ts"
import { type Aside, openAside } from "#session/adapters/aside.ts"
import { type Ground, openGround } from "#session/adapters/ground.ts"
import { type Journal, openJournal } from "#session/journal/journal.ts"
import type { Kept } from "#session/journal/kept.ts"
import { type LiveGates, openLiveGates } from "#session/opening/gates.ts"
import { type Lineage, lineageOf } from "#session/opening/lineage.ts"
import { budgetOf, type SessionOptions } from "#session/opening/options.ts"
import { openQuestions, type Questions } from "#session/journal/questions.ts"
import type { SessionRules } from "#session/opening/rules.ts"
import { rememberSeen } from "#session/adapters/seen-files.ts"
import { openStanding, type Standing } from "#session/journal/standing.ts"
import { openStageKeeper, type StageKeeper } from "#session/journal/stage.ts"
import { openStates, type States } from "#session/opening/states.ts"
import { openTurns, type Turns } from "#session/turn/turns.ts"
import { openWiden, type Widen } from "#session/opening/widen.ts"

export interface Foundation extends Aside {
  readonly lineage: Lineage
  readonly rules: SessionRules
  readonly turns: Turns
  readonly states: States
  readonly ground: Ground
  readonly journal: Journal
  readonly record: Journal["record"]
  readonly publish: Journal["feed"]["publish"]
  readonly questions: Questions
  /** Called with each question that opens; the signal aborts when it is closed. */
  readonly onAsked: (listener: AskedListener) => void
  readonly overBudget: OverBudget
  readonly widen: Widen
  readonly inbox: Inbox
  readonly addWords: AddWords
  readonly conversation: Conversation
  readonly standing: Standing
  readonly stage: StageKeeper
  readonly gates: LiveGates
  /** Whether the plan gate keeps it in plan mode. */
  readonly isHeld: () => boolean
  readonly scope: TurnScope
  readonly transcript: string | undefined
  /** Where telemetry is on. */
  readonly trace?: SessionTrace
}

export function openFoundation(
  options: SessionOptions,
  rules: SessionRules,
  { log, unreadBytes, wholeFrom }: Kept,
): Foundation {
  const { place, clock, ids, model } = options
  const lineage = lineageOf(options)
  const turns = openTurns()
  const scope = openTurnScope(options.child?.lent)
  const stage = openStageKeeper()
  const gates = openLiveGates(options)
  const isHeld = (): boolean => gates.now().plan === true && lineage.agent === undefined && !stage.now().talk.isApproved
  const states = openStates({
    isHeld,
    beginning: {
      mode: options.permissions.mode,
      model: model.id,
      thinking: options.limits.thinking,
      budget: budgetOf(options.limits),
      cwd: place.cwd,
    },
    lineage,
    scope,
    factsOf: model.factsOf,
    bypassAvailable: options.permissions.bypassAvailable,
    ...optional("forMode", model.forMode),
  })
  const ground = openGround({
    ...options,
    lineage,
    rules: rules.now,
    mode: () => lineage.effectiveMode(states.current().mode),
    sessionFolder: sessionFolderOf(options, log),
  })
  const originIn = onceEach((cwd): Origin => ({
    sessionId: lineage.sessionId,
    ...optional("agentId", lineage.agent?.id),
    cwd,
    version: place.version,
    gitBranch: ground.repository?.branch ?? "",
    entrypoint: place.entrypoint,
  }))
  const journal = openJournal({
    log,
    unreadBytes,
    wholeFrom,
    state: states.answering,
    origin: () => originIn(states.logged().cwd),
    clock,
    ids,
    isLeft: lineage.isLeft,
    onFailure: () => turns.interrupt(),
  })
  const { record } = journal
  const publish = journal.feed.publish
  const asked = openAskedListener(publish)
  const asks = options.permissions.promptTool === undefined ? options.manner.asks : "client"
  const questions = lineage.questions(() =>
    openQuestions({
      asks,
      elicits: options.manner.elicits,
      leaves: options.manner.leaves && log !== undefined,
      record,
      publish: asked.publish,
    }),
  )
  const { bypassAvailable, withoutAuto } = options.permissions
  const widen = lineage.widen(openWiden({ record, bypassAvailable, withoutAuto, isFolder: ground.isFolder }))
  const inbox = openInbox()
  const conversation = openConversation({ shrink })
  const standing = openStanding()
  const pause = openBudgetPause({ asks: options.manner.asks, ask: questions.ask, record })
  journal.follow(
    states,
    pause,
    rules,
    { conversation },
    standing,
    stage,
    gates,
    ground.follower,
    rememberSeen(ground.workspace.stamps, journal.isAwake),
  )
  return {
    ...openAside({ ...options, lineage, record, state: states.logged }),
    lineage,
    rules,
    turns,
    states,
    ground,
    journal,
    record,
    publish,
    questions,
    onAsked: asked.listen,
    overBudget: lineage.overBudget(pause.overBudget),
    widen,
    inbox,
    addWords(callId, words) {
      const [promptId, text] = [`${callId}-words`, words?.trim() ?? ""]
      if (text === "" || inbox.knows(promptId)) return
      const waiting: WaitingPrompt = { promptId, content: [{ type: "text", text }], when: "steer", as: "text" }
      record({ kind: "queued", ...waiting })
      inbox.add(waiting)
    },
    conversation,
    standing,
    stage,
    gates,
    isHeld,
    scope,
    transcript: log?.path,
  }
}

/** Beside its log, wherever that is, unless another is named: a session may be resumed from another folder. */
function sessionFolderOf({ id, log: choice, sessionLogs }: SessionOptions, log: Kept["log"]): string {
  if (choice.kind !== "none" && choice.folder !== undefined) return choice.folder
  return log ? log.path.replace(/\.jsonl$/, "") : sessionLogs.sessionFolder(id)
}

type AskedListener = (question: Question, signal: AbortSignal) => void

function openAskedListener(publish: Journal["feed"]["publish"]): {
  readonly publish: Journal["feed"]["publish"]
  readonly listen: (listener: AskedListener) => void
} {
  const open = new Map<string, AbortController>()
  let listener: AskedListener | undefined
  return {
    listen: (next) => void (listener = next),
    publish(moment) {
      publish(moment)
      if (moment.type === "question_close") {
        open.get(moment.questionId)?.abort()
        open.delete(moment.questionId)
      }
      if (moment.type !== "question_open" || !listener) return
      const closed = new AbortController()
      open.set(moment.question.id, closed)
      listener(moment.question, closed.signal)
    },
  }
}
