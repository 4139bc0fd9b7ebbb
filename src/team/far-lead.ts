/** The lead as a member in another process sees it: what is handed down, where rules and questions go, and who pays. */

import type { AgentSpending } from "#agent/words/budget.ts"
import type { GateFact } from "#agent/words/gates.ts"
import type { Question } from "#agent/words/question.ts"
import type { Relay, RelayAskKind } from "#agent/words/relay.ts"
import { type BudgetAsk, inOneGo, type Ledger, openLedger, type SharedBudget } from "#kits/budget/ledger.ts"
import type { Prices } from "#kits/budget/prices.ts"
import { foldProgress } from "#kits/gates/progress.ts"
import type { GateRoom, NoteGate } from "#kits/gates/room.ts"
import type { Grants } from "#kits/permissions/grants.ts"
import { parseRules, type PermissionRule, ruleText } from "#kits/permissions/rule.ts"
import { openCrowd } from "#kits/subagents/crowd.ts"
import type { Ids } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { later } from "#lib/later.ts"
import { failed, ok } from "#lib/result.ts"
import type { Handed } from "#session/opening/apart.ts"
import type { ParentPorts } from "#session/opening/child.ts"
import type { OwnProcess } from "#session/opening/own-process.ts"
import type { TeamHooks } from "#session/opening/team-hooks.ts"
import type { Questions } from "#session/journal/questions.ts"
import { openSetups } from "#session/request/setups.ts"

export interface FarLead {
  readonly ports: ParentPorts
  readonly process: OwnProcess
  /** What was handed down last. */
  readonly handed: () => Handed
  /** Whether the lead that started this process still leads the team. */
  readonly isLed: () => boolean
  readonly ask: Questions["ask"]
  readonly hook: TeamHooks
  /** Whether a question waits for the user. */
  readonly isAsking: () => boolean
  /** Something changed: answers may have come. */
  readonly look: () => void
}

export interface FarLeadParts {
  readonly relay: Relay
  readonly member: string
  /** Of this process. */
  readonly run: string
  readonly sessionId: string
  readonly transcript: string
  /** What counts until the lead hands down more. */
  readonly handed: Handed
  readonly prices: Prices
  readonly ids: Ids
  /** Where the budget is kept, if not in the relay. */
  readonly kept?: KeptBudget | undefined
}

/** A budget that several sessions share, and what this one has spent of it before. */
export interface KeptBudget {
  readonly budget: SharedBudget
  readonly spent: AgentSpending
}

export function openFarLead(parts: FarLeadParts): FarLead {
  const { relay, member, ids } = parts
  const waiting = new Map<string, (answer: JsonObject) => void>()
  const ready = later<Parameters<OwnProcess["ready"]>[0]>("What the session offers")
  // Sealed by the lead, so its shape is ours. What another one hands down is not for this process.
  const current = (): Handed | undefined => relay.handed() as Handed | undefined
  let known = parts.handed
  const handed = (): Handed => (known = current() ?? known)

  function post(kind: RelayAskKind, body: object, id = `${kind} ${ids.uuid()}`): string {
    relay.ask({ id, member, kind, body: plain(body) })
    return id
  }
  function look(): void {
    for (const [id, take] of waiting) {
      const answer = relay.answerTo(id)
      if (!answer) continue
      waiting.delete(id)
      take(answer)
    }
  }
  /** Resolves with the answer, or undefined when nobody waits for it any more. */
  function wait(id: string, signal?: AbortSignal): Promise<JsonObject | undefined> {
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      signal?.addEventListener(
        "abort",
        () => {
          waiting.delete(id)
          relay.withdraw(id)
          resolve(undefined)
        },
        { once: true },
      )
      look()
    })
  }

  const questions = openFarQuestions({ relay, member, waiting, look, post })
  const ledger = openFarLedger(parts, () => handed().budget)
  const ports: ParentPorts = {
    sessionId: parts.sessionId,
    transcript: parts.transcript,
    mode: () => handed().mode,
    grants: openFarGrants(handed, (grant) => void post("grant", grant)),
    denials: () => handed().denials,
    ask: (ask, signal, agent) => questions.own().ask(ask, signal, agent),
    asked: (callId) => questions.own().asked(callId),
    decided: (callId) => questions.own().decided(callId),
    isSealed: () => false,
    widen: (wider) => void post("widen", wider),
    update: async (updates) => void (await wait(post("update", { updates }))),
    ledger: ledger.ledger,
    async overBudget(refusal, signal) {
      const asked = ledger.refused(refusal)
      if (refusal.kind === "agent_cap" || !asked) return "stop"
      const answer = await wait(post("over_budget", asked), signal)
      return answer?.then === "again" ? "again" : "stop"
    },
    warn: (text) => void post("warn", { text }),
    planWatch: (call, next) => next(call),
    planSlug: () => handed().planSlug,
    gates: openFarGates(handed, (fact) => void post("gate", fact)),
    crowd: openCrowd(),
    setups: openSetups(),
    beginning: () => undefined,
  }
  return {
    ports,
    handed,
    isLed: () => current() !== undefined,
    look,
    ask: (...asked) => ready.get().ask(...asked),
    hook: (event) => ready.get().hook(event),
    isAsking: questions.isOpen,
    process: { questions: questions.keep, asked: questions.asked, ready: (offered) => ready.settle(offered) },
  }
}

/** What happened here counts at once, and until the lead hands down what it made of it. */
function openFarGates(handed: () => Handed, post: NoteGate): GateRoom {
  let own: { readonly fact: GateFact; readonly since: string } | undefined
  return {
    get gates() {
      return handed().gates
    },
    progress() {
      const { progress } = handed()
      return own?.since === JSON.stringify(progress) ? foldProgress(progress, { kind: "gate", ...own.fact }) : progress
    },
    note(fact) {
      own = { fact, since: JSON.stringify(handed().progress) }
      post(fact)
    },
    isUnanswered: () => false,
    // What was seen is known to the lead's process, and a review too many is better than one too few.
    seen: () => undefined,
  }
}

const plain = (value: object): JsonObject => {
  const made: unknown = JSON.parse(JSON.stringify(value))
  return isObject(made) ? made : {}
}

interface FarQuestions {
  readonly own: () => Questions
  readonly keep: OwnProcess["questions"]
  readonly asked: OwnProcess["asked"]
  readonly isOpen: () => boolean
}

/** Questions are kept in the member's own log, and shown to the lead's user too. Whoever answers first decides. */
function openFarQuestions(parts: {
  readonly relay: Relay
  readonly member: string
  readonly waiting: Map<string, (answer: JsonObject) => void>
  readonly look: () => void
  readonly post: (kind: RelayAskKind, body: object, id: string) => string
}): FarQuestions {
  const { relay, member, waiting, look, post } = parts
  const kept = later<Questions>("The questions")
  const idOf = (questionId: string): string => `question ${member} ${questionId}`
  const find = (id: string): Question | undefined =>
    kept
      .get()
      .open()
      .find((question) => question.id === id)
  return {
    own: kept.get,
    isOpen: () => kept.get().open().length > 0,
    keep(own) {
      kept.settle(own)
      return {
        ...own,
        answer(id, answer, digest) {
          const question = find(id)
          if (!question) return "unknown"
          if (digest !== undefined && digest !== question.digest) return "stale"
          if (relay.answer(idOf(id), plain({ answer, digest: question.digest }))) return own.answer(id, answer, digest)
          // The lead's user was faster.
          look()
          return find(id) ? own.answer(id, answer, digest) : "unknown"
        },
      }
    },
    asked(question, closed) {
      const id = idOf(question.id)
      post("question", question, id)
      waiting.set(id, ({ answer, digest }) => {
        // What the lead answers is what its session accepted as an answer to this question.
        if (isObject(answer)) kept.get().answer(question.id, answer as never, String(digest))
      })
      closed.addEventListener(
        "abort",
        () => {
          waiting.delete(id)
          relay.withdraw(id)
        },
        { once: true },
      )
      // It may have been answered while no process ran. Not at once: whoever asks is not waiting yet.
      void Promise.resolve().then(look)
    },
  }
}

function openFarGrants(handed: () => Handed, send: (grant: Parameters<Grants["remember"]>[0]) => void): Grants {
  let from: Handed | undefined
  /** What the user granted here and the lead does not have yet. */
  let granted: readonly PermissionRule[] = []
  let all: readonly PermissionRule[] = []
  const isIn = (rules: readonly PermissionRule[], one: PermissionRule): boolean =>
    rules.some((rule) => rule.behavior === one.behavior && ruleText(rule) === ruleText(one))
  function put(now: Handed): void {
    const { rules } = parseRules(now.rules)
    granted = granted.filter((rule) => !isIn(rules, rule))
    from = now
    all = [...rules, ...granted]
  }
  return {
    rules() {
      const now = handed()
      if (now !== from) put(now)
      return all
    },
    get destinations() {
      return handed().destinations
    },
    remember(grant) {
      const { rules } = parseRules([{ behavior: "allow", text: grant.rule, source: grant.destination }])
      granted = [...granted, ...rules]
      put(handed())
      send(grant)
    },
    add: () => failed("The rules of a member are those of its lead. Add it in the lead's session."),
    take: () => {},
    drop: () => {},
    onChange: () => () => {},
  }
}

function openFarLedger(
  { relay, member, run, prices, ids, kept }: FarLeadParts,
  budget: () => Handed["budget"],
): { readonly ledger: Ledger; readonly refused: (refusal: object) => BudgetAsk | undefined } {
  const own = openLedger({ prices, budget })
  const refused = new WeakMap<object, BudgetAsk>()
  if (kept) own.book({ who: member, ...kept.spent })
  own.share(
    kept?.budget ?? {
      inTurn: inOneGo((work) => relay.spending.inTurn(run, work)),
      settled(now, { who, model, usage, hasPrice, costUsd, tokens }) {
        const body = plain({ who, model, usage, ...(hasPrice && { costUsd }) })
        relay.spending.settle(
          run,
          now(),
          { id: `spent ${ids.uuid()}`, member, kind: "spent", body },
          { costUsd, tokens },
        )
      },
    },
  )
  return {
    refused: (refusal) => refused.get(refusal),
    ledger: {
      ...own,
      async reserve(ask) {
        const reserved = await own.reserve(ask)
        if (reserved.ok) return ok(reserved.value)
        refused.set(reserved.failure, ask)
        return reserved
      },
    },
  }
}
