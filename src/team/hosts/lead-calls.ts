/** The member's side of the link to its lead: its calls, and the answers to them. */

import type { Answer } from "#agent/words/question.ts"
import { withdrawnAs } from "#agent/words/question.ts"
import type { Link } from "#ground/team/link.ts"
import type { BudgetAsk, BudgetRefusal, Reservation } from "#kits/budget/ledger.ts"
import { costOf, type Prices } from "#kits/budget/prices.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Upward } from "#session/opening/upward.ts"
import type { FromMember, LeadReply } from "./messages.ts"

/** Without the number, which is given here. */
type Call = Unnumbered<Exclude<FromMember, { readonly kind: "cancel" }>>
type Unnumbered<M> = M extends { readonly number: number } ? Omit<M, "number"> : never

export interface LeadCalls {
  readonly up: Upward
  readonly onReply: (reply: LeadReply) => void
  /** The lead is gone. */
  readonly lose: () => void
  /** Gives up what waits, except questions: those stay open for whoever leads next. */
  readonly close: () => void
}

export function openLeadCalls(parts: {
  readonly send: Link["send"]
  readonly prices: Prices
  /** Something waits for a lead that is gone. */
  readonly onStuck: () => void
}): LeadCalls {
  const waiting = new Map<
    number,
    { readonly kind: Call["kind"]; readonly resolve: (reply: LeadReply | undefined) => void }
  >()
  let numbers = 0
  let isLost = false
  const send = (message: FromMember): void => parts.send(message)

  /** Undefined if nobody waits for the answer any more. */
  function call(message: Call, signal?: AbortSignal): Promise<LeadReply | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined)
    const number = ++numbers
    parts.send({ ...message, number })
    return new Promise((resolve) => {
      waiting.set(number, { kind: message.kind, resolve })
      signal?.addEventListener(
        "abort",
        () => {
          if (!waiting.delete(number)) return
          send({ kind: "cancel", number })
          resolve(undefined)
        },
        { once: true },
      )
      if (isLost) parts.onStuck()
    })
  }

  const refused = new WeakMap<object, BudgetAsk>()
  async function reserve(ask: BudgetAsk): Promise<Result<Reservation, BudgetRefusal>> {
    const reply = await call({ kind: "reserve", ask })
    if (reply?.kind !== "reserved") {
      const refusal = reply?.kind === "refused" ? reply.refusal : leadGone
      refused.set(refusal, ask)
      return failed(refusal)
    }
    const { reservation, maxOutput } = reply
    const price = parts.prices(ask.model)
    return ok({
      maxOutput,
      release: () => send({ kind: "release", reservation }),
      settle(usage) {
        send({ kind: "settle", reservation, usage })
        return price && costOf(usage, price)
      },
    })
  }

  return {
    up: {
      async ask(ask, signal, agent): Promise<Answer> {
        const reply = await call({ kind: "ask", ask, ...optional("agent", agent) }, signal)
        return reply?.kind === "answer" ? reply.answer : withdrawnAs("it was answered or withdrawn")
      },
      ledger: {
        reserve,
        returned: async (signal) => void (await call({ kind: "returned" }, signal)),
        // The lead reads what was spent before from the logs.
        book: () => {},
        share: () => {},
      },
      async overBudget(refusal, signal) {
        const ask = refused.get(refusal)
        if (refusal.kind === "agent_cap" || !ask) return "stop"
        const reply = await call({ kind: "over_budget", ask }, signal)
        return reply?.kind === "done" && reply.then === "again" ? "again" : "stop"
      },
      grants: { remember: (grant) => send({ kind: "grant", grant }) },
      widen: (wider) => send({ kind: "widen", ...wider }),
      update: async (updates) => void (await call({ kind: "update", updates })),
      gates: { note: (fact) => send({ kind: "gate", fact }) },
      warn: (text) => send({ kind: "warn", text }),
    },
    onReply(reply) {
      const found = waiting.get(reply.number)
      waiting.delete(reply.number)
      found?.resolve(reply)
    },
    lose() {
      isLost = true
      if (waiting.size > 0) parts.onStuck()
    },
    close() {
      for (const { kind, resolve } of waiting.values()) if (kind !== "ask") resolve(undefined)
    },
  }
}

const leadGone: BudgetRefusal = { kind: "agent_cap", message: "The process of the lead has ended." }
