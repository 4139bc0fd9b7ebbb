/** `confine run --processes --memory`: what all processes of a command take together is limited, for root as for others. */

import { describe, expect, test } from "bun:test"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { bwrap, type Ended, ended, everybody, reachableConfine, walls } from "../../../kit/confine.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { testsInTurns } from "../../../kit/turns.ts"

const works = bwrap !== null && (await ended([bwrap, ...walls, "/bin/true"])).code === 0
const confine = works ? await reachableConfine() : ""

const stories = testsInTurns(everybody.length)

describe.skipIf(!works).each(everybody.map((user, nth) => [user.name, user, nth] as const))(
  "limits as %s",
  (_name, user, nth) => {
    const story = stories[nth] ?? test
    async function run(
      options: readonly string[],
      perl: string,
    ): Promise<Ended & { readonly report: readonly unknown[] }> {
      using folder = temporaryFolder()
      const report = folder.join("report")
      writeFileSync(report, "")
      chmodSync(folder.path, 0o777)
      chmodSync(report, 0o666)
      const outer = [
        ...user.become,
        confine,
        "enter",
        "--report",
        report,
        "--",
        bwrap ?? "",
        ...walls,
        "--as-pid-1",
        "--",
      ]
      const inner = [confine, "run", "--report", "/proc/self/fd/9", ...options, "--"]
      const result = await ended([...outer, ...inner, "/usr/bin/perl", "-e", `$| = 1; ${perl}`])
      const lines = readFileSync(report, "utf8").split("\n").slice(1, -1)
      return { ...result, report: lines.map((line): unknown => JSON.parse(line)) }
    }

    const tooMany = { kind: "limit", of: "processes" }
    const tooMuch = { kind: "limit", of: "memory" }
    const megabytes = (count: number): string => String(count * 1024 * 1024)

    /** Forks until that fails and prints how many there are then, with itself. */
    const forksAll = `my @all; while (@all < 300) { my $p = fork; last unless defined $p; if (!$p) { sleep 300; exit } push @all, $p }
    print 1 + @all, " $!\\n";`

    story("processes beyond the limit are not started, and those that ended make room", async () => {
      const again = `kill 9, @all; waitpid $_, 0 for @all; select undef, undef, undef, 0.05; @all = ();`
      const { out, code, report } = await run(["--processes", "50"], `${forksAll} ${again} ${forksAll} kill 9, @all`)
      const full = "50 Resource temporarily unavailable\n"
      expect({ out, code, report }).toEqual({ out: full + full, code: 0, report: [tooMany] })
    })

    story("those that ended long ago do not count", async () => {
      const many = `for (1 .. 400) { my $p = fork // die "$_: $!"; exit unless $p; waitpid $p, 0 } print "done"`
      expect(await run(["--processes", "20"], many)).toEqual({ code: 0, out: "done", err: "", report: [] })
    })

    story("a bomb in which every process forks stays within the limit", async () => {
      const bomb = `if (fork) { select undef, undef, undef, 1.5; opendir D, "/proc"; print scalar(grep { /^\\d/ && $_ > 1 } readdir D); exit }
      for (;;) { fork // select undef, undef, undef, 0.01 }`
      const { out, report } = await run(["--processes", "60"], bomb)
      expect(Number(out)).toBeGreaterThan(40)
      // Those that were allowed and not yet born when the others were counted come on top.
      expect(Number(out)).toBeLessThanOrEqual(120)
      expect(report).toEqual([tooMany])
    })

    story("threads count", async () => {
      const script = `import threading, time
n = 0
try:
    while n < 200: threading.Thread(target=time.sleep, args=(300,), daemon=True).start(); n += 1
except RuntimeError: pass
print(n + 1, flush=True); import os; os._exit(0)`
      const { out, report } = await run(["--processes", "30"], `exec "python3", "-c", '${script}'`)
      expect({ out, report }).toEqual({ out: "30\n", report: [tooMany] })
    })

    story("memory of several processes is added up, and the command is ended", async () => {
      const hogs = `for (1 .. 6) { if (!fork) { my $x = "a" x (60 << 20); sleep 300; exit } } sleep 300`
      const { code, report } = await run(["--memory", megabytes(200)], hogs)
      expect({ code, report }).toEqual({ code: 137, report: [tooMuch] })
    })

    story("a program that keeps the watcher busy is looked at, too", async () => {
      const busy = `use Time::HiRes 'setitimer'; $SIG{ALRM} = sub {}; setitimer(0, 0.0001, 0.0001); for (;;) { open F, ">", "/dev/null"; close F }`
      const hogs = `for (1 .. 4) { if (!fork) { ${busy} } } for (1 .. 6) { if (!fork) { my $x = "a" x (60 << 20); sleep 300; exit } } sleep 300`
      const { code, report } = await run(["--memory", megabytes(200)], hogs)
      expect({ code, report }).toEqual({ code: 137, report: [tooMuch] })
    })

    story("memory that processes share counts once", async () => {
      const sharers = `my $x = "a" x (90 << 20); for (1 .. 6) { if (!fork) { sleep 1; exit } } 1 while wait > 0; print "done"`
      expect(await run(["--memory", megabytes(400)], sharers)).toEqual({ code: 0, out: "done", err: "", report: [] })
    })

    story("a process that lets nobody look at its memory is counted, too", async () => {
      const prctl = process.arch === "x64" ? 157 : 167
      const hogs = `syscall(${prctl}, 4, 0, 0, 0, 0); for (1 .. 4) { if (!fork) { my $x = "a" x (60 << 20); sleep 300; exit } } sleep 300`
      const { code, report } = await run(["--memory", megabytes(150)], hogs)
      expect({ code, report }).toEqual({ code: 137, report: [tooMuch] })
    })

    test.each([
      ["files in memory", `open F, ">", "/dev/shm/x"; print F "a" x (20 << 20) for 1 .. 10; close F;`],
      [
        "segments",
        `my $s = shmget(1, 200 << 20, 0o1600); shmwrite($s, "a" x (20 << 20), $_ * (20 << 20), 20 << 20) for 0 .. 9;`,
      ],
    ])("%s count, mapped or not", async (_what, fill) => {
      const { code, report } = await run(["--memory", megabytes(150)], `${fill} sleep 300`)
      expect({ code, report }).toEqual({ code: 137, report: [tooMuch] })
    })
  },
)
