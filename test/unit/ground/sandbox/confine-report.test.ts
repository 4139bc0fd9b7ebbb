/** `confine run --report`: what a program tries in vain is told, with its path or address, and nothing else changes. */

import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { bwrap, type Ended, ended, everybody, reachableConfine, walls } from "../../../kit/confine.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

const works = bwrap !== null && (await ended([bwrap, ...walls, "/bin/true"])).code === 0
const confine = works ? await reachableConfine() : ""

const mkdirat = process.arch === "x64" ? 258 : 34

interface Reported extends Ended {
  readonly report: readonly unknown[]
}

describe.skipIf(!works).each(everybody.map((user) => [user.name, user] as const))("reports as %s", (_name, user) => {
  /** A folder with `open`, which can be written, and `shut`, which could be if there were no sandbox. */
  function world(): TemporaryFolder {
    const folder = temporaryFolder()
    chmodSync(folder.path, 0o777)
    for (const name of ["open", "shut"]) mkdirSync(folder.join(name))
    writeFileSync(folder.join("shut", "file"), "old")
    writeFileSync(folder.join("open", "held"), "old")
    writeFileSync(folder.join("report"), "")
    for (const name of ["open", "shut", "shut/file", "open/held", "report"]) chmodSync(folder.join(name), 0o777)
    return folder
  }

  async function run(
    folder: TemporaryFolder,
    argv: readonly string[],
    options: readonly string[] = [],
  ): Promise<Reported> {
    const report = folder.join("report")
    const mounts = ["--bind", folder.join("open"), folder.join("open"), "--unshare-net", "--chdir", folder.path]
    const held = ["--ro-bind", folder.join("open", "held"), folder.join("open", "held")]
    // The report is handed in as a descriptor, so that no path inside leads to it.
    // Without SHELL bash looks its user up, which tries a socket.
    const named = ["/usr/bin/env", "SHELL=/bin/bash", "HOME=/"]
    const open = ["/bin/bash", "-c", `exec 9>>${report}; exec "$@"`, "bash"]
    const start = [...user.become, ...named, ...open, bwrap ?? "", ...walls]
    const inner = [confine, "run", "--report", "/proc/self/fd/9", ...options, "--", ...argv]
    const result = await ended([...start, ...mounts, ...held, "--", ...inner])
    const lines = readFileSync(report, "utf8").split("\n").slice(0, -1)
    const started = JSON.stringify({ kind: "started" })
    expect(lines).toContain(started)
    const told = lines.filter((line) => line !== started).map((line): unknown => JSON.parse(line))
    return { ...result, report: told }
  }

  const shell = (folder: TemporaryFolder, script: string, options: readonly string[] = []) =>
    run(folder, ["/bin/bash", "-c", script], options)

  const writes = (folder: TemporaryFolder, ...names: readonly string[]) =>
    names.map((name) => ({ kind: "write", path: folder.join(name) }))

  test.each([
    ["echo x > shut/new", "shut/new"],
    ["echo x > shut/file", "shut/file"],
    ["echo x >> shut/file", "shut/file"],
    ["cd shut; echo x > ./../shut/new", "shut/new"],
    ["mkdir shut/folder", "shut/folder"],
    ["mkdir shut/folder/", "shut/folder"],
    ["mkfifo shut/pipe", "shut/pipe"],
    ["rm -f shut/file", "shut/file"],
    ["ln -s file shut/link", "shut/link"],
    ["ln open/held shut/hard", "shut/hard"],
    ["chmod 600 shut/file", "shut/file"],
    ["truncate -s 0 shut/file", "shut/file"],
    ["test -w shut/file", "shut/file"],
    ["ln -s ../shut/through open/link; echo x > open/link", "shut/through"],
    ["ln -s ../shut open/way; echo x > open/way/new", "shut/new"],
    ["perl -e 'rename q(shut/file), q(open/moved)'", "shut/file"],
    ["perl -e 'open F, q(>), q(open/a); close F; rename q(open/a), q(shut/moved)'", "shut/moved"],
    ["perl -e 'unlink q(shut/file)'", "shut/file"],
    // Protected inside the folder that can be written: a mount of its own.
    ["echo x > open/held", "open/held"],
    ["perl -e 'unlink q(open/held)'", "open/held"],
    ["perl -e 'open F, q(>), q(open/b); close F; rename q(open/b), q(open/held)'", "open/held"],
    // A folder descriptor that is not the working folder.
    [`perl -e 'opendir D, q(shut); my $n = q(deep); syscall(${mkdirat}, fileno D, $n, 511)'`, "shut/deep"],
  ])("%s", async (script, path) => {
    using folder = world()
    expect((await shell(folder, `${script} 2> /dev/null`)).report).toEqual(writes(folder, path))
    expect(readFileSync(folder.join("shut", "file"), "utf8")).toBe("old")
    expect(existsSync(folder.join("shut", "new"))).toBe(false)
  })

  test.each([
    "cat shut/file; ls -d shut; echo x > /dev/null",
    "echo x > open/new; mkdir -p open/a/b; mv open/new open/a; rm -r open/a; chmod 700 open",
    // It would have failed outside, too: it exists, or it does not, or so does its folder.
    "mkdir shut; rm shut/none; echo x > shut/none/new; perl -e 'rename q(shut/none), q(shut/other)'; rmdir shut/none",
    "set -C; echo x > shut/file",
    "test -r shut/file; test -w open",
    "mkfifo open/pipe; cat open/pipe & echo x > open/pipe; wait",
  ])("nothing is told of: %s", async (script) => {
    using folder = world()
    expect((await shell(folder, `{ ${script}; } 2> /dev/null`)).report).toEqual([])
  })

  test("what the user may not write outside either is not the sandbox's doing; root may write everything", async () => {
    using folder = world()
    const { report } = await shell(
      folder,
      "echo x > /etc/passwd; mkdir /etc/new; echo x > /proc/sys/kernel/core_pattern",
    )
    const paths = user.name === "root" ? ["/etc/passwd", "/etc/new", "/proc/sys/kernel/core_pattern"] : []
    expect(report).toEqual(paths.map((path) => ({ kind: "write", path })))
  })

  test("addresses are told, and those of loopback unless somebody inside serves them", async () => {
    using folder = world()
    const addresses = ["127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"]
    const far = ["192.0.2.1", "::ffff:192.0.2.2", "2001:db8::1", "2001:db8:0:1:0:0:0:2", "fe80::ab"]
    const script = `use Socket qw(:all);
      my ($four, $sixth, $udp);
      socket($four, AF_INET, SOCK_STREAM, 0) && bind($four, pack_sockaddr_in(8080, INADDR_ANY)) && listen($four, 9) or die $!;
      socket($sixth, AF_INET6, SOCK_STREAM, 0) && bind($sixth, pack_sockaddr_in6(8081, inet_pton(AF_INET6, '::1'))) && listen($sixth, 9) or die $!;
      socket($udp, AF_INET, SOCK_DGRAM, 0) && bind($udp, pack_sockaddr_in(8082, INADDR_LOOPBACK)) or die $!;
      for my $port (443, 8080, 8081, 8082) {
        for ($port == 443 ? @ARGV : @ARGV[0..5]) {
          my $six = /:/; socket(my $s, $six ? AF_INET6 : AF_INET, SOCK_STREAM, 0) or die $!;
          connect($s, $six ? pack_sockaddr_in6($port, inet_pton(AF_INET6, $_)) : pack_sockaddr_in($port, inet_aton($_)));
        }
      }
      socket(my $d, AF_INET, SOCK_DGRAM, 0); send($d, 'x', 0, pack_sockaddr_in(53, inet_aton('192.0.2.9')));`
    const { report, err } = await run(folder, ["/usr/bin/perl", "-e", script, ...addresses, ...far])
    expect(err).toBe("")
    const host = (name: string, port: number) => ({ kind: "host", host: name, port })
    expect(report).toEqual([
      host("127.0.0.1", 443),
      host("192.0.2.1", 443),
      host("192.0.2.2", 443),
      host("2001:db8::1", 443),
      host("2001:db8:0:1::2", 443),
      host("fe80::ab", 443),
      host("192.0.2.9", 53),
    ])
  })

  test("a unix socket is refused and told, or with --unix neither", async () => {
    using folder = world()
    const script = `use Socket; print socket(my $s, AF_UNIX, SOCK_STREAM, 0) ? 'made' : $!{EPERM} ? 'refused' : $!;
      print socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) ? ' pair' : $!;`
    const refused = await run(folder, ["/usr/bin/perl", "-e", script])
    expect(refused).toEqual({ code: 0, out: "refused pair", err: "", report: [{ kind: "socket" }] })
    writeFileSync(folder.join("report"), "")
    const allowed = await run(folder, ["/usr/bin/perl", "-e", script], ["--unix"])
    expect(allowed).toEqual({ code: 0, out: "made pair", err: "", report: [] })
  })

  test("names of any bytes are told as JSON, each once, and no more than 64 of them", async () => {
    using folder = world()
    const names = ['"quoted"', "back\\slash", "line\nbreak\t", "é漢🙂", "\x7f"]
    const touch = `for (@ARGV, @ARGV) { open F, '>', "shut/$_" } open F, '>', "shut/bad\\xff\\xc0\\x80\\xed\\xa0\\x80!"`
    const { report } = await run(folder, ["/usr/bin/perl", "-e", touch, ...names])
    const bad = `bad${"\ufffd".repeat(6)}!`
    expect(report).toEqual(writes(folder, ...[...names, bad].map((name) => `shut/${name}`)))
    writeFileSync(folder.join("report"), "")
    const many = await shell(folder, "for i in {1..100}; do echo x > shut/$i; done 2> /dev/null")
    expect(many.report).toEqual(writes(folder, ...Array.from({ length: 64 }, (_, i) => `shut/${i + 1}`)))
  })

  test("many processes and threads at once get on, and every attempt is told", async () => {
    using folder = world()
    const script = `for i in {1..40}; do (for j in {1..25}; do echo $j > open/$i-$j; rm open/$i-$j; done; echo x > shut/$i) & done
      wait; ls open | wc -l`
    const { out, report } = await shell(folder, `{ ${script}; } 2> /dev/null`)
    expect(out).toBe("1\n")
    const sorted = (lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line)).toSorted()
    expect(sorted(report)).toEqual(sorted(writes(folder, ...Array.from({ length: 40 }, (_, i) => `shut/${i + 1}`))))
  })

  test("a busy timer does not make a watched call start over for ever", async () => {
    using folder = world()
    const script = `use Time::HiRes 'setitimer'; use POSIX; my $n = 0;
      my $on = POSIX::SigAction->new(sub { $n++ }, POSIX::SigSet->new, SA_RESTART); $on->safe(1); sigaction(SIGALRM, $on); setitimer(0, 0.0005, 0.0005);
      for (1..1000) { open(F, '>', 'open/x') or die "open: $!"; close F; unlink 'open/x' or die "unlink: $!" } print $n > 0`
    expect(await run(folder, ["/usr/bin/perl", "-e", script])).toEqual({ code: 0, out: "1", err: "", report: [] })
  })

  test("the end is the program's own: its code, its signal, and nobody left behind", async () => {
    using folder = world()
    expect((await shell(folder, "exit 7")).code).toBe(7)
    expect((await shell(folder, "kill -TERM $$")).code).toBe(128 + 15)
    // A child in the background ends with the call, and the output with it.
    expect(await shell(folder, "sleep 1000 & echo started")).toEqual({ code: 0, out: "started\n", err: "", report: [] })
    expect(await run(folder, ["/nowhere"])).toEqual({
      code: 127,
      out: "",
      err: "confine: cannot execute /nowhere: no such file or directory\n",
      report: [],
    })
    // Orphans are watched, and reaped.
    const orphan = await shell(
      folder,
      "(setsid bash -c 'echo x > shut/late' 2> /dev/null &) ; sleep 0.3; ps -e -o stat=",
    )
    expect(orphan.report).toEqual(writes(folder, "shut/late"))
    expect(orphan.out).not.toContain("Z")
  })

  test("the watcher cannot be reached by the program it watches", async () => {
    using folder = world()
    const script = `exec 2> /dev/null; for fd in 3 4 5 6 7; do echo forged > /proc/$PPID/fd/$fd && echo wrote $fd; done
      head -c1 /proc/$PPID/environ; (exec 3<> /proc/$PPID/mem) && echo opened; readlink /proc/$PPID/fd/3; ls /proc/self/fd | wc -l`
    expect(await shell(folder, script)).toMatchObject({ out: "4\n", report: [] })
  })

  test("a program that ends its watcher writes nothing any more, and ends with it", async () => {
    using folder = world()
    const { code, out } = await shell(folder, "kill -KILL $PPID; echo x > open/written && echo written")
    expect({ code, out }).toEqual({ code: 128 + 9, out: "" })
    expect(existsSync(folder.join("open", "written"))).toBe(false)
  })

  test("a signal to the whole group is for the program to handle", async () => {
    using folder = world()
    const script = `trap 'echo cleaning up; exit 3' TERM; kill -TERM 0; sleep 10; echo not reached`
    const inner = ["/usr/bin/setsid", "--wait", confine, "run", "--report", folder.join("report"), "--"]
    const { code, out } = await ended([...user.become, ...inner, "/bin/bash", "-c", script])
    expect({ code, out }).toEqual({ code: 3, out: "cleaning up\n" })
  })

  test("a link that leads to itself, and a path that is too long, are left to the kernel", async () => {
    using folder = world()
    symlinkSync("loop", folder.join("shut", "loop"))
    const script =
      "echo x > shut/loop; echo x > shut/$(printf 'n%.0s' {1..300}); echo x > $(printf 'shut/%.0s' {1..900})y; true"
    expect(await shell(folder, `{ ${script}; } 2> /dev/null`)).toEqual({ code: 0, out: "", err: "", report: [] })
  })
})
