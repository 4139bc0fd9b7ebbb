/** Hosts of the test behind TLS, on loopback, that record what reaches them: they echo, redirect, take pushes and packages. */

import { mkdirSync, writeFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import type { TLSSocket } from "node:tls"
import { openAuthority } from "#ground/sandbox/credentials/certificate.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok } from "#lib/result.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { type TemporaryFolder, temporaryFolder } from "./tmp.ts"

export interface SecureHosts extends Disposable {
  readonly port: number
  /** The certificate of the authority that vouches for the hosts. */
  readonly authority: string
  readonly authorityFile: string
  /** Every request that came. */
  readonly seen: () => readonly SeenRequest[]
  readonly resolve: NonNullable<SessionOptions["place"]["resolve"]>
  /** A bare repository that can be cloned from and pushed to at `/repo.git`. */
  readonly repository: string
}

export interface SeenRequest {
  readonly server: string
  readonly line: string
  readonly headers: readonly string[]
  readonly body: string
}

export interface SecureHostOptions {
  /** They lead to loopback. */
  readonly names: readonly [string, ...string[]]
  /** What a push and a package need in their Authorization header. */
  readonly password: string
}

export async function openSecureHosts({ names, password }: SecureHostOptions): Promise<SecureHosts> {
  const folder = temporaryFolder()
  const authority = openAuthority("Authority of the test", systemClock.now)
  const seen: SeenRequest[] = []
  const [first, ...others] = names
  const { key, certificate: cert } = authority.issue(first, ...others)
  const server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (bytes: Buffer) => chunks.push(bytes))
    request.on("end", () => {
      const body = Buffer.concat(chunks)
      const headers: string[] = []
      for (let i = 0; i < request.rawHeaders.length; i += 2)
        headers.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`)
      seen.push({
        server: String((request.socket as TLSSocket).servername),
        line: `${request.method} ${request.url}`,
        headers,
        body: body.length > 100_000 ? `${body.length} bytes` : body.toString("latin1"),
      })
      void answer(request, response, body, { password, folder })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const authorityFile = folder.join("authority.pem")
  writeFileSync(authorityFile, authority.certificate)
  mkdirSync(folder.join("srv"))
  for (const argv of [
    ["init", "-q", "--bare", folder.join("srv/repo.git")],
    ["-C", folder.join("srv/repo.git"), "config", "http.receivepack", "true"],
  ])
    Bun.spawnSync(["git", ...argv])
  return {
    port,
    authority: authority.certificate,
    authorityFile,
    seen: () => seen,
    resolve: async (host) => (names.includes(host) ? ok(["127.0.0.1"]) : failed("no such name")),
    repository: folder.join("srv/repo.git"),
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
      folder[Symbol.dispose]()
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  { password, folder }: { readonly password: string; readonly folder: TemporaryFolder },
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://host.test")
  const said = request.headers.authorization ?? ""
  const basic = Buffer.from(said.replace(/^Basic /i, ""), "base64").toString()
  const isKnown = said === `Bearer ${password}` || said === `token ${password}` || basic.endsWith(`:${password}`)
  if (pathname.startsWith("/echo")) {
    response.setHeader("X-Echo", said)
    const text = `${request.rawHeaders.join("\n")}\n${body.toString("latin1")}`
    // In pieces, so that a secret is never whole in one of them.
    for (const character of text) response.write(character)
    response.end()
    return
  }
  if (pathname === "/redirect") {
    response.writeHead(302, { Location: searchParams.get("to") ?? "/" })
    response.end()
    return
  }
  if (pathname.startsWith("/repo.git")) {
    if (!isKnown) {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="test"' })
      response.end()
      return
    }
    return serveGit(request, response, body, folder.join("srv"))
  }
  if (request.method === "PUT") {
    response.writeHead(isKnown ? 201 : 401, { "Content-Type": "application/json" })
    response.end(JSON.stringify({ ok: isKnown }))
    return
  }
  if (pathname === "/size") {
    response.end(String(body.length))
    return
  }
  response.writeHead(isKnown ? 200 : 404, { "Content-Type": "application/json" })
  response.end(JSON.stringify({ known: isKnown }))
}

async function serveGit(request: IncomingMessage, response: ServerResponse, body: Buffer, root: string): Promise<void> {
  const url = new URL(request.url ?? "/", "https://host.test")
  const child = Bun.spawn(["git", "http-backend"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
      REMOTE_USER: "test",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
    },
    stdin: body,
    stdout: "pipe",
    stderr: "ignore",
  })
  const out = Buffer.from(await child.stdout.bytes())
  const end = out.indexOf("\r\n\r\n")
  let status = 200
  for (const line of out.subarray(0, end).toString().split("\r\n")) {
    const [name = "", value = ""] = line.split(/:\s*/, 2)
    if (name === "Status") status = Number.parseInt(value, 10)
    else response.setHeader(name, value)
  }
  response.writeHead(status)
  response.end(out.subarray(end + 4))
}
