/**
 * The relay with a seal on everything that permits something or speaks for the user. Programs that agents run can
 * write to the team's file too, but they do not have the secret: what they write there is ignored.
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import type { Relay } from "#agent/words/relay.ts"
import { isObject, type JsonObject } from "#lib/json.ts"

export function sealedRelay(relay: Relay, secret: string): Relay {
  const sealOf = (...parts: readonly string[]): string =>
    createHmac("sha256", secret).update(JSON.stringify(parts)).digest("hex")
  const sealed = (body: JsonObject, ...about: readonly string[]): JsonObject => ({
    body,
    seal: sealOf(...about, JSON.stringify(body)),
  })
  function unsealed(value: JsonObject, ...about: readonly string[]): JsonObject | undefined {
    const { body, seal } = value
    if (!isObject(body) || typeof seal !== "string") return undefined
    const right = Buffer.from(sealOf(...about, JSON.stringify(body)))
    const given = Buffer.from(seal)
    return given.length === right.length && timingSafeEqual(given, right) ? body : undefined
  }
  let versions = 0
  let last: { readonly from: JsonObject; readonly body: JsonObject | undefined } | undefined

  return {
    ...relay,
    handDown: (handed) => relay.handDown(sealed({ ...handed, version: ++versions }, "handed")),
    handed() {
      const from = relay.handed()
      if (from === undefined || from === last?.from) return from && last?.body
      const body = unsealed(from, "handed")
      const version = typeof body?.version === "number" ? body.version : 0
      // An earlier one was true once, and may permit more.
      const isOld = version < versions
      versions = Math.max(version, versions)
      last = { from, body: isOld ? undefined : body }
      return last.body
    },
    ask: ({ id, member, kind, body }) => relay.ask({ id, member, kind, body: sealed(body, "ask", id, member, kind) }),
    asks: () =>
      relay.asks().flatMap((ask) => {
        // What was spent under an earlier lead counts too; nobody gains by adding to it.
        const spent = ask.kind === "spent" && isObject(ask.body.body) ? ask.body.body : undefined
        const body = spent ?? unsealed(ask.body, "ask", ask.id, ask.member, ask.kind)
        return body ? [{ ...ask, body }] : []
      }),
    answer: (id, answer) => relay.answer(id, sealed(answer, "answer", id)),
    answerTo(id) {
      const answer = relay.answerTo(id)
      return answer && unsealed(answer, "answer", id)
    },
    order: (member, body) => relay.order(member, sealed(body, "order", member)),
    orders: (member, after) =>
      relay.orders(member, after).flatMap(({ seq, body }) => {
        const order = unsealed(body, "order", member)
        return order ? [{ seq, body: order }] : []
      }),
    spending: {
      ...relay.spending,
      settle: (run, now, spent, amount) =>
        relay.spending.settle(
          run,
          now,
          { ...spent, body: sealed(spent.body, "ask", spent.id, spent.member, spent.kind) },
          amount,
        ),
    },
  }
}
