/** Readers share a network that leads nowhere; whatever becomes of it, they never get another one. */

import { afterAll, describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import type { Sandbox } from "#ground/sandbox/port.ts"
import { openSandbox } from "#ground/sandbox/sandbox.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { bwrap, ended, reachableConfine } from "../../../kit/confine.ts"
import { isRunning } from "../../../kit/is-running.ts"
import { lastingFolder } from "../../../kit/tmp.ts"
import { until } from "../../../kit/until.ts"

const top = lastingFolder()
const sandboxes: Sandbox[] = []
afterAll(() => Promise.all(sandboxes.map((sandbox) => sandbox.close())))

function open(): Sandbox {
  const sandbox = openSandbox({
    platform: process.platform,
    ids: systemIds,
    // Soon is now.
    clock: { ...systemClock, after: (_ms, callback) => systemClock.after(0, callback) },
    registry: join(top, "placeholders"),
    confine: () => confinePath({ cacheFolder: join(top, "cache"), pid: process.pid }),
    folder: join(top, systemIds.uuid()),
  })
  sandboxes.push(sandbox)
  return sandbox
}

const policyOf = (name: Policy["name"]): Policy => ({
  name,
  writes: [],
  held: [],
  hidden: [],
  temp: { folder: join(top, "temp"), asTmp: false },
  network: { mode: "off", because: "a test" },
  limits: { processes: 200, memoryBytes: 2 ** 31 },
})

/** What a command line prints in the sandbox; by default which network it has. */
async function printed(sandbox: Sandbox, name: Policy["name"], script = "readlink /proc/self/ns/net"): Promise<string> {
  const program = { file: "/bin/bash", argv: ["--norc", "-c", script], cwd: "/", env: { PATH: "/usr/bin:/bin" } }
  const wrapped = await sandbox.wrap({ program, policy: policyOf(name), needed: { reads: [], writes: [] } })
  if (!wrapped.ok) throw new Error(wrapped.failure.why)
  const { file, argv, env } = wrapped.value.program
  const child = Bun.spawn([file, ...argv], { env, stdio: ["ignore", "pipe", "pipe"] })
  const [said, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  wrapped.value.finish()
  return said + errors
}

/** Processes of ours that hold a network. */
const holders = (): readonly number[] =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || !isRunning(Number(name))) return []
    const [file = "", mode] = read(`/proc/${name}/cmdline`).split("\0")
    const isOurs = Number(/^PPid:\t(\d+)/m.exec(read(`/proc/${name}/status`))?.[1]) === process.pid
    return isOurs && file.includes("confine") && mode === "hold" ? [Number(name)] : []
  })

function read(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** The holder, once readers join it. */
async function untilShared(sandbox: Sandbox): Promise<{ readonly pid: number; readonly network: string }> {
  for (;;) {
    const [pid] = holders()
    const network = await printed(sandbox, "reader")
    if (pid !== undefined && readlinkSync(`/proc/${pid}/ns/net`) === network.trim()) return { pid, network }
  }
}

/** The networks of two commands. The number of one that is gone may be given out again, so neither ends before the other has begun. */
async function twoAtOnce(sandbox: Sandbox, name: Policy["name"]): Promise<readonly string[]> {
  const meeting = join(policyOf(name).temp.folder, "meeting")
  rmSync(meeting, { recursive: true, force: true })
  const script = (own: string, other: string): string =>
    `readlink /proc/self/ns/net; mkdir -p ${meeting}/${own}; until [ -e ${meeting}/${other} ]; do sleep 0.01; done`
  return await Promise.all([printed(sandbox, name, script("a", "b")), printed(sandbox, name, script("b", "a"))])
}

const outside = process.platform === "linux" ? readlinkSync("/proc/self/ns/net") : ""

describe.skipIf(bwrap === null)("the network of readers", () => {
  test("is one for all of them, not that of the machine, and not that of other commands", async () => {
    const sandbox = open()
    expect(await printed(sandbox, "reader")).not.toBe(`${outside}\n`)
    const { network } = await untilShared(sandbox)
    const again = await printed(sandbox, "reader")
    const others = await twoAtOnce(sandbox, "workspace")
    expect(again).toBe(network)
    expect(new Set([`${outside}\n`, network, ...others]).size).toBe(4)
    const lines = "wc -l < /proc/net/dev; wc -l < /proc/net/route; cat /sys/class/net/*/address 2>&1 | wc -l"
    expect(await printed(sandbox, "reader", lines)).toBe(await printed(sandbox, "workspace", lines))
    await sandbox.close()
    expect(holders()).toEqual([])
  })

  test("is each one's own again when whoever holds it is killed", async () => {
    const sandbox = open()
    await printed(sandbox, "reader")
    const { pid } = await untilShared(sandbox)
    process.kill(pid, "SIGKILL")
    while (isRunning(pid)) await Bun.sleep(5)
    // Until its end is noticed, a reader that was to join it does not start.
    await until(async () => (await printed(sandbox, "reader")).startsWith("net:"))
    expect(new Set([`${outside}\n`, ...(await twoAtOnce(sandbox, "reader"))]).size).toBe(3)
    expect(holders()).toEqual([])
  })

  test("ends with the program that uses it, also when that is killed", async () => {
    const confine = await reachableConfine()
    const child = Bun.spawn(
      ["/bin/sh", "-c", `mkfifo ${top}/in; ${confine} hold < ${top}/in & exec 3> ${top}/in; echo $!; wait`],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    )
    const reader = child.stdout.getReader()
    let said = ""
    while (!/\d\n/.test(said)) said += new TextDecoder().decode((await reader.read()).value)
    const pid = Number(/\d+/.exec(said)?.[0])
    expect(isRunning(pid)).toBe(true)
    child.kill("SIGKILL")
    while (isRunning(pid)) await Bun.sleep(5)
  })

  test("is not joined if it is the machine's, which a number that was given out again may mean", async () => {
    const confine = await reachableConfine()
    const { code, out, err } = await ended([confine, "box", "--join", String(process.pid), "--", "/bin/echo", "ran"])
    expect({ code, out, err }).toEqual({
      code: 125,
      out: "",
      err: `confine: has no network of its own: process ${process.pid}\n`,
    })
  })
})
