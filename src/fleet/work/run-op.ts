/** Runs what is asked of a session from outside, and says what came of it. */

import type { JsonObject } from "#lib/json.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import { rewound } from "#session/port/rewound.ts"
import type { Session } from "#session/port/session.ts"
import type { FleetOp } from "#fleet/ops.ts"
import type { OpAnswer, QueuedOp } from "#fleet/records.ts"

/** `later`: it is done when its prompt is in the log. */
export async function runOp(session: Session, { id, op }: QueuedOp, isBusy: boolean): Promise<OpAnswer | "later"> {
  if (!op) return refused("This worker does not know what was asked. Update it, then ask again.")
  switch (op.type) {
    case "preview":
      return preview(session, op.promptId)
    case "rewind":
      return isBusy ? refused(working) : rewind(session, op)
    default: {
      const done = await session.submit(op.type === "prompt" ? { ...op, promptId: id } : op)
      if (!done.ok) return refused(opFailureWords(done.failure))
      return op.type === "prompt" ? "later" : { ok: true, value: await afterwards(session, op) }
    }
  }
}

const working = "The session is working or waits for an answer. Interrupt it first."

const refused = (message: string): OpAnswer => ({ ok: false, message })

async function preview(session: Session, promptId: string): Promise<OpAnswer> {
  const changes = await session.ask({ type: "preview", promptId })
  if (!changes.ok) return refused(changes.failure)
  const { files, conflicts, uncovered } = changes.value
  const value = { files: files.map((file) => ({ ...file })), conflicts: [...conflicts], uncovered: [...uncovered] }
  return { ok: true, value }
}

/** The answer is what it changed: only before it is done can that be known. */
async function rewind(session: Session, op: FleetOp & { readonly type: "rewind" }): Promise<OpAnswer> {
  const none: OpAnswer = { ok: true, value: { files: [], conflicts: [], uncovered: [] } }
  const changes = op.what === "conversation" ? none : await preview(session, op.promptId)
  if (!changes.ok) return changes
  const done = await rewound(session, op)
  return done.ok ? changes : refused(done.failure)
}

async function afterwards(session: Session, op: FleetOp): Promise<JsonObject> {
  if (op.type !== "set_gate") return {}
  return { gates: (await session.ask({ type: "gates" })).map((overview) => ({ ...overview })) }
}
