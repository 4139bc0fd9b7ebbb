/** Requests to the client, and its answers: matched by id, each answered once, withdrawn when nobody waits any more. */

import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ControlAnswer } from "./inbound.ts"

export interface ClientRequests {
  /** Rejects when the client answers with an error, or is gone; the signal withdraws the request. */
  readonly ask: (request: JsonObject & { readonly subtype: string }, signal: AbortSignal) => Promise<JsonObject>
  /** Sends one whose answer nobody needs, even if the client cannot answer any more. */
  readonly send: (request: JsonObject & { readonly subtype: string }) => void
  /** Whether nobody is left to answer. */
  readonly isOver: () => boolean
  /** Those of a subtype that wait for their answer, as they were sent. */
  readonly open: (subtype: string) => readonly object[]
  /** Whether anybody waited for this answer. */
  readonly onAnswer: (answer: ControlAnswer) => boolean
  /** The client cannot answer any more. */
  readonly end: (why: string) => void
}

interface SentRequest {
  readonly type: "control_request"
  readonly request_id: string
  readonly request: JsonObject & { readonly subtype: string }
}

export function openRequests({
  send,
  ids,
}: {
  readonly send: (message: object) => void
  readonly ids: Ids
}): ClientRequests {
  const waiting = new Map<string, { readonly sent: SentRequest; readonly settle: (answer: ControlAnswer) => void }>()
  let ended: string | undefined

  return {
    ask(request, signal) {
      if (ended !== undefined) return Promise.reject(new Error(ended))
      if (signal.aborted) return Promise.reject(new Error(withdrawn))
      const request_id = ids.uuid()
      return new Promise((resolve, reject) => {
        const answered = new AbortController()
        const settle = (answer: ControlAnswer): void => {
          waiting.delete(request_id)
          answered.abort()
          if (answer.ok) resolve(answer.response)
          else reject(new Error(answer.error))
        }
        const withdraw = (): void => {
          if (ended === undefined) send({ type: "control_cancel_request", request_id })
          settle({ kind: "answer", id: request_id, ok: false, error: withdrawn })
        }
        const sent: SentRequest = { type: "control_request", request_id, request }
        waiting.set(request_id, { sent, settle })
        signal.addEventListener("abort", withdraw, { once: true, signal: answered.signal })
        send(sent)
      })
    },
    send: (request) => send({ type: "control_request", request_id: ids.uuid(), request } satisfies SentRequest),
    isOver: () => ended !== undefined,
    open: (subtype) => [...waiting.values()].flatMap(({ sent }) => (sent.request.subtype === subtype ? [sent] : [])),
    onAnswer(answer) {
      const asked = waiting.get(answer.id)
      asked?.settle(answer)
      return asked !== undefined
    },
    end(why) {
      ended ??= why
      for (const [id, { settle }] of waiting) settle({ kind: "answer", id, ok: false, error: why })
    },
  }
}

const withdrawn = "The request was withdrawn."
