/** What confined programs try with processes: those outside are not touched, none outlives its command, and none takes more than its share. */

import { describe, expect, test } from "bun:test"
import { chmodSync, copyFileSync, existsSync, mkdirSync } from "node:fs"
import { systemIds } from "#lib/ids.ts"
import {
  type Attack,
  buildProgram,
  canConfine,
  confinedArgv,
  type Ground,
  isRoot,
  openGround,
  provenBy,
  runConfined,
  users,
} from "../../kit/escapes.ts"
import { survivors } from "../../kit/survivors.ts"
import { openTurns } from "../../kit/turns.ts"

const program = canConfine ? await buildProgram() : ""

const said = (text: string) => (_ground: Ground, output: string) => output.includes(text)

/** Opens the memory of processes for writing; to open it is to have it. */
const openMemory = (of: string): string =>
  `for p in ${of}; do perl -e 'open(F, "+<", "/proc/$ARGV[0]/mem") and print "was-opened\\n"' $p; done`

const isX64 = process.arch === "x64"
const [mqOpen, mqUnlink] = isX64 ? [240, 241] : [180, 181]
const [readMemory, ptrace] = isX64 ? [310, 101] : [270, 117]

const around: readonly Attack[] = [
  {
    name: "the memory of the first two processes, which are ours",
    script: openMemory("1 2"),
    happened: said("was-opened"),
    bare: "nobody",
  },
  {
    name: "the memory of a process outside",
    script: `p=$(cat "$OUT/sleeper"); ${openMemory("$p")}`,
    happened: said("was-opened"),
  },
  {
    name: "descriptors of the first two processes",
    script: `for d in /proc/1/fd/* /proc/2/fd/*; do readlink "$d" && echo was-read; done`,
    happened: said("was-read"),
    bare: "nobody",
  },
  {
    name: "tracing",
    script: `strace -o /dev/null true && echo was-traced`,
    happened: said("was-traced"),
  },
  {
    name: "a signal",
    script: `kill -0 "$(cat "$OUT/sleeper")" && echo was-reached`,
    happened: said("was-reached"),
  },
  {
    name: "a setuid program",
    script: `../setuid-touch ../locked/by-setuid`,
    happened: (ground) => existsSync(ground.at("locked/by-setuid")),
    bare: "user",
  },
  {
    name: "shared memory",
    script: `perl -e 'my $id = shmget($ARGV[0], 64, 0) // die; shmwrite($id, "changed", 0, 7) and print "was-changed"' "$(cat "$OUT/key")"`,
    happened: said("was-changed"),
  },
  {
    name: "a message queue",
    script: `perl -e 'my $id = msgget($ARGV[0], 0) // die; msgsnd($id, pack("l! a*", 1, "x"), 0) and print "was-sent"' "$(cat "$OUT/key")"`,
    happened: said("was-sent"),
  },
  {
    name: "a queue of POSIX",
    script: `perl -e 'my $n = "codewright-$ARGV[0]"; syscall(${mqOpen}, $n, 2, 0, 0) >= 0 and print "was-opened"' "$(cat "$OUT/key")"`,
    happened: said("was-opened"),
  },
  {
    name: "the memory of a process outside, read at once",
    script: `p=$(cat "$OUT/sleeper"); perl -e 'my ($b, $p) = ("\\0" x 8, $ARGV[0]); open M, "/proc/$p/maps" or die; my ($at) = <M> =~ /^(\\w+)/;
      my ($own, $other) = (pack("QQ", unpack("Q", pack("P", $b)), 8), pack("QQ", hex $at, 8));
      syscall(${readMemory}, $p + 0, $own, 1, $other, 1, 0) == 8 and print "was-read"' "$p"`,
    happened: said("was-read"),
  },
  {
    name: "attaching to a process outside, as debuggers do",
    script: `perl -e 'my $p = $ARGV[0] + 0; syscall(${ptrace}, 16, $p, 0, 0) == 0 and print "was-attached"; waitpid $p, 0; syscall(${ptrace}, 17, $p, 0, 0)' "$(cat "$OUT/sleeper")"`,
    happened: said("was-attached"),
  },
  {
    name: "semaphores",
    script: `perl -e 'defined semget($ARGV[0], 0, 0) and print "was-reached"' "$(cat "$OUT/key")"`,
    happened: said("was-reached"),
  },
  {
    name: "shared memory as a file",
    script: `echo changed >> "/dev/shm/codewright-$(cat "$OUT/key")"`,
    happened: async (ground) =>
      (await ground.outside(`cat "/dev/shm/codewright-$(cat "$OUT/key")"`)).includes("changed"),
  },
  ...["$OUT", "/tmp", "/run"].map((place) => ({
    name: `a named pipe in ${place}`,
    script: `echo changed > "${place}/codewright-$(cat "$OUT/key").pipe"`,
    happened: async (ground: Ground) =>
      (await ground.outside(`cat "$OUT/got$(basename "${place}")"`)).includes("changed"),
    ...(place === "/run" && { bare: "root" as const }),
  })),
]

/** What lies outside and is to be left alone: processes, memory and pipes of the same user, and a program of root's. */
async function furnish(ground: Ground): Promise<void> {
  if (isRoot) {
    mkdirSync(ground.at("locked"), { mode: 0o755 })
    copyFileSync("/usr/bin/touch", ground.at("setuid-touch"))
    chmodSync(ground.at("setuid-touch"), 0o4755)
  }
  await ground.outside(`exec >/dev/null 2>&1
    sleep 300 & echo $! > "$OUT/sleeper"; echo $! > "$OUT/pids"
    key=$((RANDOM * 32768 + RANDOM + 1)); echo $key > "$OUT/key"
    perl -e 'shmget($ARGV[0], 64, 0o1600); msgget($ARGV[0], 0o1600); semget($ARGV[0], 1, 0o1600)' $key
    perl -e 'my $n = "codewright-$ARGV[0]"; syscall(${mqOpen}, $n, 0102, 0600, 0)' $key
    : > "/dev/shm/codewright-$key"
    for place in "$OUT" /tmp /run; do
      (mkfifo "$place/codewright-$key.pipe" && exec cat "$place/codewright-$key.pipe" > "$OUT/got$(basename "$place")") &
      echo $! >> "$OUT/pids"
    done`)
}

async function clear(ground: Ground): Promise<void> {
  await ground.outside(`exec >/dev/null 2>&1; key=$(cat "$OUT/key"); kill $(cat "$OUT/pids")
    perl -e 'my $n = "codewright-$ARGV[0]"; syscall(${mqUnlink}, $n)' $key
    ipcrm -M $key -Q $key -S $key; rm -f /dev/shm/codewright-$key {/tmp,/run,"$OUT"}/codewright-$key.pipe`)
}

const turn = openTurns()

describe.skipIf(!canConfine)("a command", () => {
  test.each(turn(users))("nothing outlives its command, however it detaches itself, as %s", async (_name, user) => {
    using ground = await openGround(user)
    const mark = `sleeper-${systemIds.uuid()}`
    const lasting = `bash -c 'sleep 300; : ${mark}'`
    const daemon = `perl -e 'exit if fork; use POSIX; setsid; exit if fork; chdir "/"; exec @ARGV' ${lasting}`
    const ways = [`setsid ${lasting} &`, `nohup ${lasting} &`, `(${lasting} &)`, daemon, `${lasting} & disown`]
    const { out } = await runConfined(program, ground, `exec 2>/dev/null; ${ways.join("\n")}\nsleep 0.3; echo done`)
    expect(out).toBe("done\n")
    expect(await survivors(mark)).toEqual([])
  })

  test.each(turn(users))("a command ends with the agent, even one that is killed, as %s", async (_name, user) => {
    using ground = await openGround(user)
    const mark = `sleeper-${systemIds.uuid()}`
    const script = `trap '' HUP INT TERM; setsid bash -c 'trap "" HUP INT TERM; echo ready; sleep 300; : ${mark}'`
    const child = Bun.spawn([...confinedArgv(program, ground, script)], { cwd: ground.work, stdout: "pipe" })
    const reader = child.stdout.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("ready\n")
    child.kill("SIGKILL")
    expect(await survivors(mark)).toEqual([])
  })

  test.each(turn(users))("a fork bomb and a memory hog stay in their bounds, as %s", async (_name, user) => {
    using ground = await openGround(user, { limits: { processes: 100, memoryMb: 300 } })
    const bomb = `perl -e '$| = 1; my $n = 0; while ($n < 400) { my $p = fork; last unless defined $p; if (!$p) { sleep 300; exit } $n++ } print "$n\n"; kill 9, -getpgrp' &`
    const hog = `perl -e '$x = "a" x (600 << 20); print "held\n"'`
    const { out } = await runConfined(program, ground, `setsid ${bomb} wait; ${hog}; echo after`)
    const [forked, ...rest] = out.split("\n")
    expect(Number(forked)).toBeGreaterThan(50)
    expect(Number(forked)).toBeLessThanOrEqual(100)
    expect(rest).toEqual(["after", ""])
  })

  test.each(turn(users))(
    "many processes that each take a little end when together they take too much, as %s",
    async (_name, user) => {
      using ground = await openGround(user, { limits: { processes: 100, memoryMb: 300 } })
      const hogs = `perl -e 'for (1 .. 20) { if (!fork) { my $x = "a" x (40 << 20); sleep 300; exit } } sleep 300'; echo after`
      const { code, out } = await runConfined(program, ground, hogs)
      expect({ code, out }).toEqual({ code: 137, out: "" })
    },
  )

  test.each(turn(users))("processes, as %s", async (_name, user) => {
    const { got, wanted } = await provenBy(program, user, around, { furnish, clear })
    expect(got).toEqual(wanted)
  })
})
