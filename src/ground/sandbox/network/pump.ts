/** Passes bytes from one connection to another. */

import type { BodyChange } from "./http-body.ts"
import type { Wire } from "./wire.ts"

export interface PumpOptions {
  readonly change?: BodyChange
  /** Called after every piece. */
  readonly passed?: () => void
  /** Whether a piece may pass; if not, both connections are closed. */
  readonly mayPass?: (bytes: Uint8Array) => boolean
}

/** Passes on everything and then the end; when the receiver is gone, the source is closed. */
export async function pump(from: Wire, to: Wire, { change, passed, mayPass }: PumpOptions = {}): Promise<void> {
  for (;;) {
    const bytes = await from.read()
    if (bytes === undefined) break
    if (mayPass?.(bytes) === false) {
      to.destroy()
      return from.destroy()
    }
    if (!(await to.write(change ? change.pass(bytes) : bytes))) return from.destroy()
    passed?.()
  }
  const rest = change?.rest()
  if (rest !== undefined && rest.length > 0) await to.write(rest)
  if (from.isClosed()) to.end()
  else to.shut()
}
