/** Variables that users of Claude Code set for commands, temporary files and gateways had no effect. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Readable } from "node:stream"
import { openAuthority } from "#ground/sandbox/credentials/certificate.ts"
import { isObject } from "#lib/json.ts"
import { systemClock } from "#lib/clock.ts"
import { openSimulator } from "#sim/server.ts"
import { bodyOf } from "../kit/sent.ts"
import { asScenario, openPlace, type Place, runCodewright } from "../kit/run-codewright.ts"
import { bash, calls, says, use } from "../kit/script.ts"

const anything = ["--allowed-tools", "Bash,Task"]
const resultsOf = (body: ReturnType<typeof bodyOf>): string => JSON.stringify(body.messages)

test("CLAUDE_CODE_SHELL_PREFIX is given each command, judged ones inside their sandbox, and the folder is kept", async () => {
  using place = openPlace({ "sub/a.txt": "a" })
  const prefix = join(place.home, "my audit.sh")
  writeFileSync(prefix, `#!/bin/bash\nprintf 'by %s\\n' "$1"\n[ "$1" = -v ] && shift\nexec bash -c "$1"\n`)
  chmodSync(prefix, 0o755)
  const ran = await runCodewright({
    place,
    argv: ["-p", "go", ...anything],
    env: { CLAUDE_CODE_SHELL_PREFIX: `${prefix} -v` },
    scenario: [calls(bash('cd sub && touch b.txt && echo "it\'s $((1 + 1))"')), calls(bash("pwd")), says("Done.")],
  })
  const said = resultsOf(bodyOf(ran.requests[2]))
  expect(said).toContain("by -v\\nit's 2")
  expect(said).toContain(`by -v\\n${join(place.work, "sub")}`)
  expect(existsSync(join(place.work, "sub/b.txt"))).toBe(true)
})

test("a prefix that does not exist runs nothing", async () => {
  using place = openPlace()
  await runCodewright({
    place,
    argv: ["-p", "go", ...anything],
    env: { CODEWRIGHT_SHELL_PREFIX: "/nowhere/audit" },
    scenario: [calls(bash("touch b.txt")), says("Done.")],
  })
  expect(readdirSync(place.work)).toEqual([])
})

test("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: the background is neither offered nor used", async () => {
  const scenario = [
    calls(use("Bash", { command: "sleep 1000", run_in_background: true })),
    calls(use("Task", { description: "d", prompt: "p", subagent_type: "Explore", run_in_background: true })),
    says("Done."),
  ]
  const ran = await runCodewright({
    argv: ["-p", "go", ...anything],
    env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" },
    scenario,
  })
  const body = bodyOf(ran.requests[0])
  expect(JSON.stringify(body.tools)).not.toContain("run_in_background")
  expect(namesIn(body.tools)).not.toContain("BashOutput")
  expect(resultsOf(bodyOf(ran.requests[2])).split("Nothing runs in the background here.")).toHaveLength(3)
  const usual = await runCodewright({ argv: ["-p", "go"], scenario: ["Done."] })
  expect(namesIn(bodyOf(usual.requests[0]).tools)).toContain("BashOutput")
})

test("CLAUDE_CODE_TMPDIR is where temporary files go, and a project's settings cannot choose it", async () => {
  const fromProject = JSON.stringify({ env: { CLAUDE_CODE_TMPDIR: "/nowhere" } })
  using place = openPlace({ ".claude/settings.json": fromProject })
  const folder = join(place.path, "deep/tmp")
  const ran = await runCodewright({
    place,
    argv: ["-p", "go", ...anything],
    env: { CLAUDE_CODE_TMPDIR: folder, CODEWRIGHT_TRUST: "1" },
    scenario: [calls(bash("touch $(mktemp)")), says("Done.")],
  })
  expect(ran.code).toBe(0)
  expect(readdirSync(folder).filter((name) => name.startsWith("tmp."))).toHaveLength(1)
  writeFileSync(join(place.path, "file"), "")
  const refused = await runCodewright({
    place,
    argv: ["-p", "go"],
    env: { CODEWRIGHT_TMPDIR: join(place.path, "file") },
  })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain("CODEWRIGHT_TMPDIR names")
})

test("CLAUDE_CODE_CLIENT_CERT signs model requests in, and commands do not get the passphrase", async () => {
  using place = openPlace()
  const { cert, key } = selfSigned(place)
  await using gateway = await openGateway(place, cert)
  const run = (env: { readonly [name: string]: string }) =>
    runCodewright({
      place,
      argv: ["-p", "go", "--allowed-tools", "Bash"],
      env: {
        ANTHROPIC_BASE_URL: gateway.url,
        NODE_EXTRA_CA_CERTS: gateway.authorityFile,
        CODEWRIGHT_MAX_RETRIES: "0",
        ...env,
      },
    })
  const named = {
    CLAUDE_CODE_CLIENT_CERT: cert,
    CLAUDE_CODE_CLIENT_KEY: key,
    CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "open sesame",
  }
  expect(await run({})).toMatchObject({ code: 1 })
  expect(gateway.requests()).toHaveLength(0)
  expect(await run(named)).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(gateway.requests()).toHaveLength(2)
  expect(JSON.stringify(gateway.requests())).not.toContain("open sesame")
  const wrong = await run({ ...named, CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "no" })
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toContain("the passphrase of the key is wrong or missing")
  const half = await run({ CLAUDE_CODE_CLIENT_CERT: cert })
  expect(half.stderr).toContain("CLAUDE_CODE_CLIENT_CERT is set without CODEWRIGHT_CLIENT_KEY. Set both.")
})

const namesIn = (tools: unknown): readonly unknown[] =>
  Array.isArray(tools) ? tools.map((tool: unknown) => (isObject(tool) ? tool.name : undefined)) : []

/** A certificate that vouches for itself, and its key, locked by a passphrase. */
function selfSigned(place: Place): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(place.home, "cert.pem"), join(place.home, "key.pem")]
  const { exitCode, stderr } = Bun.spawnSync([
    ...["openssl", "req", "-x509", "-newkey", "rsa:2048", "-subj", "/CN=ann", "-days", "2"],
    ...["-passout", "pass:open sesame", "-keyout", key, "-out", cert],
  ])
  if (exitCode !== 0) throw new Error(stderr.toString())
  return { cert, key }
}

/** The simulator, for those alone who sign in with a certificate. */
async function openGateway(
  place: Place,
  certFile: string,
): Promise<
  AsyncDisposable & {
    readonly url: string
    readonly authorityFile: string
    readonly requests: () => readonly unknown[]
  }
> {
  const simulator = await openSimulator({ scenario: asScenario([calls(bash("env")), says("Done.")]) })
  if (!simulator.ok) throw new Error(simulator.failure.message)
  const authority = openAuthority("Authority of the test", systemClock.now)
  const { key, certificate: cert } = authority.issue("localhost", "127.0.0.1")
  const ca = readFileSync(certFile, "utf8")
  const server = createServer(
    { key, cert, ca, requestCert: true, rejectUnauthorized: true },
    async (request, response) => {
      const answer = await fetch(`${simulator.value.url}${request.url}`, {
        method: request.method ?? "GET",
        headers: Object.entries(request.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)] as [string, string]],
        ),
        body: await new Response(Readable.toWeb(request) as ReadableStream).text(),
      })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(await answer.text())
    },
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const authorityFile = join(place.home, "authority.pem")
  writeFileSync(authorityFile, authority.certificate)
  return {
    url: `https://127.0.0.1:${port}`,
    authorityFile,
    requests: () => simulator.value.requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await simulator.value.close()
    },
  }
}
