/** The sandbox's helper: what it forbids, seen from programs that try it. */

import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { attempted, bwrap, ended, everybody, reachableConfine, walls } from "../../../kit/confine.ts"

const root = resolve(import.meta.dir, "../../../..")
const built = await import(join(root, "scripts/build-confine.mjs"))

test("the programs are those that were built from this source (otherwise: npm run build:confine)", () => {
  expect(readFileSync(join(built.folder, "confine.sha256"), "utf8")).toBe(built.digests())
})

const works = bwrap !== null && (await ended([bwrap, ...walls, "/bin/true"])).code === 0
const confine = process.platform === "linux" ? await reachableConfine() : ""

/** EPERM unless something else is said. */
const forbidden = {
  setns: [308, 268, 0, 0],
  mount: [165, 40, 0, 0, 0, 0, 0],
  umount2: [166, 39, 0, 0],
  pivot_root: [155, 41, 0, 0],
  chroot: [161, 51, 0],
  open_tree: [428, 428, 0, 0, 0],
  move_mount: [429, 429, 0, 0, 0, 0, 0],
  fsopen: [430, 430, 0, 0],
  fsconfig: [431, 431, 0, 0, 0, 0, 0],
  fsmount: [432, 432, 0, 0, 0],
  fspick: [433, 433, 0, 0, 0],
  mount_setattr: [442, 442, 0, 0, 0, 0, 0],
  open_tree_attr: [467, 467, 0, 0, 0, 0, 0],
  ptrace: [101, 117, 0, 0, 0, 0],
  process_vm_readv: [310, 270, 0, 0, 0, 0, 0, 0],
  process_vm_writev: [311, 271, 0, 0, 0, 0, 0, 0],
  process_madvise: [440, 440, 0, 0, 0, 0, 0],
  pidfd_getfd: [438, 438, 0, 0, 0],
  kcmp: [312, 272, 0, 0, 0, 0, 0],
  open_by_handle_at: [304, 265, 0, 0, 0],
  name_to_handle_at: [303, 264, 0, 0, 0, 0, 0],
  add_key: [248, 217, 0, 0, 0, 0, 0],
  request_key: [249, 218, 0, 0, 0, 0],
  keyctl: [250, 219, 0, 0, 0, 0, 0],
  bpf: [321, 280, 0, 0, 0],
  perf_event_open: [298, 241, 0, 0, 0, 0, 0],
  userfaultfd: [323, 282, 0],
  init_module: [175, 105, 0, 0, 0],
  finit_module: [313, 273, 0, 0, 0],
  delete_module: [176, 106, 0, 0],
  kexec_load: [246, 104, 0, 0, 0, 0],
  reboot: [169, 142, 0, 0, 0, 0],
  swapon: [167, 224, 0, 0],
  swapoff: [168, 225, 0],
  acct: [163, 89, 0],
  quotactl: [179, 60, 0, 0, 0, 0],
  syslog: [103, 116, 10, 0, 0],
  settimeofday: [164, 170, 0, 0],
  clock_settime: [227, 112, 0, 0],
  adjtimex: [159, 171, "$buffer"],
  sethostname: [170, 161, "$buffer", 1],
  unshare_user: [272, 97, 0x10000000],
  unshare_mount: [272, 97, 0x20000],
  unshare_time: [272, 97, 0x80],
  clone_user: [56, 220, 0x10000011, 0, 0, 0, 0],
  clone_net: [56, 220, 0x40000011, 0, 0, 0, 0],
  TIOCSTI: [16, 29, 0, 0x5412, "$buffer"],
  TIOCSTI_with_more_bits: [16, 29, 0, 0x7_0000_5412, "$buffer"],
  TIOCLINUX: [16, 29, 0, 0x541c, "$buffer"],
  personality_32: [135, 92, 8],
  socket_unix: [41, 198, 1, 1, 0],
  socket_unix_with_more_bits: [41, 198, 0x7_0000_0001, 1, 0],
  // A pair of datagram sockets could be connected to any socket on the disk afterwards.
  pair_datagram: [53, 199, 1, 2, 0, "$buffer"],
  pair_raw: [53, 199, 1, 3, 0, "$buffer"],
} as const

const otherwise = {
  EAFNOSUPPORT: {
    socket_vsock: [41, 198, 40, 1, 0],
    socket_packet: [41, 198, 17, 3, 0],
    socket_bluetooth: [41, 198, 31, 1, 0],
    socket_alg: [41, 198, 38, 5, 0],
    netlink_audit: [41, 198, 16, 3, 9],
    netlink_uevent: [41, 198, 16, 3, 15],
  },
  ENOSYS: {
    io_uring_setup: [425, 425, 1, "$buffer"],
    io_uring_enter: [426, 426, 0, 0, 0, 0, 0, 0],
    io_uring_register: [427, 427, 0, 0, 0, 0],
    clone3: [435, 435, "$buffer", 88],
    unknown: [470, 470],
    far: [1000, 1000],
    none: [-1, -1],
  },
  ok: {
    socket_inet: [41, 198, 2, 1, 0],
    socket_inet6_datagram: [41, 198, 10, 2, 0],
    netlink_route: [41, 198, 16, 3, 0],
    pair_stream: [53, 199, 1, 1, 0, "$buffer"],
    pair_seqpacket_close_on_exec: [53, 199, 1, 0o2000005, 0, "$buffer"],
    unshare_files: [272, 97, 0x400],
    personality_asked: [135, 92, 0xffffffff],
    personality_fixed: [135, 92, 0x40000],
    memfd_create: [319, 279, "'a'", 0],
    getpid: [39, 172],
  },
} as const

const everyOne = (calls: object, came: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(calls).map((name) => [name, came]))

describe.skipIf(!works).each(everybody.map((user) => [user.name, user] as const))(
  "confine run as %s",
  (_name, user) => {
    const inside = (...options: readonly string[]): readonly string[] => [
      ...user.become,
      bwrap ?? "",
      ...walls,
      "--",
      confine,
      "run",
      ...options,
      "--",
    ]

    test("forbidden calls fail, and what programs need does not", async () => {
      expect(await attempted(inside(), forbidden)).toEqual(everyOne(forbidden, "EPERM"))
      for (const [came, calls] of Object.entries(otherwise))
        expect(await attempted(inside(), calls)).toEqual(everyOne(calls, came))
    })

    // Only here can a program make calls of two architectures.
    if (process.arch === "x64")
      test("calls of another architecture end the process", async () => {
        const x32 = 0x4000_0000 + 39
        expect(await attempted(inside(), { x32: [x32, x32] })).toEqual({ x32: "killed by signal 31" })
      })

    test("unix sockets are there with --unix, of every kind", async () => {
      const { socket_unix, pair_datagram } = forbidden
      expect(await attempted(inside("--unix"), { socket_unix, pair_datagram })).toEqual({
        socket_unix: "ok",
        pair_datagram: "ok",
      })
    })

    test("signals, limits and descriptors are in order", async () => {
      const script = `exec 2>&1; grep -E '^(SigBlk|SigIgn|NoNewPrivs|CapEff)' /proc/self/status
      ulimit -c; ulimit -d; ls /proc/self/fd | wc -l; kill -TERM $$; echo alive`
      // Two signals ignored, one blocked and a descriptor left open: as careless as whoever starts us may be.
      const careless = `$SIG{TERM} = $SIG{PIPE} = 'IGNORE'; use POSIX; $^F = 99; open(F, '<', '/etc/passwd');
      sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGUSR1)); exec @ARGV`
      const start = inside("--memory", "4194304000")
      const at = start.indexOf(confine)
      const argv = [...start.slice(0, at), "/usr/bin/perl", "-e", careless, ...start.slice(at)]
      const { code, out } = await ended([...argv, "/bin/bash", "-c", script])
      const zero = "0000000000000000"
      expect(out.replaceAll("\t", " ").split("\n")).toEqual([
        `SigBlk: ${zero}`,
        `SigIgn: ${zero}`,
        `CapEff: ${zero}`,
        "NoNewPrivs: 1",
        "0",
        "4096000",
        "4",
        "",
      ])
      expect(code).toBe(128 + 15)
    })

    test("exit codes come through, and a program that cannot be started is named", async () => {
      expect(await ended([...inside(), "/bin/sh", "-c", "exit 7"])).toEqual({ code: 7, out: "", err: "" })
      expect(await ended([...inside(), "/nowhere"])).toEqual({
        code: 127,
        out: "",
        err: "confine: cannot execute /nowhere: no such file or directory\n",
      })
      expect(await ended([...inside(), "/etc/passwd"])).toEqual({
        code: 126,
        out: "",
        err: "confine: cannot execute /etc/passwd: permission denied\n",
      })
    })
  },
)

describe.skipIf(!works)("confine enter", () => {
  test("polite signals are ignored until confine run restores them", async () => {
    const ignored = ["/bin/grep", "SigIgn", "/proc/self/status"]
    // SIGHUP, SIGINT and SIGTERM: bits 0, 1 and 14.
    expect(await ended([confine, "enter", "--", ...ignored])).toEqual({
      code: 0,
      out: "SigIgn:\t0000000000004003\n",
      err: "",
    })
    const inner = [confine, "run", "--", ...ignored]
    expect((await ended([confine, "enter", "--", ...inner])).out).toBe("SigIgn:\t0000000000000000\n")
  })

  test.each(everybody.map((user) => [user.name, user] as const))(
    "--join shares the user and network namespace of another process, as %s",
    async (_name, { become }) => {
      // bubblewrap tells on descriptor 3 which process it made.
      const lasting = [...become, "/bin/bash", "-c", 'exec 3>&1; exec "$@"', "bash", bwrap ?? ""]
      const argv = [...lasting, ...walls, "--unshare-net", "--info-fd", "3", "--", "/bin/cat"]
      const holder = Bun.spawn(argv, { cwd: "/", stdin: "pipe", stdout: "pipe", stderr: "inherit" })
      // Its number is told before its namespaces are finished; what comes back from it is told after.
      await holder.stdin.write("finished\n")
      const reader = holder.stdout.getReader()
      let said = ""
      while (!said.includes("finished")) said += new TextDecoder().decode((await reader.read()).value)
      const pid = /"child-pid": (\d+)/.exec(said)?.[1] ?? ""
      const names = ["/usr/bin/readlink", "/proc/self/ns/net"]
      const outside = (await ended(names)).out
      const wanted = (await ended([...become, "/usr/bin/readlink", `/proc/${pid}/ns/net`])).out
      expect(wanted).not.toBe(outside)
      const joined = [...become, confine, "enter", "--join", pid, "--"]
      expect(await ended([...joined, ...names])).toEqual({ code: 0, out: wanted, err: "" })
      // Two sandboxes with one network: that of the holder, not of the machine.
      const nested = [...joined, bwrap ?? "", ...walls, "--", confine, "run", "--"]
      expect(await ended([...nested, ...names])).toEqual({ code: 0, out: wanted, err: "" })
      await holder.stdin.end()
      await holder.exited
    },
  )

  test("what goes wrong is said, and the program does not run", async () => {
    const said = async (...args: readonly string[]): Promise<readonly [number, string]> => {
      const { code, out, err } = await ended([confine, ...args])
      expect(out).toBe("")
      return [code, err]
    }
    const run = ["--", "/bin/echo", "ran"]
    expect(await said("enter", "--join", "2147483647", ...run)).toEqual([
      125,
      "confine: cannot open /proc/2147483647/ns/net: no such file or directory\n",
    ])
    expect(await said("enter", "--join", "1/../2", ...run)).toEqual([125, "confine: --join: not a number: 1/../2\n"])
    expect(await said("enter", "--", "/nowhere")).toEqual([
      125,
      "confine: cannot execute /nowhere: no such file or directory\n",
    ])
    expect(await said("enter", "--", "echo", "ran")).toEqual([
      125,
      "confine: the program must be named by its path: echo\n",
    ])
    expect(await said("enter", "--other", ...run)).toEqual([125, "confine: unknown option --other\n"])
    expect(await said("run", "--memory", "99999999999999999999", ...run)).toEqual([
      125,
      "confine: --memory: the number is too large: 99999999999999999999\n",
    ])
    expect(await said("run", "--processes")).toEqual([125, "confine: a value is missing after --processes\n"])
    expect(await said("run", "--")).toEqual([125, "confine: a program is missing after --\n"])
    expect(await said("run")).toEqual([125, "confine: a program is missing: confine run ... -- program\n"])
    expect(await said("other")).toEqual([125, "confine: unknown mode other\n"])
    expect(await said()).toEqual([125, "confine: a mode is missing: box, enter, run, record, keep, hold or join\n"])
  })
})
