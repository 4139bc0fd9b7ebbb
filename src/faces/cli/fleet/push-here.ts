/** Notifications of browsers as the settings want them: the key that devices trust, and how messages leave this machine. */

import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { areKeys } from "#ground/push/encrypt.ts"
import type { PushMessage, PushOutcome, Subscription } from "#ground/push/request.ts"
import { newVapidKey, type VapidKey, vapidKeyFrom } from "#ground/push/vapid.ts"
import { keepPushKey } from "#ground/settings/push-key.ts"
import type { PushSettings } from "#ground/settings/settings.ts"
import type { Device } from "#fleet/store/telling.ts"
import type { PushSide } from "#faces/web/route.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { endpointProblem, sendPush } from "./send-push.ts"
import { readSecret } from "./server-secrets.ts"

export interface PushHere extends PushSide {
  readonly send: (to: Subscription, message: PushMessage, signal: AbortSignal) => Promise<PushOutcome>
}

type PushContext = Pick<StartupContext, "loaded" | "network" | "home" | "state">

const testText = JSON.stringify({ title: "Codewright", body: "Notifications work on this device.", tag: "test" })

/** The failure is a sentence. */
export async function pushHere({ loaded, network, home, state }: PushContext): Promise<Result<PushHere, string>> {
  const { push: settings = {}, url } = loaded.settings.server ?? {}
  const { contact = url?.startsWith("https:") ? url : "mailto:codewright@localhost", allowPrivate = false } = settings
  if (!/^(?:mailto:\S+@\S+|https:\/\/\S+)$/.test(contact))
    return failed(`server.push.contact is a mailto: or https: address, not ${JSON.stringify(contact)}.`)
  const key = await keyOf(settings, { loaded, home, state })
  if (!key.ok) return key
  const parts = { key: key.value, contact, network, clock: systemClock, ids: systemIds, allowPrivate }
  const send: PushHere["send"] = (to, message, signal) => sendPush(parts, to, message, signal)
  return ok({
    serverKey: key.value.publicKey,
    send,
    async problemOf({ endpoint, ...keys }) {
      if (!(await areKeys(keys))) return "The keys of the subscription are not valid."
      return endpointProblem(endpoint, allowPrivate)
    },
    async test(device: Device) {
      const outcome = await send(
        device,
        { text: testText, topic: "test", ttlSeconds: 60 },
        new AbortController().signal,
      )
      if (outcome === "sent") return undefined
      return outcome === "gone" ? "the push service does not know this device any more" : outcome.why
    },
  })
}

async function keyOf(
  settings: PushSettings,
  { loaded, home, state }: Pick<PushContext, "loaded" | "home" | "state">,
): Promise<Result<VapidKey, string>> {
  const configured = await readSecret(settings, "key", { env: loaded.env, home })
  if (!configured.ok) return failed(`server.push: ${configured.failure}`)
  if (configured.value !== undefined) {
    const key = await vapidKeyFrom(configured.value)
    return key.ok ? key : failed(`server.push: ${key.failure}`)
  }
  const kept = await keepPushKey(state, newVapidKey)
  if (!kept.ok) return kept
  const key = await vapidKeyFrom(kept.value.text)
  return key.ok
    ? key
    : failed(
        `${kept.value.path}: ${key.failure} Remove the file to make a new key; devices then have to be added again.`,
      )
}
