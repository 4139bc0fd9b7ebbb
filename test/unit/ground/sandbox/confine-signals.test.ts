/** Signals in the sandbox: no watched call fails because of one, and programs with handlers work as they do outside. */

import { describe, expect, test } from "bun:test"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { bwrap, type Ended, ended, everybody, reachableConfine, type Somebody, walls } from "../../../kit/confine.ts"
import { testsInTurns } from "../../../kit/turns.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

const works = bwrap !== null && (await ended([bwrap, ...walls, "/bin/true"])).code === 0
const confine = works ? await reachableConfine() : ""

type Maker = "the helper" | "bubblewrap"
const makers: readonly Maker[] = ["the helper", "bubblewrap"]
const everyway = makers.flatMap((maker) => everybody.map((user) => [user.name, maker, user] as const))

/** A folder that anybody can write, inside as well. */
function workplace(): TemporaryFolder {
  const folder = temporaryFolder()
  chmodSync(folder.path, 0o777)
  writeFileSync(folder.join("report"), "")
  chmodSync(folder.join("report"), 0o666)
  return folder
}

function confined(maker: Maker, user: Somebody, { path, join }: TemporaryFolder): readonly string[] {
  const report = ["--report", join("report")]
  const limits = ["--processes", "500", "--memory", String(2 ** 32)]
  if (maker === "the helper")
    return [...user.become, confine, "box", ...report, "--writable", path, path, "--chdir", path, ...limits, "--"]
  const outer = [...user.become, confine, "enter", ...report, "--", bwrap ?? "", ...walls]
  const mounts = ["--bind", path, path, "--chdir", path, "--unshare-net", "--as-pid-1"]
  return [...outer, ...mounts, "--", confine, "run", "--report", "/proc/self/fd/9", ...limits, "--"]
}

/** Every call that is watched, thousands of times, while a timer fires and children end. */
const everyCall = `use strict; use POSIX; use Socket; use Time::HiRes 'setitimer'; use Errno 'EINTR';
  my ($alarms, $ended) = (0, 0);
  for ([SIGALRM, sub { $alarms++ }], [SIGCHLD, sub { $ended++ }]) {
    my $action = POSIX::SigAction->new($_->[1], POSIX::SigSet->new, 0); $action->safe(1); sigaction($_->[0], $action);
  }
  setitimer(0, 0.0003, 0.0003);
  socket(my $datagrams, PF_INET, SOCK_DGRAM, 0) or die "socket: $!";
  my $nobody = pack_sockaddr_in(9, INADDR_LOOPBACK);
  my %calls = (
    open => sub { my $f; my $ok = sysopen($f, "f", O_CREAT | O_WRONLY); $ok },
    access => sub { access("f", W_OK) }, chmod => sub { chmod 0600, "f" }, truncate => sub { truncate "f", 0 },
    mkdir => sub { mkdir "d" }, rmdir => sub { rmdir "d" }, link => sub { link "f", "g" }, rename => sub { rename "f", "f" },
    symlink => sub { symlink "f", "s" }, mkfifo => sub { mkfifo("p", 0600) }, unlink => sub { link "f", "g"; unlink "g" },
    socket => sub { socket(my $s, PF_UNIX, SOCK_STREAM, 0) }, send => sub { send $datagrams, "x", 0, $nobody },
    connect => sub { socket(my $s, PF_INET, SOCK_STREAM, 0) or die; connect $s, $nobody },
    sigaction => sub { sigaction(28, POSIX::SigAction->new(sub {})) },
    fork => sub { my $p = fork; _exit(0) if defined $p && !$p; $p },
  );
  for my $name (sort keys %calls) {
    my $failed = 0;
    for (1 .. ($name eq "fork" ? 300 : 1500)) {
      $! = 0;
      $failed++ if !$calls{$name}->() && $! == EINTR;
      if ($name eq "fork") { 1 while waitpid(-1, WNOHANG) > 0 }
    }
    print "$name $failed\\n" if $failed;
  }
  print $alarms > 100 && $ended > 0 ? "done\\n" : "$alarms alarms, $ended ended\\n"`

const stories = testsInTurns(everyway.length)

describe.skipIf(!works).each(everyway.map((way, nth) => [...way, nth] as const))(
  "signals as %s, with %s",
  (_name, maker, user, nth) => {
    const story = stories[nth] ?? test
    const started = async (...argv: readonly string[]): Promise<Ended> => {
      using folder = workplace()
      return await ended([...confined(maker, user, folder), ...argv])
    }
    const perl = (script: string): Promise<Ended> => started("/usr/bin/perl", "-e", `$| = 1; ${script}`)
    const python = (script: string): Promise<Ended> => started("/usr/bin/python3", "-c", script)

    story("no watched call is interrupted by a handler without SA_RESTART", async () => {
      expect(await perl(everyCall)).toEqual({ code: 0, out: "done\n", err: "" })
    })

    story(
      "nor if the timer is set by a child with the handler of its parent, or by a program before this one",
      async () => {
        const handles = `use POSIX; use Time::HiRes 'setitimer'; use Errno 'EINTR'; my $alarms = 0;
      my $handler = POSIX::SigAction->new(sub { $alarms++ }, POSIX::SigSet->new, 0); $handler->safe(1);`
        const changes = `my $failed = 0; while ($alarms < 300) { $failed++ if !mkdir("d") && $! == EINTR; rmdir "d" or $failed++ }
      print "$failed failed";`
        const timer = "setitimer(0, 0.0003, 0.0003);"
        const inherited = `${handles} sigaction(SIGALRM, $handler); if (fork) { wait } else { ${timer} ${changes} }`
        const given = `${handles} sigaction(SIGALRM, $handler); my $signals = POSIX::SigSet->new(SIGALRM);
      sigprocmask(SIG_UNBLOCK, $signals); ${changes}`
        const gives = `use POSIX; use Time::HiRes 'setitimer'; sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGALRM)); ${timer}
      exec "/usr/bin/perl", "-e", q{${given}};`
        for (const script of [inherited, gives]) {
          expect(await perl(script)).toEqual({ code: 0, out: "0 failed", err: "" })
        }
      },
    )

    story("a shell that only wants to know when it is killed is not traced", async () => {
      const { out } = await started("/bin/bash", "-c", "trap 'echo ended' EXIT; grep TracerPid /proc/$$/status; exit 0")
      expect(out).toBe("TracerPid:\t0\nended\n")
    })

    story("a program can still end its own waiting with a signal", async () => {
      const waits = `use POSIX; mkfifo("pipe", 0600); sigaction(SIGALRM, POSIX::SigAction->new(sub {})); alarm 1;
      print sysopen(F, "pipe", O_WRONLY) ? "opened" : "$!"`
      expect((await perl(waits)).out).toBe("Interrupted system call")
    })

    story("a handler learns who sent its signal", async () => {
      const asks = `use POSIX; my $from; my $on = POSIX::SigAction->new(sub { $from = $_[1]{pid} }, POSIX::SigSet->new, SA_SIGINFO);
      sigaction(28, $on); my $child = fork; if (!$child) { kill WINCH => getppid; exit } waitpid $child, 0; print $from == $child`
      expect((await perl(asks)).out).toBe("1")
    })

    story("its children stop, go on and end as always, and the programs it starts know nothing of it", async () => {
      const script = `import os, signal, subprocess
signal.signal(signal.SIGCHLD, lambda *_: None)
def child(run):
    pid = os.fork()
    if pid == 0: run(); os._exit(9)
    return pid
def after(pid, options=0): return os.waitpid(pid, options)[1]
waiting = child(signal.pause)
os.kill(waiting, signal.SIGSTOP); print("stopped", os.WIFSTOPPED(after(waiting, os.WUNTRACED)))
os.kill(waiting, signal.SIGCONT); print("went on", os.WIFCONTINUED(after(waiting, os.WCONTINUED)))
os.kill(waiting, signal.SIGTERM); print("ended by", after(waiting))
print("ended by", after(child(lambda: os.kill(os.getpid(), signal.SIGTRAP))))
print("ended with", after(child(lambda: os._exit(3))) >> 8, flush=True)
subprocess.run(["grep", "TracerPid", "/proc/self/status"])`
      expect((await python(script)).out).toBe(
        "stopped True\nwent on True\nended by 15\nended by 5\nended with 3\nTracerPid:\t0\n",
      )
    })

    story("threads get on, and a new program of one of them takes the place of all", async () => {
      const script = `import os, signal, threading
count = 0
def tick(*_):
    global count
    count += 1
signal.signal(signal.SIGALRM, tick)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
def work(i):
    for _ in range(100):
        open(f"t{i}", "w").close()
        os.unlink(f"t{i}")
threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
for t in threads: t.start()
for t in threads: t.join()
print("worked", count > 0, flush=True)
threading.Thread(target=lambda: os.execv("/bin/sh", ["sh", "-c", "exit 5"])).start()
signal.pause()`
      const { code, out } = await python(script)
      // The timer stays, and nothing handles it any more.
      expect([5, 128 + 14]).toContain(code)
      expect(out).toBe("worked True\n")
    })

    story("a command that is killed does not complain with its last breath", async () => {
      using folder = workplace()
      const busy = `for i in 1 2 3 4 5 6; do setsid bash -c 'while :; do (:); : > written-$$; done' & done; echo ready; wait`
      for (let round = 0; round < 12; round++) {
        const child = Bun.spawn([...confined(maker, user, folder), "/bin/bash", "-c", busy], {
          stdio: ["ignore", "pipe", "pipe"],
          detached: true,
        })
        const output = child.stdout.getReader()
        await output.read()
        await Bun.sleep(20)
        process.kill(round % 2 === 0 ? child.pid : -child.pid, "SIGKILL")
        expect(await child.stderr.text()).toBe("")
        await child.exited
      }
    })
  },
)

/** A filter that answers ptrace with EPERM, as some containers have it. */
function withoutTracing({ join }: TemporaryFolder): readonly string[] {
  const ptrace = process.arch === "x64" ? 101 : 117
  const code: readonly (readonly [code: number, no: number, value: number])[] = [
    [0x20, 0, 0],
    [0x15, 1, ptrace],
    [0x06, 0, 0x00050001],
    [0x06, 0, 0x7fff0000],
  ]
  const bytes = Buffer.alloc(8 * code.length)
  for (const [i, [operation, no, value]] of code.entries()) {
    bytes.writeUInt16LE(operation, 8 * i)
    bytes.writeUInt8(no, 8 * i + 3)
    bytes.writeUInt32LE(value, 8 * i + 4)
  }
  writeFileSync(join("filter"), bytes)
  const start = `exec 8<${join("filter")}; exec "$0" --cap-add ALL --dev-bind / / --seccomp 8 -- "$@"`
  return ["/bin/bash", "-c", start, bwrap ?? ""]
}

describe.skipIf(!works).each(everybody.map((user) => [user.name, user] as const))(
  "where tracing is forbidden, as %s",
  (name, user) => {
    const isRoot = name === "root"

    test("calls are not watched, so none is interrupted that is not outside; only root's forks have to be", async () => {
      using folder = workplace()
      const start = [...withoutTracing(folder), ...confined("the helper", user, folder)]
      const { out, err } = await ended([...start, "/usr/bin/perl", "-e", `$| = 1; ${everyCall}`])
      const spared = isRoot ? /^(?:connect|fork) / : /^connect /
      expect({ err, lines: out.split("\n").filter((line) => !spared.test(line)) }).toEqual({
        err: "",
        lines: ["done", ""],
      })
    })

    test("processes are limited all the same, by the kernel itself where it can", async () => {
      using folder = workplace()
      const start = [...withoutTracing(folder), ...confined("the helper", user, folder)].map((word) =>
        word === "500" ? "50" : word,
      )
      const forks = `my @all; while (@all < 200) { my $p = fork; last unless defined $p; if (!$p) { sleep 300; exit } push @all, $p }
        print 1 + @all, " $!"; kill 9, @all`
      expect((await ended([...start, "/usr/bin/perl", "-e", forks])).out).toBe("50 Resource temporarily unavailable")
      const told = isRoot ? [{ kind: "limit", of: "processes" }] : []
      const lines = readFileSync(folder.join("report"), "utf8").trim().split("\n")
      expect(lines.map((line): unknown => JSON.parse(line))).toEqual([{ kind: "started" }, ...told])
    })
  },
)
