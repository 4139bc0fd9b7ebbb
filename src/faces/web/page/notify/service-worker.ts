/**
 * What runs in the browser while no page is open: shows notifications, and says when the server is away. It keeps nothing of what the server answers.
 * The function is sent as text, so it uses nothing from outside of itself.
 */

interface WorkerEvent {
  readonly waitUntil: (work: Promise<unknown>) => void
}

interface WorkerClient {
  readonly focus: () => Promise<unknown>
  readonly navigate: (url: string) => Promise<unknown>
}

interface ShownNotification {
  readonly close: () => void
  readonly data: unknown
}

interface WorkerEvents {
  readonly install: WorkerEvent
  readonly activate: WorkerEvent
  readonly fetch: { readonly request: Request; readonly respondWith: (answer: Promise<Response>) => void }
  readonly push: WorkerEvent & { readonly data: { readonly json: () => unknown } | null }
  readonly message: WorkerEvent & { readonly data: unknown }
  readonly notificationclick: WorkerEvent & { readonly notification: ShownNotification; readonly action: string }
}

export interface WorkerScope {
  readonly addEventListener: <Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => void,
  ) => void
  readonly skipWaiting: () => Promise<void>
  readonly caches: {
    readonly open: (name: string) => Promise<{ readonly add: (path: string) => Promise<void> }>
    readonly match: (path: string) => Promise<Response | undefined>
  }
  readonly clients: {
    readonly claim: () => Promise<void>
    readonly matchAll: (wish: { readonly type: "window" }) => Promise<readonly WorkerClient[]>
    readonly openWindow: (url: string) => Promise<unknown>
  }
  readonly registration: {
    readonly showNotification: (title: string, options: object) => Promise<void>
    readonly getNotifications: () => Promise<readonly ShownNotification[]>
  }
  readonly location: { readonly origin: string }
}

export function serviceWorker(worker: WorkerScope): void {
  const offline = "/offline.html"
  const textIn = (data: unknown, name: string): string => {
    const value: unknown = typeof data === "object" && data !== null ? Reflect.get(data, name) : undefined
    return typeof value === "string" ? value : ""
  }

  worker.addEventListener("install", (event) => {
    event.waitUntil(
      worker.caches
        .open("offline")
        .then((cache) => cache.add(offline))
        .then(() => worker.skipWaiting()),
    )
  })
  worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()))

  // Only the page itself: everything else goes to the server as if nobody were here.
  worker.addEventListener("fetch", (event) => {
    const { pathname } = new URL(event.request.url)
    if (event.request.mode !== "navigate" || pathname !== "/") return
    event.respondWith(
      fetch(event.request).catch(async (error: unknown) => {
        const page = await worker.caches.match(offline)
        if (!page) throw error
        return page
      }),
    )
  })

  const keyOf = (data: unknown, approval: string): string =>
    JSON.stringify(["sessionId", approval, "digest"].map((name) => textIn(data, name)))

  /** What was decided elsewhere need not be looked at any more. Browsers want the newest one to stay, whatever became of it. */
  async function closeDecided(waiting: readonly string[], newest = ""): Promise<void> {
    for (const shown of await worker.registration.getNotifications()) {
      const { data } = shown
      if (textIn(data, "approvalId") === "" || textIn(data, "tag") === newest) continue
      if (!waiting.includes(keyOf(data, "approvalId"))) shown.close()
    }
  }

  /** Undefined if that is not known, or only of some. */
  async function openNow(): Promise<readonly string[] | undefined> {
    const answer = await fetch("/api/approvals?state=open&limit=200").catch(() => undefined)
    const page: unknown = answer?.ok ? await answer.json().catch(() => undefined) : undefined
    if (typeof page !== "object" || page === null || Reflect.get(page, "next") !== undefined) return undefined
    const all: unknown = Reflect.get(page, "approvals")
    return Array.isArray(all) ? all.map((each) => keyOf(each, "id")) : undefined
  }

  // A page that is open knows it sooner.
  worker.addEventListener("message", (event) => {
    const { data } = event
    const waiting: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "open") : undefined
    if (Array.isArray(waiting)) event.waitUntil(closeDecided(waiting.map((each) => keyOf(each, "id"))))
  })

  worker.addEventListener("push", (event) => {
    let data: unknown
    try {
      data = event.data?.json()
    } catch {
      // Browsers want something shown for every message.
    }
    const tag = textIn(data, "tag")
    const show = worker.registration.showNotification(textIn(data, "title") || "Codewright", {
      body: textIn(data, "body") || "Something waits for you.",
      icon: "/icon-192.png",
      badge: "/icon-192.png",
      data,
      ...(tag !== "" && { tag }),
      // What is allowed is looked at first, on the page.
      actions: textIn(data, "kind") === "tool" ? [{ action: "deny", title: "Deny" }] : [],
    })
    event.waitUntil(show.then(openNow).then((waiting) => (waiting ? closeDecided(waiting, tag) : undefined)))
  })

  async function open(data: unknown): Promise<void> {
    const [session, approval] = ["sessionId", "approvalId"].map((name) => encodeURIComponent(textIn(data, name)))
    const hash = session === "" ? "#/" : `#/sessions/${session}?approval=${approval}`
    const [client] = await worker.clients.matchAll({ type: "window" })
    if (!client) return void (await worker.clients.openWindow(`/${hash}`))
    await client.navigate(`${worker.location.origin}/${hash}`).catch(() => worker.clients.openWindow(`/${hash}`))
    await client.focus().catch(() => undefined)
  }

  /** Whether it was denied now. */
  async function deny(data: unknown): Promise<boolean> {
    const [session, approval] = ["sessionId", "approvalId"].map((name) => encodeURIComponent(textIn(data, name)))
    const answer = await fetch(`/api/sessions/${session}/approvals/${approval}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "deny", digest: textIn(data, "digest") }),
    }).catch(() => undefined)
    if (!answer?.ok) return false
    const decided: unknown = await answer.json().catch(() => undefined)
    return typeof decided === "object" && decided !== null && Reflect.get(decided, "effective") === true
  }

  worker.addEventListener("notificationclick", (event) => {
    const { notification, action } = event
    const { data } = notification
    notification.close()
    event.waitUntil(action === "deny" ? deny(data).then((isDone) => (isDone ? undefined : open(data))) : open(data))
  })
}
