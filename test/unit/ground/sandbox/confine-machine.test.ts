/**
 * A sandbox that shows the machine: processes, sockets and interfaces are as outside, and nobody can be reached or
 * touched. With the helper and with bubblewrap, as root and as an ordinary user.
 */

import { describe, expect, test } from "bun:test"
import { chmodSync, writeFileSync } from "node:fs"
import { type Maker, makingArgv } from "#ground/sandbox/making.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import { attempted, bwrap, ended, everybody, reachableConfine, walls } from "../../../kit/confine.ts"
import { isRunning } from "../../../kit/is-running.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const works = bwrap !== null && (await ended([bwrap, ...walls, "/bin/true"])).code === 0
const confine = works ? await reachableConfine() : ""
const makers: readonly Maker[] = ["helper", "bubblewrap"]
const cases = everybody.flatMap((user) => makers.map((maker) => [user.name, maker, user] as const))

const policy: Policy = {
  name: "reader",
  writes: [],
  held: [],
  hidden: [],
  temp: { folder: "/nowhere", asTmp: false },
  network: { mode: "off", because: "a test" },
  limits: { processes: 200, memoryBytes: 2 ** 31 },
  machine: true,
}

describe.skipIf(!works).each(cases)("the machine as seen by %s, with %s", (_name, maker, { become }) => {
  function openWorld() {
    const folder = temporaryFolder()
    chmodSync(folder.path, 0o755)
    const report = folder.join("report")
    writeFileSync(report, "")
    chmodSync(report, 0o666)
    const inside = (file: string, ...argv: readonly string[]): readonly string[] => [
      ...become,
      confine,
      ...makingArgv(maker, {
        helper: confine,
        bwrap: bwrap ?? "",
        program: { file, argv, cwd: "/" },
        policy,
        mounts: [],
        sealed: { file: "/nowhere", folder: "/nowhere" },
        report,
      }),
    ]
    return {
      folder,
      inside,
      sh: (script: string) => ended(inside("/bin/sh", "-c", script)),
      outside: (script: string) => ended([...become, "/bin/sh", "-c", script]),
      [Symbol.dispose]: () => folder[Symbol.dispose](),
    }
  }

  /** A program of the same user that waits at a port, with a secret in its environment. */
  async function openServer() {
    const script = `use Socket; $| = 1; socket(my $s, PF_INET, SOCK_STREAM, 0) or die; bind($s, pack_sockaddr_in(0, INADDR_LOOPBACK)) or die;
      listen($s, 9); my ($port) = unpack_sockaddr_in(getsockname($s)); print "$port $$\\n"; sleep 300`
    const argv = [...become, "/usr/bin/env", "SECRET=hunter2", "/usr/bin/perl", "-e", script]
    const child = Bun.spawn(argv, { stdio: ["ignore", "pipe", "inherit"] })
    const { value } = await child.stdout.getReader().read()
    const [port = "", pid = ""] = new TextDecoder().decode(value).trim().split(" ")
    return { port, pid, isAlive: () => isRunning(Number(pid)), [Symbol.dispose]: () => child.kill("SIGKILL") }
  }

  test("processes, ports with their owners, and interfaces are those of the machine", async () => {
    using world = openWorld()
    using server = await openServer()
    const same = [
      `ps -o pid=,comm= -p ${server.pid}`,
      `pgrep -x perl | grep -x ${server.pid}`,
      "ip -o link | sort",
      "ip route",
      `ss -Htlnp 'sport = :${server.port}'`,
      `netstat -tln | grep ':${server.port} '`,
      `lsof -nP -t -iTCP:${server.port} -sTCP:LISTEN`,
      `fuser ${server.port}/tcp 2>&1`,
      "cat /proc/1/comm",
      "hostname",
      "id -u",
    ]
    for (const command of same) {
      const outside = await world.outside(command)
      expect(outside.out).not.toBe(command === "ip route" ? undefined : "")
      expect({ command, ...(await world.sh(command)) }).toEqual({ command, ...outside })
    }
    const { out } = await world.sh(`ss -Htlnp 'sport = :${server.port}'`)
    expect(out).toContain(`pid=${server.pid},`)
  })

  test("of others only what everybody may know: neither environment nor memory nor files", async () => {
    using world = openWorld()
    using server = await openServer()
    expect((await world.outside(`cat /proc/${server.pid}/environ`)).out).toContain("hunter2")
    for (const file of ["environ", "mem", "maps", "root/etc/hostname", "cwd/etc/hostname", "fd/1", "auxv", "stack"]) {
      const { code, out } = await world.sh(`head -c 100 /proc/${server.pid}/${file}`)
      expect({ file, isRefused: code !== 0, out }).toEqual({ file, isRefused: true, out: "" })
    }
    // A link there is named, and leads nowhere.
    const { out } = await world.sh(
      `readlink /proc/${server.pid}/fd/0; cat /proc/${server.pid}/fd/0; ls /proc/${server.pid}/root/`,
    )
    expect(out).toBe("/dev/null\n")
  })

  test("nobody can be signaled, slowed, limited or traced", async () => {
    using world = openWorld()
    using server = await openServer()
    const pid = Number(server.pid)
    const refused = await attempted(world.inside("/usr/bin/env"), {
      kill: [62, 129, pid, 9],
      killAll: [62, 129, -1, 0],
      tkill: [200, 130, pid, 9],
      tgkill: [234, 131, pid, pid, 9],
      rt_sigqueueinfo: [129, 138, pid, 9, "'\\0' x 128"],
      rt_tgsigqueueinfo: [297, 240, pid, pid, 9, "'\\0' x 128"],
      pidfd_send_signal: [424, 424, 0, 9, 0, 0],
      ptrace: [101, 117, 16, pid, 0, 0],
      process_vm_readv: [310, 270, pid, 0, 0, 0, 0, 0],
      process_vm_writev: [311, 271, pid, 0, 0, 0, 0, 0],
      prlimit64: [302, 261, pid, 7, "pack('QQ', 1, 1)", 0],
      setpriority: [141, 140, 0, pid, 19],
      setpriorityOfUser: [141, 140, 2, 0, 19],
      ioprio_set: [251, 30, 1, pid, 3],
      sched_setaffinity: [203, 122, pid, 8, "pack('Q', 1)"],
      sched_setscheduler: [144, 119, pid, 0, "pack('L', 0)"],
      sched_setparam: [142, 118, pid, "pack('L', 0)"],
      sched_setattr: [314, 274, pid, "'\\0' x 48", 0],
      migrate_pages: [256, 238, pid, 0, 0, 0],
      move_pages: [279, 239, pid, 0, 0, 0, 0, 0],
      pidfd_getfd: [438, 438, 0, 0, 0],
      process_mrelease: [448, 448, 0, 0],
      setOwner: [72, 25, 0, 8, pid],
      setSignal: [72, 25, 0, 10, 9],
      fiosetown: [16, 29, 0, 0x8901, "pack('l', 1)"],
      siocspgrp: [16, 29, 0, 0x8902, "pack('l', 1)"],
    })
    expect(new Set(Object.values(refused))).toEqual(new Set(["EPERM"]))
    expect(server.isAlive()).toBe(true)
  })

  test("there are no sockets but to ask the kernel", async () => {
    using world = openWorld()
    using server = await openServer()
    const sockets = await attempted(world.inside("/usr/bin/env"), {
      unix: [41, 198, 1, 1, 0],
      packet: [41, 198, 17, 3, 0],
      vsock: [41, 198, 40, 1, 0],
      route: [41, 198, 16, 3, 0],
      sockDiag: [41, 198, 16, 3, 4],
      audit: [41, 198, 16, 3, 9],
      generic: [41, 198, 16, 3, 16],
      ring: [425, 425, 4, "'\\0' x 120"],
    })
    expect(sockets).toEqual({
      unix: "EPERM",
      packet: "EAFNOSUPPORT",
      vsock: "EAFNOSUPPORT",
      route: "ok",
      sockDiag: "ok",
      audit: "EAFNOSUPPORT",
      generic: "EAFNOSUPPORT",
      ring: "ENOSYS",
    })
    // What looks like one is the end of a pair that nobody has the other end of.
    const connecting = `use Socket qw(:all); for ([AF_INET, SOCK_STREAM], [AF_INET, SOCK_DGRAM], [AF_INET6, SOCK_DGRAM]) {
      socket(my $s, $_->[0], $_->[1], 0) or die $!;
      print connect($s, pack_sockaddr_in(${server.port}, INADDR_LOOPBACK)) ? "connected " : "not ";
      print send($s, 'x', 0, pack_sockaddr_in(${server.port}, INADDR_LOOPBACK)) ? "sent " : "not ";
      print bind($s, pack_sockaddr_in(0, INADDR_ANY)) ? "bound " : "not ";
    }`
    const { out } = await ended(world.inside("/usr/bin/perl", "-e", `$SIG{PIPE} = 'IGNORE'; ${connecting}`))
    expect(out).toBe("not ".repeat(9))
    const changed = await world.sh(
      `ip link set lo down; ip addr add 192.0.2.77/32 dev lo; ss -K sport = :${server.port}`,
    )
    expect(changed.err).toContain("Operation not permitted")
    expect((await world.outside(`ip addr; ss -Htln sport = :${server.port}`)).out).toMatch(/LOOPBACK,UP[^]*LISTEN/)
    expect((await world.outside("ip addr")).out).not.toContain("192.0.2.77")
  })

  test("nothing can be written, also not in /proc", async () => {
    using world = openWorld()
    chmodSync(world.folder.path, 0o777)
    const { pid } = process
    for (const path of [
      world.folder.join("x"),
      "/proc/self/comm",
      "/proc/self/oom_score_adj",
      "/proc/sys/kernel/core_pattern",
      "/proc/sysrq-trigger",
      `/proc/${pid}/root/tmp/x`,
    ]) {
      const { code } = await world.sh(`echo x > ${path}`)
      expect({ path, isRefused: code !== 0 }).toEqual({ path, isRefused: true })
    }
    const mounted = await world.sh("mount -o remount,rw /proc; unshare -U true; mount -t proc proc /proc")
    expect(mounted.code).not.toBe(0)
  })

  test("when it has ended nobody is left, and what it started is not found by its own words", async () => {
    using world = openWorld()
    const mark = `machine-${crypto.randomUUID()}`
    const script = `setsid sh -c "sleep 300; : ${mark}" & (sleep 300; : ${mark}) & exit 3`
    expect((await world.sh(script)).code).toBe(3)
    expect((await world.outside(`pgrep -f "${mark.slice(0, -1)}[${mark.at(-1)}]"`)).out).toBe("")
    // Two more are the shell, which has the words in its arguments as it would outside, and what started bubblewrap.
    const found = await world.sh(`pgrep -fc '${mark}'`)
    expect(Number(found.out)).toBe(maker === "helper" ? 1 : 2)
  })

  test("its program ends with it", async () => {
    using world = openWorld()
    const child = Bun.spawn([...world.inside("/bin/sh", "-c", "echo $$; exec sleep 300")], {
      stdio: ["ignore", "pipe", "ignore"],
    })
    const { value } = await child.stdout.getReader().read()
    const pid = Number(new TextDecoder().decode(value))
    expect(isRunning(pid)).toBe(true)
    child.kill("SIGKILL")
    await child.exited
    while (isRunning(pid)) await Bun.sleep(5)
  })
})
