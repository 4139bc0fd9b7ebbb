import { expect, test } from "bun:test"
import { connectMcp, type ConnectPorts } from "#ground/mcp/connect.ts"
import type { McpConnection, McpHost } from "#ground/mcp/connection.ts"
import { openLoginStore } from "#ground/mcp/login-store.ts"
import { guardedAddresses } from "#ground/web/addresses.ts"
import { openPinned } from "#ground/web/pinned.ts"
import { systemClock } from "#lib/clock.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok } from "#lib/result.ts"
import { asEvents, olderKind, openRemoteServer, type RemoteServer } from "../../../kit/mcp/remote-server.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { certificate, key } from "../web/certificate.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

const { signal } = new AbortController()
const tls = { key, cert: certificate }

const host: McpHost = {
  roots: () => [],
  elicit: async () => ({ action: "cancel" }),
  onElicited: () => {},
  onChanged: () => {},
  onUpdated: () => {},
  onClosed: () => {},
}

/** A connection to a server of a project's file, whose name leads to each of these in turn. */
async function reach(
  far: RemoteServer,
  { leads, kind = "http", path = "/mcp" }: { leads: readonly string[]; kind?: "http" | "sse"; path?: string },
) {
  using folder = temporaryFolder()
  let lookups = 0
  const ports: ConnectPorts = {
    clock: systemClock,
    version: "0.0.0",
    cwd: folder.path,
    network: directNetwork({ ca: certificate }),
    env: () => ({}),
    start: async () => failed("nothing is started"),
    openPinned: async () =>
      openPinned({
        clock: systemClock,
        policy: guardedAddresses((name) => name === "pages.test"),
        resolve: async () => ok([leads[Math.min(lookups++, leads.length - 1)] ?? ""]),
        network: directNetwork({ ca: certificate }),
        purpose: { why: "mcp", chosenBy: "others" },
      }),
    runHelper: async () => failed("no helper"),
    logins: openLoginStore(folder.path),
    older: { has: () => false, keep: () => {} },
  }
  const url = `https://pages.test:${new URL(far.url).port}${path}`
  const config = { kind, url, headers: { "x-own": "1" } }
  const connected = await connectMcp({ name: "far", source: "project", config }, host, ports, signal)
  return { connected, lookups: () => lookups }
}

const ping = async (connection: McpConnection): Promise<unknown> => {
  const called = await connection.call(
    { name: "ping", input: {}, callId: "c1" },
    { signal, timeoutMs: 30_000, onProgress: () => {} },
  )
  if (!called.ok) return called.failure
  return called.value.kind === "complete" ? called.value.result.content : called.value.kind
}

const pong = [{ type: "text", text: "pong" }]

for (const answers of ["json", "events"] as const)
  test(`the whole conversation with a project's server goes to the address that was judged first (${answers})`, async () => {
    await using far = openRemoteServer({
      tls,
      instead: (_, message) => (answers === "events" && message?.id !== undefined ? asEvents(message) : undefined),
    })
    const { connected, lookups } = await reach(far, { leads: ["127.0.0.1", "169.254.169.254"] })
    if (!connected.ok) throw new Error(connected.failure.message)
    expect(await connected.value.list("tools", signal)).toMatchObject({ value: [{ name: "ping" }] })
    expect(await ping(connected.value)).toEqual(pong)
    expect(far.headers()?.get("x-own")).toBe("1")
    expect(far.headers()?.get("host")).toStartWith("pages.test:")
    await connected.value.close()
    expect(lookups()).toBe(1)
  })

test("the older kind of connection is pinned, too: its stream and what is posted beside it", async () => {
  await using far = openRemoteServer({ tls, instead: olderKind().instead })
  const { connected, lookups } = await reach(far, { leads: ["127.0.0.1", "169.254.169.254"], kind: "sse" })
  if (!connected.ok) throw new Error(connected.failure.message)
  expect(await ping(connected.value)).toEqual(pong)
  await connected.value.close()
  expect(lookups()).toBe(1)
})

test("a name that leads to a private place is refused before anything is sent", async () => {
  await using far = openRemoteServer({ tls })
  const { connected } = await reach(far, { leads: ["169.254.169.254"] })
  expect(connected).toMatchObject({
    ok: false,
    failure: { kind: "refused", message: expect.stringContaining("pages.test leads to 169.254.169.254") },
  })
  expect(far.seen).toEqual([])
})

test("a redirect on the same host is looked at and followed; one to another place is not", async () => {
  const redirecting =
    (to: string) =>
    (request: Request, message: JsonObject | undefined): Response | undefined =>
      message && new URL(request.url).search === "" ? Response.redirect(to, 307) : undefined
  await using near = openRemoteServer({ tls, instead: redirecting("/mcp?moved=1") })
  const followed = await reach(near, { leads: ["127.0.0.1"] })
  expect(followed.connected.ok).toBe(true)
  if (followed.connected.ok) await followed.connected.value.close()
  for (const to of ["https://127.0.0.1:1/mcp", "http://pages.test/mcp", "https://169.254.169.254/latest"]) {
    await using far = openRemoteServer({ tls, instead: redirecting(to) })
    const { connected, lookups } = await reach(far, { leads: ["127.0.0.1"] })
    expect([to, connected.ok, lookups()]).toEqual([to, false, 1])
  }
})
