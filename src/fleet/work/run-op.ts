/** Runs what is asked of a session from outside, and says what came of it. */

import type { Entry } from "#agent/words/entry.ts"
import type { JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { ReviewFile } from "#kits/checkpoints/checkpoints.ts"
import { reviewed, rewound } from "#session/port/rewound.ts"
import type { Session } from "#session/port/session.ts"
import { summaryOf } from "#fleet/changes.ts"
import type { FleetOp } from "#fleet/ops.ts"
import type { OpAnswer, QueuedOp } from "#fleet/records.ts"

export interface OpGround {
  readonly session: Session
  /** Commits and pushes what the session did; `at` is when it was asked for. */
  readonly publish: (op: FleetOp & { readonly type: "publish" }, at: number) => Promise<OpAnswer>
  /** Keeps the changes of the session for those who review them; `collectFiles` says what they are. */
  readonly keepChanges: (collectFiles: () => Promise<readonly ReviewFile[] | undefined>) => Promise<void>
}

/** `later`: it is done when its prompt is in the log. */
export async function runOp(ground: OpGround, { id, op, at }: QueuedOp, isBusy: boolean): Promise<OpAnswer | "later"> {
  const { session } = ground
  if (!op) return refused("This worker does not know what was asked. Update it, then ask again.")
  switch (op.type) {
    case "preview":
      return preview(session, op.promptId)
    case "rewind":
      return isBusy ? refused(working) : rewind(session, op)
    case "changes":
      return readChanges(ground)
    case "publish":
      return isBusy ? refused(working) : ground.publish(op, at)
    case "review":
      return isBusy ? refused(working) : review(ground, id, op)
    default: {
      const done = await session.submit(op.type === "prompt" ? { ...op, promptId: id } : op)
      if (!done.ok) return refused(opFailureWords(done.failure))
      return op.type === "prompt" ? "later" : { ok: true, value: await afterwards(session, op) }
    }
  }
}

const working = "The session is working or waits for an answer. Interrupt it first."

const refused = (message: string): OpAnswer => ({ ok: false, message })

async function readChanges({ session, keepChanges }: OpGround): Promise<OpAnswer> {
  let answer: OpAnswer = refused("The changes cannot be read.")
  await keepChanges(async () => {
    const found = await session.ask({ type: "review", scope: "session", patches: "whole" })
    answer = found.ok ? { ok: true, value: { ...summaryOf(found.value.files) } } : refused(found.failure)
    return found.ok ? found.value.files : undefined
  })
  return answer
}

async function review(ground: OpGround, opId: string, op: FleetOp & { readonly type: "review" }): Promise<OpAnswer> {
  const done = await reviewed(ground.session, { ...op, scope: "session", opId })
  if (!done.ok) return refused(done.failure)
  return answerOfReview(ground, done.value)
}

/** What came of a review that is in the log already, or was just done. */
export async function answerOfReview(
  ground: OpGround,
  { hunks, left = [] }: Pick<Entry & { readonly kind: "review" }, "hunks" | "left">,
): Promise<OpAnswer> {
  const kept = await readChanges(ground)
  if (!kept.ok) return kept
  return {
    ok: true,
    value: {
      done: hunks.length,
      left: left.map(({ hunk: { path, lines }, why }) => ({ path, ...optional("line", lines?.from), why })),
    },
  }
}

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
