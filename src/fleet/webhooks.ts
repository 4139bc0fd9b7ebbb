/** Tells addresses what waits: signed, and again until they answer. */

import type { Clock } from "#lib/clock.ts"
import { quietUntil } from "./quiet-hours.ts"
import type { Delivery, NotifyWishes } from "./store/telling.ts"
import type { FleetStore } from "./store.ts"
import { tellAgainAndAgain } from "./telling.ts"

export interface Webhook {
  /** Under which its letters are kept. */
  readonly url: string
  /** Who reads it: only what they may decide is told, not in their quiet hours, and with links that decide. Everybody when absent. */
  readonly for?: string
  /** True if it arrived. */
  readonly send: (letter: Letter, signal: AbortSignal) => Promise<boolean>
}

export interface Letter {
  readonly delivery: Delivery
  readonly links?: DecisionLinks | undefined
}

/** The secrets of links that decide: an action is allowed or denied with a click, a plan or a question is answered on the page that opens. */
export type DecisionLinks = { readonly forMs: number } & (
  { readonly allow: string; readonly deny: string } | { readonly answer: string }
)

export interface WebhookParts {
  readonly store: FleetStore
  readonly hooks: readonly Webhook[]
  /** Whether somebody may decide in a session now. */
  readonly mayDecide: (who: string, sessionId: string) => Promise<boolean>
  /** Absent where nobody knows the address of the page, so that no link leads there. */
  readonly newSecret?: (() => string) | undefined
  readonly clock: Clock
  readonly report: (text: string) => void
}

const atATime = 20
/** So long a link that decides works. */
const linkMs = 60 * 60 * 1000

/** The returned function ends it; letters under way may be sent again later. */
export async function openWebhooks(parts: WebhookParts): Promise<() => Promise<void>> {
  const { store, hooks } = parts
  const urls = hooks.map(({ url }) => url)
  for (const url of urls) await store.deliveries.delivered(url)
  return tellAgainAndAgain({
    ...parts,
    name: "Webhooks",
    catchUp: () => store.deliveries.catchUp(urls),
    dueInMs: () => store.deliveries.dueInMs(urls),
    async round(signal) {
      while (!signal.aborted) {
        const due = await store.deliveries.due(urls, atATime)
        await Promise.all(due.map((delivery) => deliver(delivery, parts, signal)))
        if (due.length < atATime) return
      }
    },
  })
}

async function deliver(delivery: Delivery, parts: WebhookParts, signal: AbortSignal): Promise<void> {
  const { store, hooks, clock } = parts
  const hook = hooks.find(({ url }) => url === delivery.url)
  if (!hook) return
  if (hook.for !== undefined) {
    if (!(await parts.mayDecide(hook.for, delivery.session.id))) return store.deliveries.done(delivery.id)
    const heldMs = heldFor(await store.notifying.wishesOf(hook.for), delivery.approval, clock.now())
    if (heldMs > 0) return store.deliveries.postpone(delivery.id, heldMs)
  }
  const links = hook.for === undefined ? undefined : await linksFor(hook.for, delivery, parts)
  if (await hook.send({ delivery, links }, signal)) await store.deliveries.done(delivery.id)
}

/** How long somebody is not told of it: until their quiet hours end, unless it will have expired by then. */
export function heldFor({ quiet }: NotifyWishes, { expiresAt }: Delivery["approval"], now: number): number {
  const until = quietUntil(quiet, now)
  return expiresAt !== undefined && expiresAt <= until ? 0 : until - now
}

/** The form of a server may ask for anything, passwords too: it is filled in by somebody who has signed in. */
async function linksFor(
  who: string,
  { id, approval }: Delivery,
  { store, newSecret }: WebhookParts,
): Promise<DecisionLinks | undefined> {
  if (!newSecret || approval.kind === "elicitation") return undefined
  const made = async (allows?: boolean): Promise<string> => {
    const secret = newSecret()
    await store.decisionLinks.make(id, { secret, who, allows, forMs: linkMs })
    return secret
  }
  if (approval.kind !== "tool") return { answer: await made(), forMs: linkMs }
  return { allow: await made(true), deny: await made(false), forMs: linkMs }
}

/** The time is signed too, so that a letter cannot be sent again by somebody else much later. */
export const signature = (secret: string, seconds: number, body: string): string =>
  new Bun.CryptoHasher("sha256", secret).update(`${seconds}.${body}`).digest("hex")
