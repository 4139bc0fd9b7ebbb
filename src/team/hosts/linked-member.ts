/** This process is a member: its session, connected with its lead's process by a link. */

import { connectToLead } from "#ground/team/link.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Prices } from "#kits/budget/prices.ts"
import { deferred } from "#lib/deferred.ts"
import type { JsonObject } from "#lib/json.ts"
import { later } from "#lib/later.ts"
import { never } from "#lib/never.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { HeldSession } from "#session/port/session.ts"
import { openSeparateMember, type SeparateMember, type SeparateMemberParts } from "#team/member-session.ts"
import { type LeadCalls, openLeadCalls } from "./lead-calls.ts"
import { type LeadOrder, type MemberEnd, readFromLead } from "./messages.ts"

export interface LinkedMember extends Pick<SeparateMember, "session"> {
  readonly over: Promise<MemberEnd>
  readonly close: (end: MemberEnd) => Promise<void>
}

export interface LinkedMemberParts extends Pick<
  SeparateMemberParts,
  "seat" | "live" | "store" | "plans" | "log" | "isWatched" | "onFailure"
> {
  readonly prices: Prices
}

/** How long the last messages to the lead may take. */
const farewellMs = 2_000

export async function openLinkedMember(parts: LinkedMemberParts): Promise<Result<LinkedMember, string>> {
  const { seat, live, onFailure } = parts
  if (!seat.link) return failed("It was not told where its lead is.")
  const over = deferred<MemberEnd>()
  const calls = later<LeadCalls>("The calls to the lead")
  const orders = openOrders((end) => over.resolve(end))
  let inherited = seat.inherited
  let isLeadGone = false
  const onGone = (): void => over.resolve("closes")

  function receive(message: JsonObject): void {
    const read = readFromLead(message)
    if (!read.ok) return onFailure(new Error(`A message of the lead cannot be read. ${read.complaints.join(" ")}`))
    if (read.value.kind === "inherited") inherited = read.value.inherited
    else if ("number" in read.value) calls.get().onReply(read.value)
    else orders.obey(read.value)
  }

  const linked = await connectToLead(seat.link.path, seat.link.secret, receive)
  if (!linked.ok) return failed(`The lead of ${seat.team} cannot be reached: ${linked.failure}`)
  const link = linked.value
  const { up, ...lines } = openLeadCalls({ send: link.send, prices: parts.prices, onStuck: onGone })
  calls.settle({ up, ...lines })
  // A member whose lead is gone finishes its step and ends; it does not wait for an answer that nobody can give.
  const watch: Kit = {
    name: "lead watch",
    async attachments() {
      if (isLeadGone) onGone()
      return []
    },
  }
  const opened = await openSeparateMember({
    ...parts,
    up,
    inherited: () => inherited,
    asksLead: true,
    kits: [watch],
  })
  if (!opened.ok) {
    link.close()
    return opened
  }
  const { session, left, close } = opened.value
  // Only a lead that answers is left: one that was killed continues with it, however its last turn ended.
  void left.then(async () => {
    await up.update([])
    over.resolve("leaves")
  })
  void link.closed.then(async () => {
    isLeadGone = true
    lines.lose()
    await session.ask({ type: "settled" })
    onGone()
  })
  orders.start(session)
  return ok({
    session,
    over: over.promise,
    async close(end) {
      const closing = close(end)
      // Nobody answers any more, and what waits must not keep the session open.
      if (isLeadGone) lines.close()
      await closing
      link.close()
      const tired = new AbortController()
      await Promise.race([link.closed, live.clock.sleep(farewellMs, tired.signal)])
      tired.abort()
    },
  })
}

/** What the lead wants: something said by the user there, or the end. It may come before the session is open. */
function openOrders(onEnd: (end: MemberEnd) => void): {
  readonly obey: (order: Exclude<LeadOrder, { readonly kind: "inherited" }>) => void
  readonly start: (session: HeldSession) => void
} {
  const waiting: Parameters<typeof onOrder>[0][] = []
  let session: HeldSession | undefined
  function onOrder(order: Exclude<LeadOrder, { readonly kind: "inherited" }>): void {
    if (order.kind === "end") return onEnd(order.how)
    if (!session) return void waiting.push(order)
    switch (order.kind) {
      case "stop_command":
        return void session.submit({ type: "stop_command", commandId: order.commandId })
      case "prompt":
        return void session.submit({
          type: "prompt",
          promptId: order.id,
          content: order.content,
          when: order.when,
          origin: { kind: "made" },
        })
      default:
        return never(order)
    }
  }
  return {
    obey: onOrder,
    start(opened) {
      session = opened
      for (const order of waiting.splice(0)) onOrder(order)
    },
  }
}
