/** Tells addresses what waits: signed, and again until they answer. */

import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import type { Delivery, FleetStore } from "./store.ts"

export interface Webhook {
  readonly url: string
  /** With which letters are signed. */
  readonly secret: string
  /** The status of the answer; undefined if there is none. */
  readonly send: (
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<number | undefined>
}

export interface WebhookParts {
  readonly store: FleetStore
  readonly hooks: readonly Webhook[]
  /** What a letter says. */
  readonly body: (delivery: Delivery) => object
  readonly clock: Clock
  readonly report: (text: string) => void
}

/** Much may begin to wait at once; one look is enough for all of it. */
const gatherMs = 200
/** What nobody told of, as when the database was away. */
const pollMs = 30_000
const atATime = 20

/** The returned function ends it; letters under way may be sent again later. */
export async function openWebhooks(parts: WebhookParts): Promise<() => Promise<void>> {
  const { store, hooks, clock } = parts
  const urls = hooks.map(({ url }) => url)
  for (const url of urls) await store.deliveries.delivered(url)
  const ending = new AbortController()
  let waking = new AbortController()
  let caughtUpAt = 0
  const unwatch = store.watchChanges((change) => {
    if (change === undefined || change.what === "approvals") waking.abort()
  })

  async function poll(): Promise<void> {
    while (!ending.signal.aborted) {
      const due = await store.deliveries.due(urls, atATime)
      await Promise.all(due.map((delivery) => deliver(delivery, parts, ending.signal)))
      if (due.length < atATime) return
    }
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      waking = new AbortController()
      try {
        if (Math.abs(clock.now() - caughtUpAt) >= pollMs) {
          caughtUpAt = clock.now()
          await store.deliveries.catchUp(urls)
        }
        await poll()
        const dueMs = (await store.deliveries.dueInMs(urls)) ?? pollMs
        await clock.sleep(Math.min(pollMs, Math.max(gatherMs, dueMs)), AbortSignal.any([waking.signal, ending.signal]))
        await clock.sleep(gatherMs, ending.signal)
      } catch (error) {
        if (!(error instanceof DatabaseLost)) parts.report(`Webhooks: ${String(error)}`)
        await clock.sleep(pollMs / 10, ending.signal)
      }
    }
  }

  const over = run()
  return async () => {
    ending.abort()
    unwatch()
    await over
  }
}

async function deliver(
  delivery: Delivery,
  { store, hooks, clock, body }: WebhookParts,
  signal: AbortSignal,
): Promise<void> {
  const hook = hooks.find(({ url }) => url === delivery.url)
  if (!hook) return
  const text = JSON.stringify(body(delivery))
  const seconds = Math.floor(clock.now() / 1000)
  const headers = {
    "codewright-delivery": delivery.id,
    "codewright-signature": `t=${seconds},v1=${signature(hook.secret, seconds, text)}`,
  }
  const status = await hook.send(text, headers, signal)
  if (status !== undefined && status >= 200 && status < 300) await store.deliveries.done(delivery.id)
}

/** The time is signed too, so that a letter cannot be sent again by somebody else much later. */
export const signature = (secret: string, seconds: number, body: string): string =>
  new Bun.CryptoHasher("sha256", secret).update(`${seconds}.${body}`).digest("hex")
