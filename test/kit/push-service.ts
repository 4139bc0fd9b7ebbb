/** A push service for tests: checks who sends by RFC 8292, and reads messages by RFC 8291 with keys that only a browser would have. */

export interface HeardPush {
  readonly path: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  readonly claims: Readonly<Record<string, unknown>>
}

export interface PushBrowser {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

export interface PushService {
  readonly url: string
  /** A browser that subscribed under this name. */
  readonly browser: (name: string) => Promise<PushBrowser>
  readonly heard: HeardPush[]
  readonly heardAtLeast: (count: number) => Promise<readonly HeardPush[]>
  /** With which status the next messages to a name are answered. */
  readonly answers: Map<string, number[]>
  readonly close: () => Promise<void>
}

const b64 = (bytes: ArrayBuffer | Uint8Array): string => Buffer.from(bytes as Uint8Array).toString("base64url")
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "base64url"))

export function openPushService(): PushService {
  const heard: HeardPush[] = []
  const answers = new Map<string, number[]>()
  const browsers = new Map<string, { readonly keys: CryptoKeyPair; readonly auth: Uint8Array<ArrayBuffer> }>()
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname: path, origin } = new URL(request.url)
      const name = path.slice("/push/".length)
      const browser = browsers.get(name)
      if (!browser) return new Response("", { status: 404 })
      const [, token = "", key = ""] = /^vapid t=(\S+), k=(\S+)$/.exec(request.headers.get("authorization") ?? "") ?? []
      const claims = await verified(token, key)
      if (claims?.["aud"] !== origin) return new Response("who are you?", { status: 403 })
      const sealed = new Uint8Array(await request.arrayBuffer())
      if (sealed.length > 4096) return new Response("", { status: 413 })
      const status = answers.get(name)?.shift() ?? 201
      heard.push({
        path,
        text: await opened(sealed, browser.keys, browser.auth),
        headers: Object.fromEntries(request.headers),
        claims,
      })
      return new Response("", { status })
    },
  })
  return {
    url: server.url.origin,
    heard,
    answers,
    async browser(name) {
      const keys = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"])
      const auth = crypto.getRandomValues(new Uint8Array(16))
      browsers.set(name, { keys, auth })
      const p256dh = b64(await crypto.subtle.exportKey("raw", keys.publicKey))
      return { endpoint: `${server.url.origin}/push/${name}`, keys: { p256dh, auth: b64(auth) } }
    },
    async heardAtLeast(count) {
      while (heard.length < count) await Bun.sleep(10)
      return heard
    },
    close: () => server.stop(true),
  }
}

async function verified(token: string, key: string): Promise<Record<string, unknown> | undefined> {
  const [head = "", body = "", mark = ""] = token.split(".")
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
  const theirs = await crypto.subtle.importKey("raw", bytesOf(key), algorithm, false, ["verify"])
  const isTrue = await crypto.subtle.verify(
    algorithm,
    theirs,
    bytesOf(mark),
    new TextEncoder().encode(`${head}.${body}`),
  )
  const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>
  const left = Number(claims["exp"]) - Date.now() / 1000
  return isTrue && left > 0 && left <= 86_400 ? claims : undefined
}

/** As RFC 8291 says it for whoever receives, written apart from what sends. */
export async function opened(
  sealed: Uint8Array<ArrayBuffer>,
  own: CryptoKeyPair,
  auth: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const { createDecipheriv, hkdfSync } = await import("node:crypto")
  const salt = sealed.subarray(0, 16)
  const length = sealed[20] ?? 0
  const theirs = sealed.slice(21, 21 + length)
  const body = Buffer.from(sealed.subarray(21 + length))
  const key = await crypto.subtle.importKey("raw", theirs, { name: "ECDH", namedCurve: "P-256" }, false, [])
  const shared = new Uint8Array(await crypto.subtle.deriveBits({ name: "ECDH", public: key }, own.privateKey, 256))
  const ours = new Uint8Array(await crypto.subtle.exportKey("raw", own.publicKey))
  const secret = Buffer.from(
    hkdfSync("sha256", shared, auth, Buffer.concat([Buffer.from("WebPush: info\0"), ours, theirs]), 32),
  )
  const content = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: aes128gcm\0", 16))
  const nonce = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: nonce\0", 12))
  const cipher = createDecipheriv("aes-128-gcm", content, nonce)
  cipher.setAuthTag(body.subarray(-16))
  const plain = Buffer.concat([cipher.update(body.subarray(0, -16)), cipher.final()])
  const end = plain.lastIndexOf(2)
  return plain.subarray(0, end).toString("utf8")
}
