/** Names and certificates: what they lead to is decided by the proxy, and real programs work through it over TLS. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createSocket } from "node:dgram"
import { readFileSync, realpathSync, writeFileSync } from "node:fs"
import { createServer as createHttp } from "node:http"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { TLSSocket } from "node:tls"
import { bwrap, type Somebody } from "../../kit/confine.ts"
import { buildProgram, canConfine, confinedArgv, type Ground, isRoot, openGround, users } from "../../kit/escapes.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const program = canConfine ? await buildProgram() : ""
const folder = lastingFolder()
const [hosts, resolver, authority] = ["hosts", "resolv.conf", "ca.pem"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]

/** Who was asked for, and what for. */
const served: string[] = []
const asked: string[] = []
const closing: (() => void)[] = []
let [plainPort, securePort] = [0, 0]

/** A name of the local network, a public one that leads here, and one that nothing allows. */
const [local, lured, other] = ["registry.corp", "lured.example.com", "other.example.com"]

beforeAll(async () => {
  const openssl = Bun.spawnSync([
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-subj",
    `/CN=${local}`,
    "-addext",
    `subjectAltName=DNS:${local},DNS:${other}`,
    "-keyout",
    join(folder, "key.pem"),
    "-out",
    authority,
  ])
  expect(openssl.exitCode).toBe(0)
  const certificate = { key: readFileSync(join(folder, "key.pem")), cert: readFileSync(authority) }
  const secure: Server = createServer(certificate, (request, response) => {
    served.push(`${String((request.socket as TLSSocket).servername)} ${request.headers.host ?? ""}${request.url ?? ""}`)
    const registry = {
      name: "tiny",
      "dist-tags": { latest: "1.2.3" },
      versions: { "1.2.3": { name: "tiny", version: "1.2.3" } },
    }
    response.end(
      request.url === "/tiny"
        ? JSON.stringify(registry)
        : request.url === "/simple/tiny/"
          ? "<a href='tiny-1.2.3.tar.gz'>tiny-1.2.3.tar.gz</a>"
          : "hello\n",
    )
  })
  const plain = createHttp((request, response) => {
    served.push(`plain ${request.headers.host ?? ""}${request.url ?? ""}`)
    response.end("hello\n")
  })
  for (const server of [secure, plain]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    closing.push(() => server.close())
  }
  securePort = (secure.address() as AddressInfo).port
  plainPort = (plain.address() as AddressInfo).port
  writeFileSync(hosts, [local, lured, other].map((name) => `127.0.0.1 ${name}\n`).join(""))
  writeFileSync(resolver, "nameserver 127.0.0.77\noptions timeout:1 attempts:1\n")
})

afterAll(() => {
  for (const close of closing) close()
})

/** The project has the certificate: what lies in /tmp is not there inside. */
async function openProject(user: Somebody): Promise<Ground> {
  const ground = await openGround(user, { network: { allowedDomains: [local, lured] } })
  writeFileSync(ground.at("work/ca.pem"), readFileSync(authority))
  return ground
}

/** Runs a script where these names lead here: confined, or just so. */
async function run(ground: Ground, script: string, how: "confined" | "bare" = "confined"): Promise<string> {
  const names = [
    "--dev-bind",
    "/",
    "/",
    "--ro-bind",
    hosts,
    "/etc/hosts",
    "--ro-bind",
    resolver,
    realpathSync("/etc/resolv.conf"),
  ]
  const inner = confinedArgv(program, ground, script)
  const argv = how === "confined" ? inner : inner.toSpliced(inner.indexOf(program), 4)
  const child = Bun.spawn([bwrap ?? "", ...names, ...argv], {
    cwd: ground.work,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  })
  return child.stdout.text()
}

const curl = "curl -s -m 10 -o /dev/null -w '%{http_code} ' --cacert ca.pem"

// Who is not root cannot put other names in place.
describe.skipIf(!canConfine || !isRoot).each(users)("as %s", (_name, user) => {
  test("an allowed public name that leads to this machine is not reached; without the sandbox it is", async () => {
    using ground = await openProject(user)
    served.length = 0
    const script = (mark: string): string =>
      `${curl} http://${lured}:${plainPort}/${mark}; ${curl} -k https://${lured}:${securePort}/${mark}; ${curl} -p http://${lured}:${plainPort}/${mark}`
    await run(ground, script("inside"))
    expect(served).toEqual([])
    await run(ground, script("bare"), "bare")
    expect(served.length).toBeGreaterThanOrEqual(2)
  })

  test("programs speak TLS through the proxy with a host that is allowed, and check its certificate themselves", async () => {
    using ground = await openProject(user)
    served.length = 0
    const url = `https://${local}:${securePort}`
    const said = await run(
      ground,
      `curl -s --cacert ca.pem ${url}/curl
      curl -s ${url}/untrusted || echo untrusted
      npm view tiny version --registry ${url} --cafile ca.pem --cache "$PWD/cache"
      python3 -c 'import ssl, urllib.request; print(urllib.request.urlopen("${url}/python", context=ssl.create_default_context(cafile="ca.pem")).read().decode().strip())'
      git -c http.sslCAInfo="$PWD/ca.pem" ls-remote ${url}/git 2>/dev/null || echo answered`,
    )
    expect(said).toBe("hello\nuntrusted\n1.2.3\nhello\nanswered\n")
    expect(served).toContain(`${local} ${local}:${securePort}/curl`)
    expect(served.some((line) => line.includes("/git/info/refs"))).toBe(true)
  })

  test("a greeting that names another server does not arrive, nor does a host that nothing allows", async () => {
    using ground = await openProject(user)
    served.length = 0
    // The address is that of the allowed host; the greeting and the request ask for another one.
    const fronted = `${curl} --connect-to ${other}:${securePort}:${local}:${securePort} https://${other}:${securePort}/fronted`
    const denied = `${curl} https://${other}:${securePort}/denied`
    expect(await run(ground, `${fronted}; ${denied}`)).toBe("000 000 ")
    expect(served).toEqual([])
    expect(await run(ground, `${fronted}; ${denied}`, "bare")).toBe("200 200 ")
  })

  test("names are not asked for outside: no query leaves, which could carry data", async () => {
    using ground = await openProject(user)
    const socket = createSocket("udp4")
    socket.on("message", (bytes) => asked.push(bytes.toString("latin1").toLowerCase()))
    await new Promise<void>((resolve) => socket.bind(53, "127.0.0.77", resolve))
    try {
      asked.length = 0
      const script = `for i in 1 2; do getent hosts "secretdata$i.example.net"; done; perl -e 'gethostbyname("secretdata3.example.net")'`
      await run(ground, script)
      expect(asked.filter((query) => query.includes("secretdata"))).toEqual([])
      await run(ground, script, "bare")
      expect(asked.some((query) => query.includes("secretdata1"))).toBe(true)
    } finally {
      socket.close()
    }
  })
})
