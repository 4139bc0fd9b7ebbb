/** What confines commands breaks in the middle of a session: nothing runs unconfined, and the reason is told. */

import { describe, expect, test } from "bun:test"
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bwrap } from "../../kit/confine.ts"
import { isRunning } from "../../kit/is-running.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { lastingFolder, temporaryFolder } from "../../kit/tmp.ts"

/** A file outside the workspace that every command tries to make: it is there only if one ran unconfined. */
const escaped = join(lastingFolder(), "escaped")
const tries = (name: string): string => `echo x > ${name}; touch ${escaped} 2>/dev/null; true`

/** Each prompt runs one command; bubblewrap is a copy that the test may break. */
async function openBreakable(
  commands: readonly string[],
  enabled = true,
): Promise<TestSession & { readonly bubblewrap: string }> {
  const bubblewrap = join(lastingFolder(), "bwrap")
  copyFileSync(bwrap ?? "", bubblewrap)
  chmodSync(bubblewrap, 0o755)
  const t = await openTestSession({
    script: commands.flatMap((command) => [calls(bash(command)), says("Done.")]),
    mode: "default",
    allow: enabled ? [] : ["Bash(touch:*)"],
    place: { bubblewrap: [bubblewrap] },
    sandbox: { values: { enabled, autoAllowBashIfSandboxed: enabled }, sources: [] },
  })
  return { ...t, bubblewrap }
}

const lastResult = (t: TestSession): string => String(t.results().at(-1)?.content)
const inside = { by: "bubblewrap", as: "workspace" }

/** The process of ours that holds the network namespace of a session, and the proxy's socket that it leads to. */
function keeper(): { readonly pid: number; readonly socket: string } {
  const found = readdirSync("/proc").flatMap((name) => {
    const argv = /^\d+$/.test(name) ? read(`/proc/${name}/cmdline`).split("\0") : []
    const isOurs = Number(/^PPid:\t(\d+)/m.exec(read(`/proc/${name}/status`))?.[1]) === process.pid
    const at = argv.indexOf("keep")
    return isOurs && at > 0 ? [{ pid: Number(name), socket: argv[at + 1] ?? "" }] : []
  })
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} processes hold a namespace`)
  return found[0]
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

async function kill(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL")
  while (isRunning(pid)) await Bun.sleep(5)
}

describe.skipIf(bwrap === null)("in the middle of a session", () => {
  test("whoever holds the network is killed: it is made again, and the next command is confined as before", async () => {
    await using t = await openBreakable([tries("one"), tries("two")])
    await t.prompt("first")
    const before = keeper()
    await kill(before.pid)
    await t.prompt("second")
    expect(t.results().map(({ data }) => data?.["sandbox"])).toEqual([inside, inside])
    expect([existsSync(t.path("two")), existsSync(escaped)]).toEqual([true, false])
    expect(keeper().pid).not.toBe(before.pid)
  })

  test("the proxy is gone as well: no command runs, and the reason is told", async () => {
    await using t = await openBreakable([tries("one"), tries("two")])
    await t.prompt("first")
    const { pid, socket } = keeper()
    rmSync(socket)
    await kill(pid)
    await t.prompt("second")
    expect(lastResult(t)).toContain("The command was not run, because the sandbox does not work: ")
    expect(lastResult(t)).toContain("the sandbox's proxy is not running. Start Codewright again.")
    expect([existsSync(t.path("two")), existsSync(escaped)]).toEqual([false, false])
  })

  test("bubblewrap is removed: nothing runs, not even what only reads; once it is back, everything does", async () => {
    await using t = await openBreakable([tries("one"), tries("two"), "ls one", tries("three")])
    await t.prompt("first")
    rmSync(t.bubblewrap)
    for (const prompt of ["second", "third"]) {
      await t.prompt(prompt)
      expect(lastResult(t)).toBe(
        "The command was not run, because the sandbox does not work: bubblewrap is not installed. Install it, for example with: apt install bubblewrap",
      )
    }
    expect([existsSync(t.path("two")), existsSync(escaped)]).toEqual([false, false])
    copyFileSync(bwrap ?? "", t.bubblewrap)
    await t.prompt("fourth")
    expect([existsSync(t.path("three")), existsSync(escaped)]).toEqual([true, false])
  })

  test("namespaces are forbidden: the command fails with what the kernel said, and so does the next", async () => {
    await using t = await openBreakable([tries("one"), tries("two"), tries("three")])
    await t.prompt("first")
    const words = "bwrap: No permissions to create a new namespace"
    rmSync(t.bubblewrap)
    writeFileSync(t.bubblewrap, `#!/bin/sh\necho "${words}" >&2\nexit 1\n`, { mode: 0o755 })
    for (const prompt of ["second", "third"]) {
      await t.prompt(prompt)
      expect(lastResult(t)).toMatch(/sandbox .*does not work/)
      expect(lastResult(t)).toContain(words)
      expect(lastResult(t)).toMatch(/Try it by hand|Start the container/)
    }
    expect(["two", "three"].map((name) => existsSync(t.path(name)))).toEqual([false, false])
    expect(existsSync(escaped)).toBe(false)
  })

  test("where the sandbox is off, what reads unasked behind a wall does not read without it", async () => {
    await using t = await openBreakable(["git log --oneline; ls", "ls"], false)
    await t.prompt("first")
    rmSync(t.bubblewrap)
    await t.prompt("second")
    expect(lastResult(t)).toContain("bubblewrap is not installed")
  })

  test.each([
    ["where the sandbox keeps its files", "sandbox"],
    ["where commands keep temporary files", "tmp"],
  ])("no space is left %s: nothing runs, and the folder is named", async (_where, full) => {
    using disk = temporaryFolder()
    using work = temporaryFolder()
    const places = full === "sandbox" ? [disk.path, work.path] : [work.path, disk.path]
    // A trial has its temporary folder among the sandbox's own files.
    const check =
      full === "sandbox"
        ? {
            works: false,
            why: `its files cannot be written in ${disk.join("sandbox")}: no space is left`,
            fix: "Free some space there, or make the folder writable.",
          }
        : { works: true, backend: "bubblewrap", reports: true, records: true }
    const root = join(import.meta.dir, "../../..")
    const script = join(root, "test/kit/sandbox-on-a-full-disk.ts")
    const mounts = ["--dev-bind", "/", "/", "--size", "65536", "--tmpfs", disk.path]
    const child = Bun.spawn([bwrap ?? "", ...mounts, process.execPath, script, ...places, disk.path, work.path], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    })
    const [printed, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect(errors).toBe("")
    expect(JSON.parse(printed)).toEqual({
      before: [true, true],
      full: [false, false],
      why: `its files cannot be written in ${disk.join(full)}: no space is left`,
      check,
      freed: [true, true],
      again: true,
    })
  })
})
