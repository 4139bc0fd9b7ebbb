/** Access to a provider whose code or server is started when it is first used. */

import type { Request } from "#agent/words/model.ts"
import { failed, type Result } from "#lib/result.ts"
import { unusableFailure } from "./attempt-failures.ts"
import type { AnswerEvent, AttemptFailure } from "./attempt.ts"
import type { ProviderPort } from "./provider.ts"

type AttemptEvents = AsyncIterator<AnswerEvent | AttemptFailure>

/** `hasOtherKey`: whether its key can be read again. */
export function lazyPort(open: () => Promise<Result<ProviderPort, string>>, hasOtherKey: boolean): ProviderPort {
  let port: ProviderPort | undefined
  let isClosed = false
  const opening = open().then((opened) => {
    if (!opened.ok) return opened
    port = opened.value
    if (isClosed) port.close()
    return opened
  })
  async function begin(request: Request, signal: AbortSignal): Promise<AttemptEvents> {
    const opened = await opening
    return opened.ok ? opened.value.attempt(request, signal)[Symbol.asyncIterator]() : unusable(opened.failure)
  }
  return {
    attempt: (request, signal) =>
      port?.attempt(request, signal) ?? { [Symbol.asyncIterator]: () => onceThere(begin(request, signal)) },
    ...(hasOtherKey && {
      async refreshKey(signal) {
        const opened = await opening
        if (!opened.ok) return opened
        return opened.value.refreshKey?.(signal) ?? failed("There is no other key.")
      },
    }),
    secrets: () => port?.secrets() ?? [],
    close() {
      isClosed = true
      port?.close()
    },
  }
}

/** Not a generator: an answer has thousands of events, and each would wait for it. */
function onceThere(source: Promise<AttemptEvents>): AttemptEvents {
  let events: AttemptEvents | undefined
  return {
    next: () => events?.next() ?? source.then((there) => (events = there).next()),
    async return() {
      const there = await source
      await there.return?.()
      return { done: true, value: undefined }
    },
  }
}

async function* unusable(why: string): AsyncGenerator<AttemptFailure> {
  yield unusableFailure(why)
}
