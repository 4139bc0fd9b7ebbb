/** What confined programs try to reach: listeners of the test outside hear nothing but what is allowed. */

import { afterAll, describe, expect, test } from "bun:test"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createSocket } from "node:dgram"
import { createServer, type Server } from "node:net"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import {
  type Attack,
  buildProgram,
  canConfine,
  type Ground,
  isRoot,
  openGround,
  openTurnsOfUsers,
  provenBy,
  runConfined,
  users,
} from "../../kit/escapes.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const program = canConfine ? await buildProgram() : ""

/** All that came in from anywhere. */
const heard: string[] = []
const closing: (() => void)[] = []

const hears = (socket: { on: (event: "data", listener: (bytes: Buffer) => void) => unknown }): void =>
  void socket.on("data", (bytes) => heard.push(bytes.toString("latin1")))

async function listen(
  where: { readonly path: string } | { readonly host: string },
  answer?: () => string,
): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    hears(socket)
    socket.on("data", () => void socket.end(answer?.() ?? "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n"))
  })
  await new Promise<void>((resolve) => server.listen("path" in where ? where : { ...where, port: 0 }, resolve))
  closing.push(() => server.close())
  if ("path" in where && !where.path.startsWith("\0")) chmodSync(where.path, 0o777)
  const address = server.address()
  return address !== null && typeof address === "object" ? address.port : 0
}

async function listenUdp(): Promise<number> {
  const socket = createSocket("udp4")
  socket.on("message", (bytes) => heard.push(bytes.toString("latin1")))
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  closing.push(() => socket.close())
  return socket.address().port
}

const sockets = lastingFolder()
chmodSync(sockets, 0o755)
const runtime = isRoot ? mkdtempSync("/run/codewright-") : sockets
chmodSync(runtime, 0o755)
const abstract = `codewright-${process.pid}`

const tcp4 = await listen({ host: "127.0.0.1" })
const tcp6 = await listen({ host: "::1" })
const every = await listen({ host: "0.0.0.0" })
const udp = await listenUdp()
const denied = await listen({ host: "127.0.0.1" })
const redirecting = await listen(
  { host: "127.0.0.1" },
  () => `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${denied}/redirected\r\nContent-Length: 0\r\n\r\n`,
)
await listen({ path: join(sockets, "agent.sock") })
await listen({ path: join(runtime, "docker.sock") })
await listen({ path: join(runtime, "bus") })
await listen({ path: `\0${abstract}` })

afterAll(() => {
  for (const close of closing) close()
  rmSync(runtime, { recursive: true, force: true })
})

/** Each ground says its own words, so that who got through is known. */
const hear =
  (word: string) =>
  async (ground: Ground): Promise<boolean> => {
    await Bun.sleep(50)
    return heard.some((text) => text.includes(`${ground.out} ${word}`) || text.includes(`${ground.out}-${word}`))
  }
const said = (text: string) => (_ground: Ground, output: string) => output.includes(text)

const perl = (modules: string, code: string): string => `perl ${modules} -e '${code}' "$OUT"`
const sends = (word: string, options: string): string =>
  perl(
    "-MIO::Socket::IP",
    `my $s = IO::Socket::IP->new(${options}) or die $@; print $s "$ARGV[0] ${word}\\n"; close $s`,
  )
const sendsUnix = (word: string, path: string): string =>
  perl(
    "-MIO::Socket::UNIX",
    `my $s = IO::Socket::UNIX->new(Peer => ${path}) or die $!; print $s "$ARGV[0] ${word}\\n"; close $s`,
  )

const own = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === "IPv4" && !each.internal)?.address

const attacks: readonly Attack[] = [
  { name: "loopback", script: `exec 3<>/dev/tcp/127.0.0.1/${tcp4}; echo "$OUT tcp4" >&3`, happened: hear("tcp4") },
  { name: "loopback of IPv6", script: sends("tcp6", `PeerHost => "::1", PeerPort => ${tcp6}`), happened: hear("tcp6") },
  ...(own === undefined
    ? []
    : [
        {
          name: "the machine by its address",
          script: sends("own", `PeerHost => "${own}", PeerPort => ${every}`),
          happened: hear("own"),
        },
      ]),
  {
    name: "UDP, as DNS does",
    script: sends("udp", `Type => SOCK_DGRAM, PeerHost => "127.0.0.1", PeerPort => ${udp}`),
    happened: hear("udp"),
  },
  {
    name: "raw sockets",
    script: perl(
      "-MSocket",
      `socket(my $s, PF_INET, SOCK_RAW, 1) and print "was-opened"; socket(my $p, 17, SOCK_RAW, 0) and print "was-opened"`,
    ),
    happened: said("was-opened"),
    bare: "root",
  },
  {
    name: "no proxy",
    script: `curl -sg --noproxy '*' "http://127.0.0.1:${tcp4}$OUT-noproxy"`,
    happened: hear("noproxy"),
  },
  {
    name: "proxy variables taken away",
    script: `env -u http_proxy -u HTTP_PROXY -u ALL_PROXY -u all_proxy curl -s "http://127.0.0.1:${tcp4}$OUT-without"`,
    happened: hear("without"),
  },
  {
    name: "a denied host through the proxy",
    script: `curl -s -x "$http_proxy" "http://127.0.0.1:${denied}$OUT-plain"; curl -s -p -x "$http_proxy" "http://127.0.0.1:${denied}$OUT-plain"; curl -s -x "$ALL_PROXY" "http://localhost:${denied}$OUT-plain"`,
    happened: hear("plain"),
    bare: "nobody",
  },
  {
    name: "another host in the header",
    script: `curl -s -x "$http_proxy" -H "Host: localhost:${redirecting}" "http://127.0.0.1:${denied}$OUT-header"`,
    happened: hear("header"),
    bare: "nobody",
  },
  {
    name: "a redirect",
    script: `curl -sL -o /dev/null -w '%{url_effective} %{http_code}\\n' "http://localhost:${redirecting}/$OUT-first"`,
    happened: (_ground, output) => output.includes("/redirected 200"),
  },
  {
    name: "the socket of an agent",
    script: sendsUnix("agent", `"${join(sockets, "agent.sock")}"`),
    happened: hear("agent"),
  },
  {
    name: "the socket of Docker",
    script: sendsUnix("docker", `"${join(runtime, "docker.sock")}"`),
    happened: hear("docker"),
  },
  { name: "the bus of the desktop", script: sendsUnix("bus", `"${join(runtime, "bus")}"`), happened: hear("bus") },
  { name: "an abstract socket", script: sendsUnix("abstract", `"\\0${abstract}"`), happened: hear("abstract") },
  { name: "the address of an agent", script: `echo "[$SSH_AUTH_SOCK]"`, happened: said("agent]") },
]

const triedBy = openTurnsOfUsers()

describe.skipIf(!canConfine).each(users)("as %s", (_name, user) => {
  const sandbox = { network: { allowedDomains: [`localhost:${redirecting}`] } }

  test("nothing is reached but what is allowed", async () => {
    const { got, wanted } = await provenBy(program, user, triedBy(user, attacks), { sandbox })
    expect(got).toEqual(wanted)
  })

  test("what is allowed is reached, so the silence of the others says something", async () => {
    using ground = await openGround(user, sandbox)
    const { out } = await runConfined(
      program,
      ground,
      `curl -s -o /dev/null -w '%{http_code}' "http://localhost:${redirecting}$OUT-allowed"`,
    )
    expect(out).toBe("302")
    expect(await hear("allowed")(ground)).toBe(true)
  })

  // Who is not root can put no socket where services have theirs.
  test.if(isRoot)("with a unix socket that is allowed, those of services are still out of reach", async () => {
    const one = { network: { allowUnixSockets: [join(sockets, "agent.sock")] } }
    using ground = await openGround(user, one)
    const { out } = await runConfined(
      program,
      ground,
      `${sendsUnix("allowed", `"${join(sockets, "agent.sock")}"`)}; ${sendsUnix("other", `"${join(runtime, "docker.sock")}"`)}; ${sendsUnix("other", `"\\0${abstract}"`)}`,
    )
    expect(out).toBe("")
    expect([await hear("allowed")(ground), await hear("other")(ground)]).toEqual([true, false])
  })
})
