/** A session that another process of this user has open, through the port that the process itself has. */

import type { Event } from "#agent/words/event.ts"
import { connectLocally } from "#ground/workspace/processes/local-socket.ts"
import { type Channel, channel } from "#lib/channel.ts"
import { deferred } from "#lib/deferred.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { AnswerTo, Query } from "./query.ts"
import { decodeToFace, type ToFace, type ToHolder } from "./relay-words.ts"
import type { OpFailure, Session } from "./session.ts"

export interface AttachedSession extends Session {
  /** The process that has it open. */
  readonly pid: number
  /** Whether that process is gone, or has closed it. */
  readonly isLost: () => boolean
}

export type AttachFailure =
  { readonly kind: "unreachable" } | { readonly kind: "other_version"; readonly pid: number; readonly version: string }

interface PendingCall {
  readonly submitted?: (done: Result<void, OpFailure>) => void
  readonly answered?: (answer: unknown) => void
  readonly refused: (why: string) => void
}

/** Closing it only leaves it: the process that has it open goes on. */
export async function attachSession(
  path: string,
  { id, version }: { readonly id: string; readonly version: string },
): Promise<Result<AttachedSession, AttachFailure>> {
  const waiting = new Map<number, PendingCall>()
  const followed = new Map<number, Channel<Event>>()
  const hello = deferred<(ToFace & { type: "hello" }) | undefined>()
  let count = 0
  let isLost = false

  function onMessage(message: ToFace): void {
    if (message.type === "hello") return hello.resolve(message)
    const { number } = message
    if (message.type === "event") return followed.get(number)?.push(message.event)
    if (message.type === "end") {
      followed.get(number)?.close()
      return void followed.delete(number)
    }
    const one = waiting.get(number)
    waiting.delete(number)
    if (message.type === "submitted") one?.submitted?.(message.done)
    else if (message.type === "answer") one?.answered?.(message.answer)
    else one?.refused(message.why)
  }

  function lost(): void {
    isLost = true
    hello.resolve(undefined)
    for (const { refused } of waiting.values()) refused(unreachable)
    waiting.clear()
    for (const events of followed.values()) events.close()
    followed.clear()
  }

  const connected = await connectLocally(path, () => ({
    onMessage: (message) => onMessage(decodeToFace(message)),
    onClosed: lost,
  }))
  if (!connected.ok) return failed({ kind: "unreachable" })
  const { send: write, close } = connected.value
  const send = (message: ToHolder): void => write(message)
  const holder = await hello.promise
  if (!holder || holder.id !== id || holder.version !== version) {
    close()
    return failed(
      holder?.id === id ? { kind: "other_version", pid: holder.pid, version: holder.version } : { kind: "unreachable" },
    )
  }

  function ask<Q extends Query>(query: Q, signal?: AbortSignal): Promise<AnswerTo<Q>> {
    const number = ++count
    return new Promise((resolve, reject) => {
      const refused = (why: string): void => reject(new Error(why))
      if (isLost) return refused(unreachable)
      const cancel = (): void => send({ type: "cancel", number })
      signal?.addEventListener("abort", cancel, { once: true })
      const done = (): void => signal?.removeEventListener("abort", cancel)
      waiting.set(number, {
        answered(answer) {
          done()
          resolve(answer as AnswerTo<Q>)
        },
        refused(why) {
          done()
          refused(why)
        },
      })
      send({ type: "ask", number, query })
      if (signal?.aborted) cancel()
    })
  }

  return ok({
    id,
    pid: holder.pid,
    isLost: () => isLost,
    submit(op) {
      const number = ++count
      return new Promise((resolve) => {
        const refused = (): void => resolve(failed({ kind: "closed" }))
        if (isLost) return refused()
        waiting.set(number, { submitted: resolve, refused })
        send({ type: "submit", number, op })
      })
    },
    ask,
    events(after) {
      const number = ++count
      const events = channel<Event>({
        left() {
          followed.delete(number)
          send({ type: "leave", number })
        },
      })
      if (isLost) {
        events.close()
        return events
      }
      followed.set(number, events)
      send({ type: "events", number, after })
      return events
    },
    async close() {
      lost()
      close()
    },
  })
}

const unreachable = "The process that had the session open is gone."
