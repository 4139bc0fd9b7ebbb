/**
 * A network with nothing but its own loopback, shared by the readers of a session. To make one takes the kernel as long
 * as everything else in a sandbox, so it is made once and held by a process of ours that does nothing else.
 */

import type { Clock } from "#lib/clock.ts"

export interface QuietNetwork {
  /** The process that holds it, if there is one; otherwise a reader has a network of its own. */
  readonly pid: () => number | undefined
  /** Has one made soon, unless there is one. */
  readonly want: (helper: string) => void
  readonly close: () => Promise<void>
}

/** Whoever runs one reader often runs another; what comes right after the first one does not wait for this. */
const soonMs = 100

export function openQuietNetwork(clock: Clock): QuietNetwork {
  let state: "none" | "wanted" | "closed" = "none"
  let cancel = (): void => {}
  let holder: Bun.Subprocess<"pipe", "pipe", "ignore"> | undefined
  let isReady = false

  async function startHolder(helper: string): Promise<void> {
    // Its own session: a key that interrupts what runs in the terminal must not reach it.
    const child = Bun.spawn([helper, "hold"], { cwd: "/", env: {}, stdio: ["pipe", "pipe", "ignore"], detached: true })
    child.unref()
    holder = child
    const { value } = await child.stdout.getReader().read()
    isReady = value !== undefined
  }

  return {
    pid: () => (isReady && holder?.exitCode === null && holder.signalCode === null ? holder.pid : undefined),
    want(helper) {
      // Only once: where it cannot be held, or was killed, every reader has its own.
      if (state !== "none") return
      state = "wanted"
      cancel = clock.after(soonMs, () => void startHolder(helper).catch(() => {}))
    },
    async close() {
      state = "closed"
      cancel()
      holder?.kill("SIGKILL")
      await holder?.exited
    },
  }
}
