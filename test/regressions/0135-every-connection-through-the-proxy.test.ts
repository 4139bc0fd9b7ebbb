/** Behind a company's proxy: model, page, MCP server and hook are all reached through it, and the log lists them. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { openAuthority } from "#ground/sandbox/credentials/certificate.ts"
import type { JsonObject } from "#lib/json.ts"
import { systemClock } from "#lib/clock.ts"
import { openSimulator } from "#sim/server.ts"
import { openConnectProxy } from "../kit/connect-proxy.ts"
import { openRemoteServer } from "../kit/mcp/remote-server.ts"
import { asScenario, openPlace, runCodewright } from "../kit/run-codewright.ts"
import { calls, says, use } from "../kit/script.ts"
import { resultIn } from "../kit/sent.ts"

async function openCompany() {
  const authority = openAuthority("Authority of the company", systemClock.now)
  const { key, certificate: cert } = authority.issue("pages.test")
  const page = createServer({ key, cert }, (_, response) => {
    response.setHeader("content-type", "text/plain")
    response.end("a page behind the proxy")
  })
  await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve))
  const hooked: string[] = []
  const hook = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      hooked.push(await request.text())
      return new Response("{}")
    },
  })
  const simulator = await openSimulator({
    scenario: asScenario([
      calls(use("WebFetch", { url: "https://pages.test/one", prompt: "What does it say?" })),
      says("It says: a page."),
      says("Done."),
    ]),
  })
  if (!simulator.ok) throw new Error(simulator.failure.message)
  const mcp = openRemoteServer()
  const ports: { readonly [host: string]: number } = {
    "pages.test": (page.address() as AddressInfo).port,
    "hooks.test": hook.port ?? 0,
    "models.test": Number(new URL(simulator.value.url).port),
    "mcp.test": Number(new URL(mcp.url).port),
  }
  const proxy = await openConnectProxy({
    password: "ann:very-secret-word",
    leads: (host, port) => ports[host] ?? port,
  })
  return {
    proxy,
    hooked,
    requests: simulator.value.requests,
    authority: authority.certificate,
    env: {
      ANTHROPIC_BASE_URL: "http://models.test",
      http_proxy: `http://ann:very-secret-word@127.0.0.1:${proxy.port}`,
      HTTPS_PROXY: `http://ann:very-secret-word@127.0.0.1:${proxy.port}`,
      CODEWRIGHT_MAX_RETRIES: "0",
    },
    async [Symbol.asyncDispose]() {
      page.closeAllConnections()
      page.close()
      await hook.stop(true)
      await mcp[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
      await simulator.value.close()
    },
  }
}

test("model, WebFetch, MCP and hooks go through the proxy of the environment, and the session lists them", async () => {
  using place = openPlace()
  await using company = await openCompany()
  const caFile = join(place.home, "company.pem")
  writeFileSync(caFile, company.authority)
  const settings = join(place.home, "settings.json")
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "http", url: "http://hooks.test/hook" }] }] }
  writeFileSync(settings, JSON.stringify({ hooks, network: { caFile } }))
  const servers = { mcpServers: { far: { type: "http", url: "http://mcp.test/mcp" } } }
  const run = (env: { readonly [name: string]: string } = {}) =>
    runCodewright({
      place,
      argv: [
        "-p",
        "go",
        "--settings",
        settings,
        "--mcp-config",
        JSON.stringify(servers),
        "--allowed-tools",
        "WebFetch",
      ],
      env: { ...company.env, ...env },
    })
  const ran = await run()
  expect(ran).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(company.requests).toHaveLength(3)
  expect(JSON.stringify(company.requests.at(-2))).toContain("a page behind the proxy")
  expect(company.hooked).toHaveLength(1)
  const asked = company.proxy.asked()
  expect(new Set(asked.map(({ user }) => user))).toEqual(new Set(["ann:very-secret-word"]))
  const places = new Set(asked.map(({ line }) => line.replace(/^(?:GET|POST|CONNECT) |\?.*/g, "")))
  expect([...places].toSorted()).toEqual([
    "http://hooks.test/hook",
    "http://mcp.test/mcp",
    "http://models.test/v1/messages",
    "pages.test:443",
  ])

  const listed = await runCodewright({
    place,
    argv: ["sessions", "show", "--connections", "--json", await lastSession(place)],
  })
  expect(listed.code).toBe(0)
  const { connections } = JSON.parse(listed.stdout) as { connections: JsonObject[] }
  const proxy = `127.0.0.1:${company.proxy.port}`
  expect(connections.map(({ firstAt: _, ...rest }) => rest).toSorted(byHost)).toEqual([
    { why: "hook", name: "UserPromptSubmit", host: "hooks.test", port: 80, proxy, count: 1 },
    { why: "mcp", name: "far", host: "mcp.test", port: 80, proxy, count: expect.any(Number) },
    { why: "model", name: "anthropic", host: "models.test", port: 80, proxy, count: 3 },
    { why: "web", host: "pages.test", port: 443, proxy, count: 1 },
  ])
  const lines = await runCodewright({ place, argv: ["sessions", "show", "--connections", await lastSession(place)] })
  expect(lines.stdout).toContain(
    `models.test:80 through the proxy ${proxy}  model requests (anthropic)  3 times, first at`,
  )
  expect(lines.stdout).toContain("outside the sandbox are not listed")
  for (const text of [ran.stderr, listed.stdout, lines.stdout]) expect(text).not.toContain("very-secret-word")
})

test("a proxy that wants another password is named with its variable, and the password is not shown", async () => {
  await using company = await openCompany()
  const wrong = `http://ann:another-secret@127.0.0.1:${company.proxy.port}`
  const ran = await runCodewright({ argv: ["-p", "go"], env: { ...company.env, http_proxy: wrong } })
  expect(ran.code).toBe(1)
  expect(ran.stderr + ran.stdout).toContain(
    `models.test could not be reached: the proxy 127.0.0.1:${company.proxy.port} wants a user name and password, or rejected them (407). Put user:password@ before the host in http_proxy.`,
  )
  expect(ran.stderr + ran.stdout).not.toContain("another-secret")
})

test("loopback does not go through the proxy, and commands still have the variables", async () => {
  const ran = await runCodewright({
    argv: ["-p", "go", "--allowed-tools", "Bash"],
    env: { HTTP_PROXY: "http://127.0.0.1:9", no_proxy: "a.test" },
    scenario: [calls(use("Bash", { command: "env | grep -i proxy | sort" })), says("Done.")],
  })
  expect(ran).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(resultIn(ran.requests.at(-1))).toBe("HTTP_PROXY=http://127.0.0.1:9\nno_proxy=a.test")
})

const byHost = (a: object, b: object): number => JSON.stringify(a).localeCompare(JSON.stringify(b))

async function lastSession(place: Parameters<typeof runCodewright>[0]["place"] & object): Promise<string> {
  const { stdout } = await runCodewright({ place, argv: ["sessions", "list", "--json"] })
  const [first] = JSON.parse(stdout) as { id: string }[]
  return first?.id ?? ""
}
