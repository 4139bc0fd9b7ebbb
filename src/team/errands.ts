/** What members in other processes want of the lead's: their questions are put to its user, their grants kept, their spending booked. */

import { type Question, withdrawnAs } from "#agent/words/question.ts"
import type { Relay, RelayAsk } from "#agent/words/relay.ts"
import type { JsonObject } from "#lib/json.ts"
import { never } from "#lib/never.ts"
import type { LeadApart } from "#session/opening/apart.ts"
import type { TeamPorts } from "#session/opening/team.ts"

export interface Errands {
  /** Looks what is new, and what nobody waits for any more. */
  readonly look: () => void
  /** Books what was spent and does nothing else from now on. */
  readonly close: () => void
}

export interface ErrandParts {
  readonly relay: Relay
  readonly apart: LeadApart
  readonly ask: TeamPorts["ask"]
  readonly record: TeamPorts["record"]
  readonly onFailure: (error: unknown) => void
}

export function openErrands(parts: ErrandParts): Errands {
  const { relay, onFailure } = parts
  const open = new Map<string, AbortController>()
  let isClosed = false

  async function take(ask: RelayAsk, signal: AbortSignal): Promise<void> {
    const answer = await answerTo(ask, parts, signal)
    if (answer === "booked") return
    // Leaving is not answering: whoever leads next is asked again.
    if (isClosed || signal.aborted) return
    if (!relay.answer(ask.id, answer) && ask.kind === "question")
      parts.record({
        kind: "notice",
        level: "info",
        text: `Your answer to ${ask.member} was not used: the question had been answered in its own window.`,
      })
  }

  return {
    look() {
      if (isClosed) return
      const asks = relay.asks()
      for (const ask of asks) {
        if (open.has(ask.id)) continue
        const controller = new AbortController()
        open.set(ask.id, controller)
        void take(ask, controller.signal).catch(onFailure)
      }
      for (const [id, controller] of open)
        if (!asks.some((ask) => ask.id === id)) {
          open.delete(id)
          controller.abort(withdrawnAs("it was answered or given up elsewhere"))
        }
    },
    close() {
      isClosed = true
      for (const ask of relay.asks()) if (ask.kind === "spent") book(ask, parts)
    },
  }
}

/** The bodies are sealed by our own process, which made them from values of these types. */
async function answerTo(
  { id, kind, body }: RelayAsk,
  parts: ErrandParts,
  signal: AbortSignal,
): Promise<JsonObject | "booked"> {
  const { apart, ask } = parts
  switch (kind) {
    case "spent":
      book({ id, body }, parts)
      return "booked"
    case "question": {
      const question = body as unknown as Question
      const answer = await ask?.(question.ask, signal, question.agent)
      const given: unknown = answer ?? withdrawnAs("nobody can be asked in this run")
      return { answer: given as JsonObject, digest: question.digest }
    }
    case "over_budget":
      return { then: await apart.overBudget(body as never, signal) }
    case "grant":
      apart.remember(body as never)
      return {}
    case "widen":
      apart.widen(body)
      return {}
    case "update":
      await apart.update(body.updates as never)
      return {}
    case "warn":
      apart.warn(String(body.text))
      return {}
    case "gate":
      apart.note(body as never)
      return {}
    default:
      return never(kind)
  }
}

/** In the log first: counted twice for a moment is better than not at all. */
function book({ id, body }: Pick<RelayAsk, "id" | "body">, { relay, apart }: ErrandParts): void {
  const { who, usage, costUsd } = body as { readonly who: string; readonly usage: never; readonly costUsd?: number }
  apart.onSpent(body as never)
  apart.ledger.book({ who, tokens: tokensIn(usage), ...(costUsd !== undefined && { costUsd }) })
  relay.spending.takeOver(id)
}

const tokensIn = (usage: Readonly<Record<string, unknown>>): number =>
  ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"].reduce(
    (sum, name) => sum + (typeof usage[name] === "number" ? usage[name] : 0),
    0,
  )
