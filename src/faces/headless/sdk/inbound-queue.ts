/** Reads what the client sends. Answers go to whoever waits for them at once; the rest is taken in order. */

import { channel } from "#lib/channel.ts"
import type { Result } from "#lib/result.ts"
import type { Inbound } from "./inbound.ts"
import type { ClientRequests } from "./requests.ts"

/** What is left when answers and signs of life are taken out. */
export type Asked = Extract<Inbound, { readonly kind: "user" | "request" | "cancel" }>

export interface InboundQueue extends AsyncIterable<Asked> {
  /** The first message; undefined where the input ends without one. */
  readonly first: () => Promise<Asked | undefined>
  /** Why nothing more is read, if a line was not understood. */
  readonly failure: () => string | undefined
}

export function openInboundQueue(
  input: AsyncIterable<Result<Inbound, string>>,
  requests: ClientRequests,
): InboundQueue {
  const asked = channel<Asked>()
  let wrong: string | undefined

  async function read(): Promise<void> {
    for await (const message of input) {
      if (!message.ok) return void (wrong = message.failure)
      const { value } = message
      if (value.kind === "answer") requests.onAnswer(value)
      else if (value.kind !== "other") asked.push(value)
    }
  }

  const ended = read().catch((error: unknown) => void (wrong = `it could not be read (${String(error)})`))
  void ended.then(() => {
    // Nobody is left to answer what is still open.
    requests.end("The client has closed its input.")
    asked.close()
  })
  const all = asked[Symbol.asyncIterator]()

  return {
    failure: () => wrong,
    async first() {
      const { value, done } = await all.next()
      return done ? undefined : value
    },
    [Symbol.asyncIterator]: () => all,
  }
}
