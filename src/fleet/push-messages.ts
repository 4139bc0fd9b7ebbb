/** Sends what waits to the devices of those who may decide about it. */

import type { Clock } from "#lib/clock.ts"
import { forConsent } from "#lib/printable.ts"
import type { PushMessage, PushOutcome, Subscription } from "#ground/push/request.ts"
import { type DuePush, pushUrl } from "./store/telling.ts"
import type { FleetStore } from "./store.ts"
import { tellAgainAndAgain } from "./telling.ts"
import { heldFor } from "./webhooks.ts"

export interface PushMessageParts {
  readonly store: FleetStore
  /** The public key that devices of this server have. */
  readonly serverKey: string
  readonly send: (to: Subscription, message: PushMessage, signal: AbortSignal) => Promise<PushOutcome>
  /** Whether somebody may decide in a session now. */
  readonly mayDecide: (who: string, sessionId: string) => Promise<boolean>
  readonly clock: Clock
  readonly report: (text: string) => void
}

const atATime = 20
const dayMs = 24 * 60 * 60 * 1000

/** The returned function ends it; messages under way may be sent again later. */
export function openPushMessages(parts: PushMessageParts): () => Promise<void> {
  const { store, serverKey } = parts
  return tellAgainAndAgain({
    ...parts,
    name: "Notifications",
    catchUp: () => store.deliveries.catchUp([pushUrl]),
    async dueInMs() {
      const [letters, pushes] = [await store.deliveries.dueInMs([pushUrl]), await store.notifying.dueInMs(serverKey)]
      return letters === undefined || pushes === undefined ? (letters ?? pushes) : Math.min(letters, pushes)
    },
    async round(signal) {
      for (let fannedOut = atATime; fannedOut === atATime && !signal.aborted;)
        fannedOut = await store.notifying.fanOut(atATime)
      while (!signal.aborted) {
        const due = await store.notifying.due(serverKey, atATime)
        await Promise.all(due.map((push) => deliver(push, parts, signal)))
        if (due.length < atATime) return
      }
    },
  })
}

async function deliver(push: DuePush, parts: PushMessageParts, signal: AbortSignal): Promise<void> {
  const { store, clock } = parts
  const { device, approval, wishes } = push
  if (!(await parts.mayDecide(device.who, approval.sessionId))) return store.notifying.drop(push.id)
  const now = clock.now()
  const heldMs = heldFor(wishes, approval, now)
  if (heldMs > 0) return store.notifying.postpone(push.id, heldMs)
  const message = {
    text: JSON.stringify(payloadOf(push)),
    topic: topicOf(approval),
    ttlSeconds: Math.max(60, Math.floor(Math.min(dayMs, (approval.expiresAt ?? Infinity) - now) / 1000)),
  }
  const outcome = await parts.send(device, message, signal)
  if (outcome === "sent") return store.notifying.sent(push)
  if (outcome === "gone") return store.notifying.forgetDevice(device.id)
  if (!signal.aborted) parts.report(`Notifications: a message to a device of ${device.who} failed: ${outcome.why}`)
  return store.notifying.retry(push.id)
}

/** What a device shows, and needs to open it or deny it. A notification is no place for a whole action, so none can be allowed from there. */
export interface PushPayload {
  readonly title: string
  readonly body: string
  readonly sessionId: string
  readonly approvalId: string
  readonly digest: string
  readonly kind: DuePush["approval"]["kind"]
  /** What is told again replaces what is shown. */
  readonly tag: string
}

function payloadOf({ approval, session }: DuePush): PushPayload {
  const { id, sessionId, kind, title, digest } = approval
  return {
    title: cut(forConsent(session.title), mostTitle),
    body: cut(`${kindWords[kind]}: ${forConsent(title)}`, mostBody),
    sessionId,
    approvalId: id,
    digest,
    kind,
    tag: topicOf(approval),
  }
}

const kindWords = {
  tool: "Waits for approval",
  plan: "Plan to approve",
  question: "Question",
  elicitation: "Form",
} as const

/** Phones show less. */
const [mostTitle, mostBody] = [100, 300]

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text

/** The same however often it is asked. */
const topicOf = ({ sessionId, id, digest }: DuePush["approval"]): string =>
  new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([sessionId, id, digest]))
    .digest("base64url")
    .slice(0, 32)
