/** Asks the process that has a session open to stop, and waits until it has let go: there is one writer at any time. */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { holderOf, type Owner } from "./lock.ts"
import { codeOf } from "#lib/error-code.ts"

export type TakeOverFailure =
  | { readonly kind: "still_running"; readonly pid: number }
  | { readonly kind: "not_ours"; readonly pid: number }
  | { readonly kind: "interrupted" }

/** A process flushes and exits within 2 s of being asked; a busy machine may need longer. */
const patienceMs = 10_000
const lookEveryMs = 20

/**
 * Returns the pid of the stopped process, or undefined when none had the session open. Does not take the lock: the
 * caller must take it like anyone else, and may find that another process was quicker.
 */
export async function askToStop(
  lock: string,
  { pid, clock, signal }: { readonly pid: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Result<number | undefined, TakeOverFailure>> {
  const holder = holderOf(lock, pid)
  if (!holder) return ok(undefined)
  if (holder.pid === pid) return failed({ kind: "still_running", pid })
  const delivery = sendTerminate(holder)
  if (delivery !== "sent") return delivery === "gone" ? ok(undefined) : failed({ kind: "not_ours", pid: holder.pid })
  for (let waited = 0; waited < patienceMs && !signal.aborted; waited += lookEveryMs) {
    if (!isHeldBy(holder)) return ok(holder.pid)
    await clock.sleep(lookEveryMs, signal)
  }
  if (!isHeldBy(holder)) return ok(holder.pid)
  // Never by force: it may be in the middle of writing a file.
  return failed(signal.aborted ? { kind: "interrupted" } : { kind: "still_running", pid: holder.pid })

  function isHeldBy({ pid: other, start }: Owner): boolean {
    const now = holderOf(lock, pid)
    return now?.pid === other && now.start === start
  }
}

function sendTerminate({ pid }: Owner): "sent" | "gone" | "not ours" {
  try {
    process.kill(pid, "SIGTERM")
    return "sent"
  } catch (error) {
    return codeOf(error) === "ESRCH" ? "gone" : "not ours"
  }
}
