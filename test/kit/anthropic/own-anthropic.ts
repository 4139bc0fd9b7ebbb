/** Anthropic at its own address, as far as a program can tell: a proxy leads there, and a certificate vouches for it. */

import { createServer, connect, type AddressInfo } from "node:net"
import { join } from "node:path"
import { once } from "node:events"
import { openSimulator } from "#sim/server.ts"
import { asScenario, type RunOptions } from "../run-codewright.ts"

export interface OwnAnthropic extends AsyncDisposable {
  /** What a program needs in its environment in order to find it; no key and no address. */
  readonly env: { readonly [name: string]: string | undefined }
  /** Each request as path and key. */
  readonly seen: readonly string[]
  /** Which keys are accepted from now on. */
  readonly accept: (...keys: readonly string[]) => void
}

const pem = (name: string): string => join(import.meta.dir, `${name}.pem`)

/** It accepts the keys it is told, lists a model, and answers messages by a scenario. */
export async function openOwnAnthropic(
  keys: readonly string[],
  scenario: NonNullable<RunOptions["scenario"]> = [],
): Promise<OwnAnthropic> {
  const opened = await openSimulator({ scenario: asScenario(scenario) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const simulator = opened.value
  let accepted: readonly string[] = keys
  const seen: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { key: Bun.file(pem("key")), cert: Bun.file(pem("cert")) },
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const key = request.headers.get("x-api-key") ?? ""
      seen.push(`${pathname} ${key}`)
      if (!accepted.includes(key))
        return Response.json(
          { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
          { status: 401 },
        )
      if (pathname === "/v1/models") return Response.json({ data: [{ id: "claude-opus-5-5", type: "model" }] })
      return fetch(`${simulator.url}${pathname}`, {
        method: request.method,
        headers: request.headers,
        body: await request.arrayBuffer(),
      })
    },
  })
  const proxy = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => {
      const onward = connect(server.port ?? 0, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        socket.pipe(onward).pipe(socket)
      })
      onward.on("error", () => socket.destroy())
      socket.on("close", () => onward.destroy())
    })
  }).listen(0, "127.0.0.1")
  await once(proxy, "listening")
  const { port } = proxy.address() as AddressInfo
  return {
    seen,
    accept: (...next) => void (accepted = next),
    env: {
      ANTHROPIC_API_KEY: undefined,
      ANTHROPIC_BASE_URL: undefined,
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
      NODE_EXTRA_CA_CERTS: pem("cert"),
    },
    async [Symbol.asyncDispose]() {
      proxy.close()
      await server.stop(true)
      await simulator.close()
    },
  }
}
