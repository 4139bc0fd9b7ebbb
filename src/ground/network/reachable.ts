/** Whether somebody listens at an address; nothing is sent. */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export async function isListening(
  { host, port }: { readonly host: string; readonly port: number },
  { clock, patienceMs }: { readonly clock: Clock; readonly patienceMs: number },
): Promise<Result<void, string>> {
  const { promise, resolve } = Promise.withResolvers<Result<void, string>>()
  const cancel = clock.after(patienceMs, () => resolve(failed("no answer came in time")))
  const refused = (error: unknown): void => resolve(failed(error instanceof Error ? error.message : String(error)))
  Bun.connect({
    hostname: host,
    port,
    socket: {
      open(socket) {
        resolve(ok(undefined))
        socket.end()
      },
      data() {},
      connectError: (_, error) => refused(error),
    },
  }).catch(refused)
  const answer = await promise
  cancel()
  return answer
}
