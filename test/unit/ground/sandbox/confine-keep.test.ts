/** `confine keep`: connections out of a network that has nothing but loopback, to unix sockets outside. */

import { describe, expect, test } from "bun:test"
import { chmodSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { bwrap, ended, everybody, reachableConfine, type Somebody, walls } from "../../../kit/confine.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const works = bwrap !== null && (await ended([bwrap, ...walls, "/bin/true"])).code === 0
const confine = works ? await reachableConfine() : ""

/** A server on a unix socket that every user can reach. */
async function listening(path: string, onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, onConnection)
  await new Promise<void>((resolve) => server.listen(path, resolve))
  chmodSync(path, 0o777)
  return server
}

interface Kept {
  readonly pid: string
  readonly end: () => Promise<number>
}

/** A keeper in a network of its own, once it is ready. */
async function kept({ become }: Somebody, ...args: readonly string[]): Promise<Kept> {
  // Without a PID namespace the shell's own number is the one outside knows.
  const start = [...become, bwrap ?? "", "--unshare-user", "--unshare-net", "--bind", "/", "/", "--"]
  const argv = [...start, "/bin/bash", "-c", 'echo $$; exec "$@"', "bash", confine, "keep", ...args]
  const keeper = Bun.spawn(argv, { cwd: "/", stdin: "pipe", stdout: "pipe", stderr: "inherit" })
  const reader = keeper.stdout.getReader()
  let said = ""
  while (!said.endsWith("ready\n")) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the keeper ended: ${said}`)
    said += new TextDecoder().decode(value)
  }
  return {
    pid: said.split("\n")[0] ?? "",
    end: async () => {
      await keeper.stdin.end()
      return keeper.exited
    },
  }
}

/** A Perl program in the network of the keeper. */
const inside = ({ become }: Somebody, { pid }: Kept, script: string) =>
  ended([...become, confine, "enter", "--join", pid, "--", "/usr/bin/perl", "-MIO::Socket::IP", "-e", script])

describe.skipIf(!works).each(everybody.map((user) => [user.name, user] as const))(
  "confine keep as %s",
  (_name, user) => {
    test("a connection to the port is one to the socket, over IPv4 and IPv6, with either end closing first", async () => {
      using folder = temporaryFolder()
      chmodSync(folder.path, 0o755)
      // Answers when the question is over, which only a half-closed connection can tell it.
      const server = await listening(folder.join("one"), (socket) => {
        let heard = ""
        socket.on("data", (part) => (heard += part.toString()))
        socket.on("end", () => socket.end(`heard ${heard}`))
      })
      const hasty = await listening(folder.join("two"), (socket) => socket.end("bye"))
      const keeper = await kept(user, folder.join("one"), "3128", `5432:${folder.join("two")}`)
      const { out } = await inside(
        user,
        keeper,
        `for my $host ('127.0.0.1', '::1') {
         my $s = IO::Socket::IP->new(PeerHost => $host, PeerPort => 3128) or die "$host: $@";
         print $s "hello from $host"; $s->shutdown(1); print <$s>, "\\n";
         my $t = IO::Socket::IP->new(PeerHost => $host, PeerPort => 5432) or die $@; print <$t>, "\\n";
       }
       print IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => 9) ? 'open' : 'closed';`,
      )
      expect(out).toBe("heard hello from 127.0.0.1\nbye\nheard hello from ::1\nbye\nclosed")
      server.close()
      hasty.close()
      // The socket is gone: the connection is closed without a word, and the keeper goes on.
      const script = `my $s = IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => 3128); print 'got ', <$s>`
      expect((await inside(user, keeper, script)).out).toBe("got ")
      expect(await keeper.end()).toBe(0)
    })
  },
)

describe.skipIf(!works)("confine keep under load", () => {
  const user: Somebody = { name: "whoever runs this", become: [] }

  test("three hundred connections at once, each with its own bytes", async () => {
    using folder = temporaryFolder()
    const open = new Set<Socket>()
    const server = await listening(folder.join("echo"), (socket) => {
      open.add(socket)
      // Nobody gets an answer before all are there, so they are at once indeed.
      if (open.size === 300) for (const each of open) each.pipe(each)
    })
    const keeper = await kept(user, folder.join("echo"), "3128")
    const { out } = await inside(
      user,
      keeper,
      `my @s = map { IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => 3128) or die $@ } 1..300;
       for (0..$#s) { my $s = $s[$_]; print $s "number $_\\n"; $s->flush }
       my $right = 0;
       for (0..$#s) { my $line = readline $s[$_]; $right++ if $line eq "number $_\\n" }
       print $right;`,
    )
    expect(out).toBe("300")
    expect(await keeper.end()).toBe(0)
    server.close()
  })

  test("more connections than it holds wait their turn", async () => {
    using folder = temporaryFolder()
    const server = await listening(folder.join("echo"), (socket) => socket.pipe(socket))
    const keeper = await kept(user, folder.join("echo"), "3128")
    const { out } = await inside(
      user,
      keeper,
      `my @s = map { IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => 3128) or die $@ } 1..600;
       my $right = 0;
       for my $s (@s) { print $s "hello\\n"; $s->flush; $right++ if readline($s) eq "hello\\n"; close $s }
       print $right;`,
    )
    expect(out).toBe("600")
    expect(await keeper.end()).toBe(0)
    server.close()
  })

  test("a slow reader holds back the sender instead of filling memory, and nothing is lost", async () => {
    using folder = temporaryFolder()
    const size = 64 * 1024 * 1024
    const piece = Buffer.alloc(65_536, "0123456789abcdef")
    let sent = 0
    let stalled = false
    const server = await listening(folder.join("flood"), (socket) => {
      const more = (): void => {
        while (sent < size) {
          sent += piece.length
          if (socket.write(piece)) continue
          stalled = true
          return
        }
        socket.end()
      }
      socket.on("drain", more)
      // The reader says when it is about to read; by then as much as fits anywhere is on its way.
      socket.once("data", () => {
        expect(sent).toBeLessThan(size)
      })
      more()
    })
    const keeper = await kept(user, folder.join("flood"), "3128")
    const { out } = await inside(
      user,
      keeper,
      `use Digest::MD5; my $s = IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => 3128) or die $@;
       select(undef, undef, undef, 0.3); print $s "go"; $s->flush;
       my ($all, $d) = (0, Digest::MD5->new);
       while (my $n = sysread $s, my $b, 1 << 20) { $all += $n; $d->add($b) }
       print "$all ", $d->hexdigest;`,
    )
    const whole = new Bun.CryptoHasher("md5")
    for (let i = 0; i < size / piece.length; i++) whole.update(piece)
    expect(out).toBe(`${size} ${whole.digest("hex")}`)
    expect(stalled).toBe(true)
    expect(await keeper.end()).toBe(0)
    server.close()
  })

  test("what goes wrong is said", async () => {
    const said = async (...args: readonly string[]) => ended([confine, "keep", ...args])
    expect(await said("/nowhere", "70000")).toEqual({
      code: 125,
      out: "",
      err: "confine: port: the number is too large: 70000\n",
    })
    expect(await said("/nowhere")).toEqual({
      code: 125,
      out: "",
      err: "confine: a value is missing after keep SOCKET\n",
    })
    const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
    expect(await said("/nowhere", `${taken.port}`)).toEqual({
      code: 125,
      out: "",
      err: `confine: cannot listen on port ${taken.port}: address already in use\n`,
    })
    expect((await said("/nowhere", "0", "here")).err).toBe("confine: PORT:SOCKET is expected instead of here\n")
    taken.stop()
  })
})
