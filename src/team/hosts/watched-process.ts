/** The process of a member, known by its pid: whether it runs, and how it is terminated. */

import { isRunning, type Owner } from "#ground/transcript/lock.ts"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"

/** How often it is checked. */
const aliveEveryMs = 250
/** From the request to end to SIGTERM, and from there to SIGKILL. */
const endGraceMs = 6_000
const signalGraceMs = 3_000

const unending = new AbortController().signal

interface WatchedParts {
  readonly me: Owner
  readonly clock: Clock
}

export interface WatchedProcess {
  readonly owner: Owner
  readonly isAlive: () => boolean
  readonly ended: Promise<void>
  /** It was told to end. If it does not within the grace, it gets SIGTERM and then SIGKILL. */
  readonly terminate: (graceMs?: number) => void
}

export function watchProcess(owner: Owner, { me, clock }: WatchedParts): WatchedProcess {
  const ended = deferred<void>()
  const isAlive = (): boolean => isRunning(owner, me)
  let isEnding = false
  async function follow(): Promise<void> {
    while (isAlive()) await clock.sleep(aliveEveryMs, unending)
    ended.resolve()
  }
  const signal = (name: NodeJS.Signals): void => {
    if (isAlive()) quietly(() => process.kill(owner.pid, name))
  }
  void follow()
  return {
    owner,
    isAlive,
    ended: ended.promise,
    terminate(graceMs = endGraceMs) {
      if (isEnding) return
      isEnding = true
      clock.after(graceMs, () => {
        signal("SIGTERM")
        clock.after(signalGraceMs, () => signal("SIGKILL"))
      })
    },
  }
}

/** Waits until a process of another life of the program has ended, and makes it. Nothing happens if it is this one. */
export async function untilGone(
  { pid, start, host }: Owner & { readonly host: string },
  parts: { readonly me: Owner & { readonly host: string }; readonly clock: Clock },
): Promise<void> {
  const { me } = parts
  if (host !== me.host || (pid === me.pid && start === me.start)) return
  const process = watchProcess({ pid, start }, parts)
  process.terminate()
  await process.ended
}

/** It may have ended just now. */
function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // Nothing is left to end.
  }
}
