/** Items that wait to be sent: bounded, in batches, one batch on its way at a time. Nobody ever waits to add one. */

import type { Clock } from "#lib/clock.ts"

export type BatchEnd =
  /** `rejected`: so many of them were refused. */
  | { readonly kind: "delivered"; readonly rejected?: number; readonly why?: string }
  | { readonly kind: "lost"; readonly why: string }

export interface Losses {
  readonly count: number
  /** The last reason. */
  readonly why: string
}

export interface Queue<T> {
  readonly add: (item: T) => void
  /** Sends what is left and closes; resolves at the latest after so many milliseconds. */
  readonly close: (mostMs: number) => Promise<void>
  readonly losses: () => Losses | undefined
  /** Nothing waits or is on its way. */
  readonly isIdle: () => boolean
}

export interface QueueOptions<T> {
  readonly clock: Clock
  /** How many wait at most; later ones are lost. */
  readonly most: number
  readonly batch: number
  /** How long the first of a batch waits for others. */
  readonly delayMs: number
  /** Ends early when the signal aborts. `hurry` aborts when there is no time left to wait before another attempt. */
  readonly send: (items: readonly T[], signal: AbortSignal, hurry: AbortSignal) => Promise<BatchEnd>
}

export function openQueue<T>({ clock, most, batch, delayMs, send }: QueueOptions<T>): Queue<T> {
  const waiting: T[] = []
  const stop = new AbortController()
  const hurry = new AbortController()
  let lost = 0
  let why = ""
  let cancelTimer: (() => void) | undefined
  let sending: Promise<void> | undefined
  let onItsWay = 0

  const lose = (count: number, because: string): void => {
    if (count === 0) return
    lost += count
    why = because
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0 && !stop.signal.aborted) {
      const items = waiting.splice(0, batch)
      onItsWay = items.length
      const delivery = await send(items, stop.signal, hurry.signal)
      // Whoever closed meanwhile has counted them.
      if (stop.signal.aborted) return
      onItsWay = 0
      if (delivery.kind === "lost") lose(items.length, delivery.why)
      else if (delivery.rejected) lose(Math.min(delivery.rejected, items.length), delivery.why ?? "rejected")
    }
  }

  function begin(): void {
    cancelTimer?.()
    cancelTimer = undefined
    sending ??= drain().finally(() => {
      sending = undefined
      if (waiting.length > 0) schedule()
    })
  }

  function schedule(): void {
    if (waiting.length >= batch) begin()
    else cancelTimer ??= clock.after(delayMs, begin)
  }

  return {
    add(item) {
      if (stop.signal.aborted) return lose(1, "it came after the end")
      if (waiting.length >= most) return lose(1, why === "" ? "more came than could be sent" : why)
      waiting.push(item)
      if (!sending) schedule()
    },
    async close(mostMs) {
      hurry.abort()
      cancelTimer?.()
      const over = new AbortController()
      const all = async (): Promise<void> => {
        await sending
        await drain()
      }
      await Promise.race([all(), clock.sleep(mostMs, over.signal)])
      over.abort()
      stop.abort()
      cancelTimer?.()
      lose(waiting.length + onItsWay, why === "" ? "no answer came in time" : why)
      waiting.length = 0
      onItsWay = 0
    },
    isIdle: () => waiting.length === 0 && onItsWay === 0,
    losses: () => (lost === 0 ? undefined : { count: lost, why }),
  }
}
