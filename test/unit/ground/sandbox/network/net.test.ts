/** The network of a session: real programs in a namespace that has nothing but loopback, and the proxy as the only way out. */

import { afterAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { loopbackPorts } from "#ground/sandbox/network/hosts.ts"
import { type Joinable, type Net, openNet } from "#ground/sandbox/network/net.ts"
import { judgeBy, openProxy, type Proxy } from "#ground/sandbox/network/proxy.ts"
import type { NetworkPolicy } from "#ground/sandbox/policy.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok } from "#lib/result.ts"
import { bwrap, ended, walls } from "../../../../kit/confine.ts"
import { isRunning } from "../../../../kit/is-running.ts"
import { lastingFolder, temporaryFolder } from "../../../../kit/tmp.ts"
import { listening, openEcho, portOf } from "./behind-proxy.ts"

const confine = (await confinePath({ cacheFolder: lastingFolder(), pid: process.pid })) ?? ""
const works = bwrap !== null && (await ended([bwrap, ...walls, "/bin/true"])).code === 0

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Inside extends AsyncDisposable {
  readonly net: Net
  readonly proxy: Proxy
  readonly joined: Joinable
  readonly folder: string
  readonly run: (argv: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ran>
}

async function openInside(allowed: readonly string[], names: readonly string[] = []): Promise<Inside> {
  const folder = temporaryFolder()
  const socket = folder.join("net", "proxy.sock")
  const lines = allowed.map((host) => ({ host, because: "the test says so" }))
  const policy: NetworkPolicy = { mode: "domains", allowed: lines, denied: [], others: "deny", unixSockets: [] }
  const proxy = openProxy({
    socket,
    ...judgeBy(
      () => policy,
      async () => "deny",
    ),
    clock: systemClock,
    resolve: async (host) => (names.includes(host) ? ok(["127.0.0.1"]) : failed("no such name")),
  })
  if (!proxy.ok) throw new Error(proxy.failure)
  const net = openNet({
    bwrap: bwrap ?? "",
    confine,
    socket,
    folder: folder.join("net"),
    hostPorts: () => loopbackPorts(policy),
    clock: systemClock,
  })
  const joined = await net.ensure()
  if (!joined.ok) throw new Error(joined.failure.why)
  return {
    net,
    proxy: proxy.value,
    joined: joined.value,
    folder: folder.path,
    async run(argv, env = {}) {
      const child = Bun.spawn([confine, "enter", "--join", `${joined.value.pid}`, "--", "/usr/bin/env", ...argv], {
        cwd: folder.path,
        env: { PATH: Bun.env["PATH"] ?? "", HOME: folder.path, ...joined.value.env("call-1"), ...env },
        stdio: ["ignore", "pipe", "pipe"],
      })
      const [code, out, err] = await Promise.all([
        child.exited,
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      return { code, out, err }
    },
    async [Symbol.asyncDispose]() {
      await net.close()
      proxy.value.close()
      folder[Symbol.dispose]()
    },
  }
}

const site = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === "/away") return Response.redirect("http://evil.example/", 302)
    return new Response(`${request.method} ${pathname} for ${request.headers.get("host")}`)
  },
})
afterAll(() => site.stop(true))
const here = `site.test:${site.port}`

describe.skipIf(!works)("programs inside", () => {
  test("curl: what is allowed, a redirect to what is not, and what ignores the proxy", async () => {
    await using inside = await openInside(["site.test"], ["site.test"])
    const curl = (...args: readonly string[]) => inside.run(["curl", "-sS", ...args])
    expect(await curl(`http://${here}/a`)).toEqual({ code: 0, out: `GET /a for ${here}`, err: "" })
    expect((await curl("-p", `http://${here}/tunnel`)).out).toBe(`GET /tunnel for ${here}`)
    const { port } = new URL(inside.joined.env()["HTTP_PROXY"] ?? "")
    expect((await curl("-x", `socks5h://call-2@127.0.0.1:${port}`, `http://${here}/socks`)).out).toBe(
      `GET /socks for ${here}`,
    )
    expect((await curl("-L", `http://${here}/away`)).out).toStartWith("The sandbox blocked evil.example:80.")
    expect((await curl("https://evil.example/")).err).toContain("403")
    expect((await curl("--noproxy", "*", `http://127.0.0.1:${site.port}/`)).code).toBe(7)
    expect((await curl("--noproxy", "*", "http://1.1.1.1/")).code).toBe(7)
    expect((await curl("--noproxy", "*", "http://[2606:4700:4700::1111]/")).code).toBe(7)
    expect((await curl("--noproxy", "*", "http://example.com/")).code).toBe(6)
    expect(inside.proxy.violations("call-1")).toEqual([
      { kind: "host", host: "evil.example", port: 80 },
      { kind: "host", host: "evil.example", port: 443 },
    ])
  })

  test("python and bun find the proxy by themselves", async () => {
    await using inside = await openInside(["site.test"], ["site.test"])
    const python = `import urllib.request; print(urllib.request.urlopen("http://${here}/python").read().decode())`
    expect((await inside.run(["python3", "-c", python])).out).toBe(`GET /python for ${here}\n`)
    const bun = `console.log(await (await fetch("http://${here}/bun")).text())`
    expect((await inside.run([process.execPath, "-e", bun])).out).toBe(`GET /bun for ${here}\n`)
    const denied = `console.log((await fetch("http://evil.example/")).status)`
    expect((await inside.run([process.execPath, "-e", denied])).out).toBe("403\n")
    expect(inside.proxy.violations("call-1")).toEqual([{ kind: "host", host: "evil.example", port: 80 }])
  })

  test("git clones over http, and is told why it cannot", async () => {
    await using inside = await openInside(["git.test"], ["git.test"])
    const source = join(inside.folder, "source")
    mkdirSync(source)
    writeFileSync(join(source, "a.txt"), "hello\n")
    const git = (...args: readonly string[]) =>
      ended(["git", "-C", source, "-c", "user.name=a", "-c", "user.email=a@b", ...args])
    for (const args of [["init", "-q"], ["add", "."], ["commit", "-qm", "first"], ["update-server-info"]])
      expect((await git(...args)).code).toBe(0)
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const file = Bun.file(join(source, ".git", new URL(request.url).pathname.replace("/repo.git/", "")))
        return (await file.exists()) ? new Response(file) : new Response("", { status: 404 })
      },
    })
    const cloned = await inside.run(["git", "clone", "-q", `http://git.test:${server.port}/repo.git`, "copy"])
    expect(cloned).toEqual({ code: 0, out: "", err: "" })
    expect(readFileSync(join(inside.folder, "copy", "a.txt"), "utf8")).toBe("hello\n")
    const refused = await inside.run(["git", "clone", "-q", "http://evil.example/repo.git", "other"])
    expect(refused.err).toContain("403")
    expect(inside.proxy.violations("call-1")).toEqual([{ kind: "host", host: "evil.example", port: 80 }])
  })

  test("npm installs from a registry on this machine that a line names", async () => {
    using packed = temporaryFolder()
    mkdirSync(packed.join("package"))
    writeFileSync(packed.join("package", "package.json"), JSON.stringify({ name: "tiny", version: "1.0.0" }))
    expect((await ended(["tar", "-czf", packed.join("tiny.tgz"), "-C", packed.path, "package"])).code).toBe(0)
    using registry = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const { pathname, origin } = new URL(request.url)
        if (pathname.endsWith(".tgz")) return new Response(Bun.file(packed.join("tiny.tgz")))
        const dist = { tarball: `${origin}/tiny.tgz` }
        const versions = { "1.0.0": { name: "tiny", version: "1.0.0", dist } }
        return Response.json({ name: "tiny", "dist-tags": { latest: "1.0.0" }, versions })
      },
    })
    await using inside = await openInside([`localhost:${registry.port}`])
    writeFileSync(join(inside.folder, "package.json"), "{}")
    const where = ["--registry", `http://localhost:${registry.port}/`, "--no-audit", "--no-fund"]
    const installed = await inside.run(["npm", "install", "tiny", ...where])
    expect(installed.code).toBe(0)
    expect(existsSync(join(inside.folder, "node_modules", "tiny", "package.json"))).toBe(true)
    expect(inside.proxy.violations("call-1")).toEqual([])
  })

  test("a named port of this machine is there for any protocol, and others are not", async () => {
    const hasty = await listening(createServer((socket) => void socket.end("server speaks first")))
    using other = await openEcho()
    await using inside = await openInside([`localhost:${portOf(hasty)}`])
    const read = (port: number) =>
      inside.run([
        "python3",
        "-c",
        `import socket; s = socket.create_connection(("localhost", ${port})); print(s.recv(100).decode())`,
      ])
    expect((await read(portOf(hasty))).out).toBe("server speaks first\n")
    expect((await read(other.port)).err).toContain("ConnectionRefusedError")
    hasty.close()
  })

  test("commands of the session share their loopback, and this machine does not see it", async () => {
    await using inside = await openInside([])
    const serving = inside.run([
      "python3",
      "-c",
      `import socket\ns = socket.create_server(("127.0.0.1", 4711))\nopen("up", "w").close()\nc, _ = s.accept()\nc.sendall(b"from the other command")`,
    ])
    while (!existsSync(join(inside.folder, "up"))) await Bun.sleep(10)
    // Whoever has the same port here is somebody else.
    expect((await ended(["curl", "-sS", "--http0.9", "http://127.0.0.1:4711/"])).out).not.toContain("other command")
    const read = `import socket; print(socket.create_connection(("127.0.0.1", 4711)).recv(100).decode())`
    expect((await inside.run(["python3", "-c", read])).out).toBe("from the other command\n")
    expect((await serving).code).toBe(0)
  })
})

describe.skipIf(!works)("the life of the namespace", () => {
  test("whoever holds it is one process, which ends with close", async () => {
    const inside = await openInside([])
    const { pid } = inside.joined
    expect(await inside.net.ensure()).toMatchObject({ ok: true, value: { pid } })
    // No capabilities are left to it.
    expect(readFileSync(`/proc/${pid}/status`, "utf8")).toMatch(/^CapEff:\t0+$/m)
    await inside[Symbol.asyncDispose]()
    while (isRunning(pid)) await Bun.sleep(10)
    expect(await inside.net.ensure()).toMatchObject({ ok: false })
  })

  test("it is made again when it is asked for after its death, and only once for all who ask", async () => {
    await using inside = await openInside(["site.test"], ["site.test"])
    process.kill(inside.joined.pid, "SIGKILL")
    while (isRunning(inside.joined.pid)) await Bun.sleep(10)
    const again = await Promise.all([inside.net.ensure(), inside.net.ensure(), inside.net.ensure()])
    const pids = new Set(again.map((each) => (each.ok ? each.value.pid : each.failure.why)))
    expect(pids.size).toBe(1)
    expect(pids.has(inside.joined.pid)).toBe(false)
  })

  test("without the proxy, without bubblewrap or with a broken helper there is none, and the reason is told", async () => {
    await using inside = await openInside([])
    const options = {
      bwrap: bwrap ?? "",
      confine,
      socket: join(inside.folder, "net", "proxy.sock"),
      folder: join(inside.folder, "net"),
      hostPorts: (): readonly number[] => [],
      clock: systemClock,
    }
    const why = async (changed: Partial<typeof options>): Promise<string> => {
      const made = await openNet({ ...options, ...changed }).ensure()
      return made.ok ? "made" : made.failure.why
    }
    expect(await why({ socket: "/nowhere.sock" })).toContain("the sandbox's proxy is not running")
    expect(await why({ bwrap: "/nowhere/bwrap" })).toStartWith("its network cannot be made: ")
    expect(await why({ confine: "/nowhere/confine" })).toContain("/nowhere/confine")
    expect(await why({ confine: "/bin/true" })).toContain("it did not become ready")
    expect(await why({ hostPorts: () => Array.from({ length: 40 }, (_, at) => 9000 + at) })).toContain("40 ports")
  })

  test("it does not outlive a kill of whoever opened it", async () => {
    using folder = temporaryFolder()
    const root = resolve(import.meta.dir, "../../../../..")
    const script = `
      import { openNet } from "${root}/src/ground/sandbox/network/net.ts"
      import { systemClock } from "${root}/src/lib/clock.ts"
      const net = openNet({ ...${JSON.stringify({ bwrap, confine, socket: "/dev/null", folder: folder.path })}, hostPorts: () => [], clock: systemClock })
      const made = await net.ensure()
      console.log(made.ok ? made.value.pid : made.failure.why)
      await new Promise(() => setInterval(() => {}, 1000))`
    writeFileSync(folder.join("opens.ts"), script)
    const child = Bun.spawn([process.execPath, folder.join("opens.ts")], { stdio: ["ignore", "pipe", "inherit"] })
    const { value } = await child.stdout.getReader().read()
    const pid = Number(new TextDecoder().decode(value))
    expect(isRunning(pid)).toBe(true)
    child.kill("SIGKILL")
    await child.exited
    while (isRunning(pid)) await Bun.sleep(10)
  })
})
