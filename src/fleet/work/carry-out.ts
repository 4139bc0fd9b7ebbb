/** Carries out what is asked of a session from outside, and says what came of it. */

import { given } from "#lib/given.ts"
import type { JsonObject } from "#lib/json.ts"
import { never } from "#lib/never.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import { rewound } from "#session/port/rewound.ts"
import type { Session } from "#session/port/session.ts"
import type { FleetOrder, Order, OrderAnswer } from "#fleet/records.ts"

/** `later`: it is done when its prompt is in the log. */
export type Carried = { readonly kind: "done"; readonly answer?: OrderAnswer } | { readonly kind: "later" }

export async function carryOut(session: Session, { id, order, by }: FleetOrder, isBusy: boolean): Promise<Carried> {
  switch (order.kind) {
    case "message": {
      // Nothing in it is a command: those act on the machine of the worker.
      const sent = await session.submit({
        type: "prompt",
        content: [{ type: "text", text: order.text }],
        when: "steer",
        promptId: id,
        as: "text",
      })
      return sent.ok ? { kind: "later" } : refused(opFailureWords(sent.failure))
    }
    case "interrupt":
      await session.submit({ type: "interrupt" })
      return { kind: "done" }
    case "rewind":
      return isBusy && !order.dryRun ? refused(working) : { kind: "done", answer: await rewind(session, order) }
    case "gate": {
      const { gate, on, limits } = order
      const set = await session.submit({ type: "set_gate", gate, on, by, ...given("limits", limits) })
      if (!set.ok) return refused(opFailureWords(set.failure))
      const gates = await session.ask({ type: "gates" })
      return { kind: "done", answer: { ok: true, value: { gates: gates.map((look) => ({ ...look })) } } }
    }
    default:
      return never(order)
  }
}

const working = "The session is working or waits for an answer. Interrupt it first."

const refused = (message: string): Carried => ({ kind: "done", answer: { ok: false, message } })

async function rewind(session: Session, order: Order & { readonly kind: "rewind" }): Promise<OrderAnswer> {
  const { to: promptId, files, conversation, dryRun } = order
  if (!files && !conversation)
    return { ok: false, message: "Nothing would change: choose files, conversation or both." }
  const preview = files ? await session.ask({ type: "preview", promptId }) : undefined
  if (preview && !preview.ok) return { ok: false, message: preview.failure }
  const changes: JsonObject = {
    to: promptId,
    files: (preview?.value.files ?? []).map((file) => ({ ...file })),
    conflicts: [...(preview?.value.conflicts ?? [])],
    uncovered: [...(preview?.value.uncovered ?? [])],
    conversation,
    dryRun,
  }
  if (dryRun) return { ok: true, value: changes }
  const what = files && conversation ? "both" : files ? "files" : "conversation"
  const done = await rewound(session, { type: "rewind", promptId, what })
  return done.ok ? { ok: true, value: changes } : { ok: false, message: done.failure }
}
