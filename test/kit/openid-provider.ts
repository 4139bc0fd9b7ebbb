/** An OpenID provider over a real socket that says what a test wants it to say. */

import type { JsonObject } from "#lib/json.ts"

export interface MockProvider extends Disposable {
  readonly issuer: string
  /** What the next ID tokens say, over what is right. */
  claims: JsonObject
  /** How the next ones are signed: by its key, by one that it does not publish, or not at all. */
  signing: "right" | "foreign" | "none" | "wrong"
  /** Forms that were posted to the token endpoint. */
  readonly exchanges: { readonly form: URLSearchParams; readonly authorization: string | null }[]
  /** A new key, as when a provider changes it. */
  readonly renewKey: () => Promise<void>
}

const algorithm = { name: "ECDSA", namedCurve: "P-256" }

export async function openMockProvider(clientId: string): Promise<MockProvider> {
  const newPair = (): Promise<CryptoKeyPair> =>
    crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<CryptoKeyPair>
  let pair = await newPair()
  let kid = "k1"
  const foreign = await newPair()
  const nonces = new Map<string, { readonly nonce: string; readonly challenge: string }>()

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url)
      if (url.pathname === "/.well-known/openid-configuration")
        return Response.json({
          issuer: mock.issuer,
          authorization_endpoint: `${mock.issuer}/authorize`,
          token_endpoint: `${mock.issuer}/token`,
          jwks_uri: `${mock.issuer}/keys`,
        })
      if (url.pathname === "/keys") {
        const key = await crypto.subtle.exportKey("jwk", pair.publicKey)
        return Response.json({ keys: [{ ...key, kid, alg: "ES256", use: "sig" }] })
      }
      if (url.pathname === "/authorize") {
        const code = crypto.randomUUID()
        const { searchParams: asked } = url
        nonces.set(code, { nonce: asked.get("nonce") ?? "", challenge: asked.get("code_challenge") ?? "" })
        const back = new URL(asked.get("redirect_uri") ?? "")
        back.searchParams.set("code", code)
        back.searchParams.set("state", asked.get("state") ?? "")
        return Response.redirect(back.href, 302)
      }
      if (url.pathname !== "/token") return new Response("nothing here", { status: 404 })
      const form = new URLSearchParams(await request.text())
      mock.exchanges.push({ form, authorization: request.headers.get("authorization") })
      const begun = nonces.get(form.get("code") ?? "")
      nonces.delete(form.get("code") ?? "")
      const challenge = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "").digest("base64url")
      if (!begun || begun.challenge !== challenge) return Response.json({ error: "invalid_grant" }, { status: 400 })
      return Response.json({ token_type: "Bearer", access_token: "x", id_token: await tokenFor(begun.nonce) })
    },
  })

  async function tokenFor(nonce: string): Promise<string> {
    const seconds = Math.floor(Date.now() / 1000)
    const usual = { iss: mock.issuer, aud: clientId, sub: "u1", exp: seconds + 300, iat: seconds, nonce }
    const alg = mock.signing === "none" ? "none" : "ES256"
    const text = [
      { alg, kid: mock.signing === "foreign" ? "elsewhere" : kid },
      { ...usual, ...mock.claims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".")
    if (mock.signing === "none") return `${text}.`
    const key = mock.signing === "right" ? pair.privateKey : foreign.privateKey
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, Buffer.from(text))
    return `${text}.${Buffer.from(signature).toString("base64url")}`
  }

  const mock: MockProvider = {
    issuer: `http://127.0.0.1:${server.port}`,
    claims: {},
    signing: "right",
    exchanges: [],
    async renewKey() {
      pair = await newPair()
      kid = "k2"
    },
    [Symbol.dispose]: () => void server.stop(true),
  }
  return mock
}
