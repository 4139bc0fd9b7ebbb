import { expect, test } from "bun:test"
import { statSync } from "node:fs"
import { join } from "node:path"
import { logIn } from "#ground/mcp/login.ts"
import { openLoginStore } from "#ground/mcp/login-store.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { openDoor } from "../../kit/mcp/door.ts"
import { openRemoteServer } from "../../kit/mcp/remote-server.ts"
import { everythingAt, remote, servers } from "../../kit/mcp/servers.ts"
import { calls, says, use } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { directNetwork } from "../../kit/direct-network.ts"
import { until } from "../../kit/until.ts"

const { signal } = new AbortController()

/** Whoever is shown an address opens it in a browser, which follows to where it leads and may be closed before it is there. */
const browse = (url: string): void => void fetch(url).catch(() => {})

const pinging = (server: McpServer, more: object = {}): Promise<TestSession> =>
  openTestSession({
    script: [calls(use("mcp__far__ping", {})), says("Done.")],
    mcp: servers([server]),
    allow: ["mcp__far"],
    ...more,
  })

const standing = async (t: TestSession): Promise<unknown> =>
  (await t.ask({ type: "servers" })).map(({ status, reason }) => [status, reason])

test("a server at an address is called with the configured headers and those of the helper", async () => {
  await using far = openRemoteServer()
  const headersHelper = `echo '{"x-helped": "yes"}'`
  await using t = await pinging(remote("far", far.url, { headers: { "x-own": "1" }, headersHelper }))
  await t.prompt("go")
  expect(t.results()[0]?.content).toBe("pong")
  expect([far.headers()?.get("x-own"), far.headers()?.get("x-helped")]).toEqual(["1", "yes"])
})

test("a helper that fails, or prints no headers, is the reason why the server is not there", async () => {
  await using far = openRemoteServer()
  await using t = await openTestSession({
    script: [says("Hi.")],
    mcp: servers([
      remote("failing", far.url, { headersHelper: "echo no >&2; exit 3" }),
      remote("talking", far.url, { headersHelper: "echo hello" }),
    ]),
  })
  await t.prompt("go")
  expect(await standing(t)).toEqual([
    ["failed", "The headersHelper failed: it ended with 3. no"],
    ["failed", "The headersHelper must print one JSON object whose values are texts."],
  ])
  expect(far.seen).toEqual([])
})

for (const kind of ["http", "sse"] as const)
  test(`the everything server over ${kind}`, async () => {
    await using there = await everythingAt(kind)
    await using t = await openTestSession({
      script: [calls(use("mcp__far__echo", { message: "hello" })), says("Done.")],
      mcp: servers([remote("far", there.url, { kind })]),
      allow: ["mcp__far"],
    })
    await t.prompt("go")
    expect(t.results()[0]?.content).toBe("Echo: hello")
  })

test("a server that is gone for a moment is reached again, and the call goes through", async () => {
  await using far = openRemoteServer()
  using door = await openDoor(far.url)
  await using t = await openTestSession({
    script: [
      calls(use("mcp__far__ping", {})),
      says("Once."),
      calls(use("mcp__far__ping", {})),
      calls(use("mcp__far__ping", {})),
      says("Done."),
    ],
    mcp: servers([remote("far", door.url)]),
    allow: ["mcp__far"],
  })
  await t.prompt("go")
  door.shut()
  const lost = t.until((event) => event.type === "entry" && event.entry.kind === "notice")
  t.say("again")
  await lost
  door.open()
  await t.settled()
  expect(far.seen.filter((method) => method === "initialize")).toHaveLength(2)
  expect(t.results().map(({ isError }) => isError)).toEqual([false, true, false])
})

test("nothing at the address, or something else, is a reason in words", async () => {
  using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("<html>", { status: 500 }) })
  await using t = await openTestSession({
    script: [says("Hi.")],
    mcp: servers([remote("nobody", "http://127.0.0.1:9/mcp"), remote("other", `http://127.0.0.1:${other.port}/`)]),
  })
  await t.prompt("go")
  expect(await standing(t)).toEqual([
    ["failed", expect.stringContaining("cannot be reached")],
    ["failed", "The server answered 500."],
  ])
})

test("a server of a project on this machine is reached at the very address that was approved, and leads nowhere else", async () => {
  await using far = openRemoteServer()
  const ofProject = (url: string): McpServer => ({ ...remote("far", url), source: "project" })
  await using t = await pinging(ofProject(far.url))
  await t.prompt("go")
  expect(t.results()[0]?.content).toBe("pong")

  const seen = far.seen.length
  using astray = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.redirect(far.url, 307) })
  await using led = await pinging(ofProject(`http://127.0.0.1:${astray.port}/mcp`))
  await led.prompt("go")
  expect(await standing(led)).toEqual([["failed", expect.anything()]])
  expect(far.seen).toHaveLength(seen)
})

test("an address in a project's file leads to no other private place, unless a rule names it", async () => {
  await using t = await pinging({ ...remote("far", "http://169.254.169.254/mcp"), source: "project" })
  await t.prompt("go")
  expect(await standing(t)).toEqual([["failed", expect.anything()]])
})

test("a server that wants a login says so; after the login it works, and a token that is over is refreshed", async () => {
  await using far = openRemoteServer({ auth: "login" })
  await using before = await pinging(remote("far", far.url))
  await before.prompt("go")
  expect(await standing(before)).toEqual([
    ["needs_login", "The server wants a login. Log in with: codewright mcp login far"],
  ])
  // Nobody registers or logs in by itself.
  expect(far.seen).toEqual([])

  using folder = temporaryFolder()
  const logins = openLoginStore(folder.path)
  const shown: string[] = []
  const show = (url: string): void => {
    shown.push(url)
    browse(url)
  }
  expect(
    await logIn(far.url, { logins, ids: systemIds, network: directNetwork(), clock: systemClock, show }, signal),
  ).toEqual({
    ok: true,
    value: undefined,
  })
  expect(shown[0]).toStartWith(`${new URL(far.url).origin}/authorize?`)
  const [file = ""] = [...new Bun.Glob("mcp-logins/*.json").scanSync(folder.path)]
  expect(statSync(join(folder.path, file)).mode & 0o777).toBe(0o600)

  const place = { stateFolder: folder.path }
  await using after = await pinging(remote("far", far.url), { place })
  await after.prompt("go")
  expect(after.results()[0]?.content).toBe("pong")
  far.revoke()
  await using later = await pinging(remote("far", far.url), { place })
  await later.prompt("go")
  expect(later.results()[0]?.content).toBe("pong")

  expect(logins.forget(far.url)).toBe(true)
  expect(logins.forget(far.url)).toBe(false)
})

test("a login that the person refuses leaves everything as it was", async () => {
  await using far = openRemoteServer({ auth: "refuse" })
  using folder = temporaryFolder()
  const logins = openLoginStore(folder.path)
  const done = await logIn(
    far.url,
    { logins, ids: systemIds, network: directNetwork(), clock: systemClock, show: browse },
    signal,
  )
  expect(done).toEqual({ ok: false, failure: "The login was refused (access_denied)." })
  expect(logins.read(far.url)).toBeUndefined()
  const before = { tokens: { access_token: "old", token_type: "Bearer" } }
  logins.write(far.url, before)
  await logIn(far.url, { logins, ids: systemIds, network: directNetwork(), clock: systemClock, show: browse }, signal)
  expect(logins.read(far.url)).toEqual(before)
})

test("who comes back without the state that we gave out is not believed", async () => {
  await using far = openRemoteServer({ auth: "login" })
  using folder = temporaryFolder()
  const logins = openLoginStore(folder.path)
  const stop = new AbortController()
  const answers: number[] = []
  const show = (url: string): void => {
    const back = new URL(new URL(url).searchParams.get("redirect_uri") ?? "")
    back.search = "?code=stolen&state=guessed"
    void fetch(back)
      .then(
        ({ status }) => answers.push(status),
        () => answers.push(0),
      )
      .finally(() => stop.abort())
  }
  const done = await logIn(
    far.url,
    { logins, ids: systemIds, network: directNetwork(), clock: systemClock, show },
    stop.signal,
  )
  expect([done.ok, answers]).toEqual([false, [404]])
})

test("a login begins in the session, shows where to agree, and reaches the server again", async () => {
  await using far = openRemoteServer({ auth: "login" })
  await using t = await pinging(remote("far", far.url))
  await until(async () => !JSON.stringify(await standing(t)).includes("connecting"))
  const op = { type: "server", name: "far", act: "login" } as const
  expect(await t.session.submit(op)).toMatchObject({ ok: true })
  const [[status, reason] = []] = (await standing(t)) as [string, string][]
  expect([status, reason]).toEqual(["needs_login", expect.stringContaining("approve access: http://127.0.0.1:")])
  browse(/http\S+$/.exec(reason ?? "")?.[0] ?? "")
  await until(async () => JSON.stringify(await standing(t)).includes("connected"))
  await t.prompt("go")
  expect(t.results()[0]?.content).toBe("pong")
  expect(await t.session.submit({ ...op, name: "nobody" })).toMatchObject({ ok: false })
})

test("a login comes back to the port that the configuration names, as the client that it names", async () => {
  using folder = temporaryFolder()
  await using far = openRemoteServer({ auth: "login" })
  const taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("") })
  const port = Number(taken.port)
  const shown: URL[] = []
  const ports = {
    logins: openLoginStore(folder.path),
    ids: systemIds,
    clock: systemClock,
    network: directNetwork({}),
    show: (url: string): void => void (shown.push(new URL(url)), browse(url)),
    oauth: { clientId: "by-hand", callbackPort: port },
  }
  expect(await logIn(far.url, ports, signal)).toEqual({
    ok: false,
    failure: `Port ${port} is in use, and the login must come back there. Free it and try again.`,
  })
  await taken.stop(true)
  expect(await logIn(far.url, ports, signal)).toMatchObject({ ok: true })
  expect([shown[0]?.searchParams.get("client_id"), shown[0]?.searchParams.get("redirect_uri")]).toEqual([
    "by-hand",
    `http://localhost:${port}/callback`,
  ])
})
