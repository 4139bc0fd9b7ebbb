/** Access to a provider whose code or server is started when it is first used. */

import { failed, type Result } from "#lib/result.ts"
import { unusableFailure } from "./attempt-failures.ts"
import type { ProviderPort } from "./provider.ts"

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
  return {
    async *attempt(request, signal) {
      const opened = await opening
      if (opened.ok) yield* opened.value.attempt(request, signal)
      else yield unusableFailure(opened.failure)
    },
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
