/** The lead's side of the link to a member: its questions are put to the user, its grants kept, its requests paid from the one ledger. */

import type { EntryBody } from "#agent/words/entry.ts"
import { withdrawnAs } from "#agent/words/question.ts"
import type { Link } from "#ground/team/link.ts"
import type { BudgetAsk, Reservation } from "#kits/budget/ledger.ts"
import { allTokens } from "#agent/words/model.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import { never } from "#lib/never.ts"
import type { LeadPort } from "#session/opening/member-port.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import type { Upward } from "#session/opening/upward.ts"
import { type FromMember, type LeadReply, readFromMember } from "./messages.ts"

export interface MemberServer {
  readonly receive: (message: JsonObject) => void
  /** Its process is gone: nothing waits for it, and what it had reserved is free. */
  readonly close: () => void
}

export interface MemberServerParts {
  readonly member: string
  readonly send: Link["send"]
  readonly port: Pick<LeadPort, "up" | "onSpent">
  readonly ask: TeamPorts["ask"]
  readonly record: (body: EntryBody) => void
  readonly isClosing: () => boolean
  readonly onFailure: (error: unknown) => void
}

type Unnumbered<R> = R extends LeadReply ? Omit<R, "number"> : never
type ReplyBody = Unnumbered<LeadReply>

export function serveMember(parts: MemberServerParts): MemberServer {
  const { member, port, onFailure } = parts
  const open = new Map<number, AbortController>()
  const answered = new Set<number>()
  const reservations = new Map<number, { readonly ask: BudgetAsk; readonly reservation: Reservation }>()
  let isClosed = false

  function reply(number: number, work: (signal: AbortSignal) => Promise<ReplyBody>): void {
    const controller = new AbortController()
    open.set(number, controller)
    void work(controller.signal)
      .then((body) => {
        open.delete(number)
        // Leaving is not answering: whoever leads next is asked again.
        if (controller.signal.aborted || (body.kind === "answer" && parts.isClosing())) return
        if (body.kind === "answer") answered.add(number)
        parts.send({ ...body, number })
      })
      .catch(onFailure)
  }

  function cancel(number: number): void {
    open.get(number)?.abort(withdrawnAs("it was answered or given up elsewhere"))
    open.delete(number)
    if (answered.delete(number))
      parts.record({
        kind: "notice",
        level: "info",
        text: `Your answer to ${member} was not used: the question had been answered in its own window.`,
      })
  }

  async function reserve(number: number, ask: BudgetAsk): Promise<ReplyBody> {
    const reserved = await port.up().ledger.reserve(ask)
    if (!reserved.ok) return { kind: "refused", refusal: reserved.failure }
    const { maxOutput, release } = reserved.value
    if (isClosed) release()
    else reservations.set(number, { ask, reservation: reserved.value })
    return { kind: "reserved", reservation: number, maxOutput }
  }

  function settle({ reservation: id, usage }: Extract<FromMember, { readonly kind: "settle" }>): void {
    const found = reservations.get(id)
    reservations.delete(id)
    if (!found) return
    const costUsd = found.reservation.settle(usage)
    if (allTokens(usage) > 0)
      port.onSpent({ who: found.ask.who, model: found.ask.model, usage, ...optional("costUsd", costUsd) })
  }

  function handle(message: FromMember): void {
    const up = port.up()
    switch (message.kind) {
      case "ask":
        return reply(message.number, async (signal) => ({
          kind: "answer",
          answer:
            (await parts.ask?.(message.ask, signal, message.agent)) ?? withdrawnAs("nobody can be asked in this run"),
        }))
      case "reserve":
        return reply(message.number, () => reserve(message.number, message.ask))
      case "settle":
        return settle(message)
      case "release":
        reservations.get(message.reservation)?.reservation.release()
        return void reservations.delete(message.reservation)
      case "returned":
        return reply(message.number, async (signal) => {
          await up.ledger.returned(signal)
          return { kind: "done" }
        })
      case "over_budget":
        return reply(message.number, async (signal) => ({
          kind: "done",
          then: await overBudget(up, message.ask, signal),
        }))
      case "grant":
        return up.grants.remember(message.grant)
      case "widen":
        return up.widen?.({ ...optional("mode", message.mode), ...optional("folders", message.folders) })
      case "update":
        return reply(message.number, async () => {
          await up.update(message.updates)
          return { kind: "done" }
        })
      case "gate":
        return up.gates.note(message.fact)
      case "warn":
        return up.warn(message.text)
      case "cancel":
        return cancel(message.number)
      default:
        return never(message)
    }
  }

  return {
    receive(message) {
      const read = readFromMember(message)
      if (read.ok) handle(read.value)
      else onFailure(new Error(`A message of ${member} cannot be read. ${read.complaints.join(" ")}`))
    },
    close() {
      isClosed = true
      for (const { reservation } of reservations.values()) reservation.release()
      reservations.clear()
      // What it asked stays asked if the whole team is closed.
      if (parts.isClosing()) return
      for (const controller of open.values()) controller.abort(withdrawnAs("the process that asked has ended"))
    },
  }
}

/** The budget may have been raised since the member was refused. */
async function overBudget(up: Upward, ask: BudgetAsk, signal: AbortSignal): Promise<"again" | "stop"> {
  const reserved = await up.ledger.reserve(ask)
  if (!reserved.ok) return up.overBudget(reserved.failure, signal)
  reserved.value.release()
  return "again"
}
