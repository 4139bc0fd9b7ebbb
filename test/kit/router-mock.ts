/** OpenRouter as far as signing in, testing a key and listing models go. */

import { isObject } from "#lib/json.ts"

export interface RouterMock extends AsyncDisposable {
  /** Of its API. */
  readonly baseUrl: string
  /** The only key it knows. */
  readonly key: string
  /** What a user does on the page: the code that it then gives. */
  readonly approve: (url: string) => Promise<string>
  /** The codes that became a key, in their order. */
  readonly exchanged: () => readonly string[]
  /** Each request to the API, as method, path and key. */
  readonly seen: readonly string[]
}

export function openRouterMock(key = "sk-or-v1-0000aaaa"): RouterMock {
  const challenges = new Map<string, string>()
  const exchanged: string[] = []
  const seen: string[] = []
  const codeFor = (query: URLSearchParams): string => {
    const code = `code-${crypto.randomUUID()}`
    challenges.set(code, query.get("code_challenge") ?? "")
    return code
  }

  async function exchange(request: Request): Promise<Response> {
    const body: unknown = await request.json()
    if (!isObject(body) || body.code_challenge_method !== "S256") return new Response("", { status: 400 })
    const { code, code_verifier } = body
    const challenge = challenges.get(String(code))
    const own = new Bun.CryptoHasher("sha256").update(String(code_verifier)).digest("base64url")
    challenges.delete(String(code))
    if (challenge !== own) return Response.json({ error: "Invalid code or code_verifier" }, { status: 403 })
    exchanged.push(String(code))
    return Response.json({ key, user_id: "user_1" })
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === "/auth") {
        // The page, and at once the click on it.
        const to = searchParams.get("callback_url")
        const code = codeFor(searchParams)
        return to === null
          ? new Response(code)
          : Response.redirect(`${to.replace("localhost", "127.0.0.1")}?code=${code}`, 302)
      }
      const given = request.headers.get("authorization")?.replace("Bearer ", "") ?? ""
      seen.push(`${request.method} ${pathname} ${given}`)
      if (pathname === "/api/v1/auth/keys" && request.method === "POST") return exchange(request)
      // Everybody may see the models.
      if (pathname === "/api/v1/models")
        return Response.json({ data: [{ id: "qwen/qwen3-coder", supported_parameters: ["tools"] }] })
      if (given !== key) return Response.json({ error: { message: "No auth credentials found" } }, { status: 401 })
      return pathname === "/api/v1/key"
        ? Response.json({ data: { label: "Codewright", limit_remaining: null } })
        : new Response("", { status: 404 })
    },
  })
  const address = `http://127.0.0.1:${server.port}`
  return {
    baseUrl: `${address}/api/v1`,
    key,
    approve: async (url) => codeFor(new URL(url).searchParams),
    exchanged: () => exchanged,
    seen,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
