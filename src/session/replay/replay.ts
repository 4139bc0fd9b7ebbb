/** Runs a session again from its log: the same words of the user and the model, with today's program in between. */

import type { Entry } from "#agent/words/entry.ts"
import type { Op } from "#agent/words/op.ts"
import type { Model } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Session } from "#session/port/session.ts"
import { type UserAct, type Acts, actsIn } from "./acts.ts"
import { openReplayModel } from "./answers.ts"
import { openInterrupting } from "./interrupting.ts"
import { type Comparison, compareRuns, type Substitution } from "./compare.ts"

export interface ReplayParts {
  readonly original: readonly Entry[]
  /** What the user and the model said, with paths adapted where they differ from the original. */
  readonly spoken?: readonly Entry[]
  /** Opens a new session over a copy of the workspace, with this model. */
  readonly open: (model: Model) => Promise<Result<Session, { readonly message: string }>>
  readonly replayed: () => readonly Entry[]
  readonly substitutions: readonly Substitution[]
  /** Awaited before each act of the user: sets the time, and repeats the user's changes to files. */
  readonly before?: (act: UserAct) => Promise<void>
  readonly clock: Clock
  readonly signal: AbortSignal
}

export async function replay(parts: ReplayParts): Promise<Result<Comparison, { readonly message: string }>> {
  const { signal, clock } = parts
  const spoken = parts.spoken ?? parts.original
  const acts = actsIn(spoken)
  const model = openReplayModel(spoken)
  const opened = await parts.open(model)
  if (!opened.ok) return opened
  const session = opened.value
  model.onAnswer = (number) => {
    for (const op of acts.steering.get(number) ?? []) void session.submit(op)
    if (acts.interrupts.has(number)) void session.submit({ type: "interrupt" })
  }
  const watching = watch(session, acts, clock)
  const stop = (): void => void session.close()
  signal.addEventListener("abort", stop, { once: true })
  for (const act of acts.ops) {
    if (signal.aborted) break
    await parts.before?.(act)
    await session.submit(here(act.op, parts.original, parts.replayed))
    await session.ask({ type: "settled" })
  }
  await session.close()
  signal.removeEventListener("abort", stop)
  await watching
  if (signal.aborted) return failed({ message: "It was interrupted." })
  return ok(compareRuns(parts.original, parts.replayed(), parts.substitutions))
}

/** Entries of a replay have new ids: a place is matched by its position among its kind. */
function here(op: Op, original: readonly Entry[], replayed: () => readonly Entry[]): Op {
  if (op.type !== "switch") return op
  const at = original.findIndex(({ uuid }) => uuid === op.to)
  const place = original[at]
  if (!place) return op
  const before = original.slice(0, at).filter(({ kind }) => kind === place.kind).length
  return { ...op, to: replayed().filter(({ kind }) => kind === place.kind)[before]?.uuid ?? op.to }
}

/** Questions come in the original order; any additional one stays unanswered. */
async function watch(session: Session, { answers, interruptedCalls }: Acts, clock: Clock): Promise<void> {
  const rest = [...answers]
  const interrupting = openInterrupting(session, interruptedCalls, clock)
  for await (const event of session.events("beginning")) {
    interrupting.onEvent(event)
    if (event.type !== "question_open") continue
    const answer = rest.shift() ?? { kind: "unanswered", why: "the log has no answer to this" }
    // A question that was withdrawn then is withdrawn by the same interrupt now.
    const isWithdrawn = answer.kind === "unanswered" && interruptedCalls.has(event.question.ask.callId)
    if (!isWithdrawn) await session.submit({ type: "answer", questionId: event.question.id, answer })
  }
  interrupting.close()
}
