/** `MemoryMax` of the worker's unit held for all of its sessions together: one session could take the whole machine from the others. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { type Kernel, linux, openControlGroups } from "#ground/workspace/processes/control-groups.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { hasPostgres } from "../kit/database/postgres-server.ts"
import { openFleet } from "../kit/fleet/fleet.ts"
import { isRunning } from "../kit/is-running.ts"
import { failureOf, valueOf } from "../kit/team/conformance.ts"
import { temporaryFolder, type TemporaryFolder } from "../kit/tmp.ts"

const share = { cpus: 1.5, memoryMb: 512, processes: 64, diskMbPerSecond: 20 }
const pid = process.pid

/** A tree as the kernel has it: controllers go to groups below only while no process is in the group itself. */
function fakeKernel(folder: TemporaryFolder, controllers: string, others: readonly number[] = []): Kernel {
  const own = folder.join("system.slice/worker.service")
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, "cgroup.controllers"), controllers)
  writeFileSync(join(own, "cgroup.subtree_control"), "")
  writeFileSync(join(own, "cgroup.procs"), [pid, ...others].map((each) => `${each}\n`).join(""))
  return {
    read(file) {
      if (file === "/proc/self/cgroup") return "0::/system.slice/worker.service\n"
      if (file === "/proc/self/mountinfo")
        return `30 23 0:26 / ${folder.path} rw - cgroup2 cgroup2 rw\n36 25 0:32 / /elsewhere rw - tmpfs tmpfs rw`
      return linux.read(file)
    },
    write(file, text) {
      if (file === join(own, "cgroup.subtree_control") && linux.read(join(own, "cgroup.procs")).trim() !== "")
        throw Object.assign(new Error("busy"), { code: "EBUSY" })
      if (file.endsWith("cgroup.procs"))
        writeFileSync(join(own, "cgroup.procs"), linux.read(join(own, "cgroup.procs")).replace(`${text}\n`, ""))
      if (file.endsWith("cgroup.kill")) {
        expect(text).toBe("1")
        for (const name of readdirSync(join(file, ".."))) rmSync(join(file, "..", name), { recursive: true })
      } else writeFileSync(file, text)
    },
    makeGroup: (path) => mkdirSync(path),
    diskOf: () => "259:0",
  }
}

const opened = (folder: TemporaryFolder, kernel: Kernel, wanted: typeof share | { cpus: number } = share) =>
  openControlGroups({ share: wanted, folder: folder.path, clock: systemClock, pid, kernel })

test("each session has a group with its limits, beside the worker's own; what a killed worker left is removed", async () => {
  using folder = temporaryFolder()
  const kernel = fakeKernel(folder, "cpuset cpu io memory pids")
  const own = folder.join("system.slice/worker.service")
  mkdirSync(join(own, "codewright-4194305-1-killed"))
  const groups = valueOf(opened(folder, kernel))
  expect(groups).toMatchObject({
    words: "1.5 processors, 512 MB of memory, 64 processes and 20 MB a second of disk",
  })
  expect(groups.missing).toBeUndefined()
  expect(existsSync(join(own, "codewright-4194305-1-killed"))).toBe(false)
  expect(readFileSync(join(own, "cgroup.subtree_control"), "utf8")).toBe("+cpu +memory +pids +io")
  expect(readFileSync(join(own, `codewright-${pid}-worker/cgroup.procs`), "utf8")).toBe(String(pid))
  const [first, second] = [valueOf(groups.open("s1")), valueOf(groups.open("../s2"))]
  const place = join(first.entrance, "..")
  expect(place).toBe(join(own, `codewright-${pid}-1-s1`))
  expect(join(second.entrance, "..")).toBe(join(own, `codewright-${pid}-2-___s2`))
  const limits = ["cpu.max", "memory.max", "pids.max", "io.max"].map((name) => readFileSync(join(place, name), "utf8"))
  expect(limits).toEqual(["150000 100000", "536870912", "64", "259:0 rbps=20971520 wbps=20971520"])
  await first.close()
  expect(existsSync(place)).toBe(false)
})

test("what cannot be limited is said, with what to do", () => {
  using some = temporaryFolder()
  const partly = valueOf(opened(some, fakeKernel(some, "cpu pids")))
  expect(partly.words).toBe("1.5 processors and 64 processes")
  expect(partly.missing).toBe(
    "512 MB of memory and 20 MB a second of disk cannot be limited here: the worker's control group has no memory or io controller of version 2. With systemd, set Delegate=yes for the worker's unit.",
  )
  using none = temporaryFolder()
  expect(failureOf(opened(none, fakeKernel(none, "hugetlb"), { cpus: 1 }))).toContain("1 processor cannot be limited")
  using shared = temporaryFolder()
  expect(failureOf(opened(shared, fakeKernel(shared, "cpu", [1]), { cpus: 1 }))).toContain(
    "other programs run in the worker's control group",
  )
  using old = temporaryFolder()
  const kernel = { ...fakeKernel(old, "cpu"), read: () => "9:name=systemd:/\n8:pids:/\n" }
  expect(failureOf(opened(old, kernel))).toContain("no control groups of version 2")
})

const mount = /^\S+ \S+ \S+ \/ (\S+) .* - cgroup2 /m.exec(linux.read("/proc/self/mountinfo"))?.[1]
const hasRealGroups = mount !== undefined && process.getuid?.() === 0 && /^0::/m.test(linux.read("/proc/self/cgroup"))

test.skipIf(!hasRealGroups)(
  "in a group of the real kernel, a program and all it starts are in it from the beginning, and none outlives it",
  async () => {
    using folder = temporaryFolder()
    // Membership and its end are the kernel's own; it may have its controllers elsewhere.
    const kernel: Kernel = {
      ...linux,
      read: (file) => (file.endsWith("cgroup.controllers") ? "cpu memory pids io" : linux.read(file)),
      write: (file, text) => (/\.max$|subtree_control$/.test(file) ? undefined : linux.write(file, text)),
    }
    const group = valueOf(valueOf(opened(folder, kernel)).open("real"))
    const helper = (await confinePath({ cacheFolder: folder.path, pid })) ?? ""
    const processes = openProcesses({
      clock: systemClock,
      ids: systemIds,
      scratch: folder.join("scratch"),
      graceMs: 500,
      drainMs: 100,
      launcher: [helper, "join", "--group", group.entrance, "--"],
    })
    const run = (file: string, argv: readonly string[]) =>
      processes.run({
        file,
        argv,
        cwd: folder.path,
        env: { PATH: process.env["PATH"] ?? "", "a.name": "kept" },
        timeoutMs: 60_000,
        signal: new AbortController().signal,
        limits: { characters: 10_000 },
        outputFile: folder.join("output"),
      })
    const script = `cat /proc/self/cgroup > groups; env > env; (setsid sleep 1000 > /dev/null 2>&1 & echo $! > daemon)`
    expect(valueOf(await run("bash", ["-c", script])).exitCode).toBe(0)
    const name = group.entrance.split("/").at(-2) ?? ""
    expect(readFileSync(folder.join("groups"), "utf8")).toContain(`/${name}\n`)
    expect(readFileSync(folder.join("env"), "utf8")).toContain("a.name=kept")
    const daemon = Number(readFileSync(folder.join("daemon"), "utf8"))
    expect(linux.read(group.entrance).split("\n")).toContain(String(daemon))
    expect(failureOf(await run("no-such-program", []))).toEqual({ kind: "no_program", file: "no-such-program" })
    await group.close()
    expect(isRunning(daemon)).toBe(false)
    expect(existsSync(join(group.entrance, ".."))).toBe(false)
    await processes.close()
  },
  60_000,
)

test.skipIf(!hasPostgres)(
  "a worker says at its start what it cannot limit, and users and the model are told what holds",
  async () => {
    await using fleet = await openFleet(() => ({ content: "Done." }))
    const worker = await fleet.startWorker({ settings: { server: { limits: { cpus: 1, memoryMb: 2048 } } } })
    const id = await fleet.create({ query: "Say it" })
    await fleet.until(id, ({ stage }) => stage === "completed")
    const log = JSON.stringify(await fleet.store.lines.after(id, 0, 1000))
    const requests = JSON.stringify(fleet.simulator.requests)
    if (worker.stderr().includes("warning: server.limits: nothing is limited")) {
      for (const text of [log, requests])
        expect(text).toContain("limit what a session may use of a machine, but on this")
    } else for (const text of [log, requests]) expect(text).toContain("All programs of this session together may use")
  },
  Infinity,
)
