/** The page as an app: its worker, whether it can be installed, and this browser as a device that is told of what waits. */

import { failed, ok, type Result } from "#lib/result.ts"
import { type ApiResult, failureText, post, remove } from "#faces/web/page/api.ts"
import type { Inbox } from "#faces/web/page/contract.ts"
import type { ShownDevice } from "#faces/web/page/contract-lists.ts"
import { trustedPolicy, workerPath } from "./trusted.ts"

/** Browsers offer workers over TLS and on this machine. */
const hasWorkers = (): boolean => "serviceWorker" in navigator

interface TrustedTypesHere {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: () => string },
  ) => { readonly createScriptURL: (text: string) => string }
}

/** Whatever it is asked for, it is our worker. */
function workerAddress(): string {
  const trustedTypes: unknown = Reflect.get(globalThis, "trustedTypes")
  if (typeof trustedTypes !== "object" || trustedTypes === null) return workerPath
  const { createPolicy } = trustedTypes as TrustedTypesHere
  return createPolicy.call(trustedTypes, trustedPolicy, { createScriptURL: () => workerPath }).createScriptURL("")
}

/** Once, when the page is loaded. A browser that forbids workers still shows the page. */
export function startWorker(): void {
  if (hasWorkers()) navigator.serviceWorker.register(workerAddress(), { scope: "/" }).catch(() => undefined)
}

/** Closes what is shown of other things: they were decided. Does nothing where not all that waits is known. */
export async function closeDecided({ approvals, next }: Inbox): Promise<void> {
  if (!hasWorkers() || next !== undefined) return
  const registration = await navigator.serviceWorker.getRegistration("/").catch(() => undefined)
  registration?.active?.postMessage({
    open: approvals.map(({ sessionId, id, digest }) => ({ sessionId, id, digest })),
  })
}

/** What keeps this browser from being told: a sentence, or nothing. */
export function notifyObstacle(): string | undefined {
  if (!isSecureContext) return "Browsers show notifications only over TLS, or on the machine of the server."
  if (!hasWorkers() || !("PushManager" in globalThis) || !("Notification" in globalThis))
    return isApple()
      ? "Add the page to your home screen first (Share, then Add to Home Screen), and open it from there."
      : "This browser cannot receive notifications."
  return Notification.permission === "denied"
    ? "This browser blocks notifications from here. Allow them in its settings for this site, then reload the page."
    : undefined
}

const isApple = (): boolean => /iPhone|iPad/.test(navigator.userAgent)

/** How this browser is subscribed, if it is. */
async function subscriptionHere(): Promise<PushSubscription | undefined> {
  if (notifyObstacle() !== undefined) return undefined
  const registration = await navigator.serviceWorker.getRegistration("/")
  return (await registration?.pushManager.getSubscription()) ?? undefined
}

/** Asks the user, subscribes, and tells the server. The failure is a sentence. */
export async function tellThisDevice(serverKey: string): Promise<Result<ShownDevice, string>> {
  if ((await Notification.requestPermission()) !== "granted")
    return failed("Notifications were not allowed. You can allow them in the browser's settings for this site.")
  if (!(await navigator.serviceWorker.getRegistration("/")))
    return failed("The browser did not start the page's worker. Reload the page, then try again.")
  const registration = await navigator.serviceWorker.ready
  try {
    const before = await registration.pushManager.getSubscription()
    // One that was made for another key is worth nothing here.
    if (before && keyOf(before) !== serverKey) await before.unsubscribe()
    const applicationServerKey = bytesOf(serverKey)
    const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
    const added = await addDevice(made)
    return added.ok ? ok(added.value) : failed(failureText(added.failure))
  } catch (error) {
    return failed(`The browser could not subscribe to its push service. ${error instanceof Error ? error.message : ""}`)
  }
}

/** The server may have forgotten it, and learns that it is still in use. */
export async function confirmDevice(serverKey: string): Promise<ShownDevice | undefined> {
  const subscription = await subscriptionHere()
  if (!subscription || keyOf(subscription) !== serverKey) return undefined
  const added = await addDevice(subscription)
  return added.ok ? added.value : undefined
}

/** Also for the server, if this browser is subscribed. */
export async function forgetThisDevice(): Promise<void> {
  const subscription = await subscriptionHere()
  if (!subscription) return
  const known = await addDevice(subscription)
  if (known.ok) await remove(`/api/devices/${known.value.id}`)
  await subscription.unsubscribe()
}

const addDevice = (subscription: PushSubscription): Promise<ApiResult<ShownDevice>> => {
  const { endpoint = "", keys = {} } = subscription.toJSON()
  const { p256dh = "", auth = "" } = keys
  return post<ShownDevice>("/api/devices", { endpoint, keys: { p256dh, auth }, label: deviceName() })
}

const keyOf = ({ options }: PushSubscription): string => {
  const key = options.applicationServerKey
  return key ? toBase64Url(new Uint8Array(key)) : ""
}

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0))

/** As people call it. */
function deviceName(): string {
  const { userAgent } = navigator
  const browser = [/Edg\//, /Firefox\//, /Chrom(?:e|ium)\//, /Safari\//].findIndex((each) => each.test(userAgent))
  const system = [/iPhone/, /iPad/, /Android/, /Windows/, /Mac OS X/, /Linux/].findIndex((each) => each.test(userAgent))
  return `${["Edge", "Firefox", "Chrome", "Safari"][browser] ?? "Browser"} on ${["iPhone", "iPad", "Android", "Windows", "Mac", "Linux"][system] ?? "another system"}`
}

/** What Chromium offers where the page can be installed. */
interface InstallOffer extends Event {
  readonly prompt: () => Promise<unknown>
}

/** Calls with how to install the page, once the browser offers it; returns how to end that. */
export function onInstallOffer(offered: (install: () => Promise<unknown>) => void): () => void {
  const heard = (event: Event): void => {
    event.preventDefault()
    offered(() => (event as InstallOffer).prompt())
  }
  addEventListener("beforeinstallprompt", heard)
  return () => removeEventListener("beforeinstallprompt", heard)
}
