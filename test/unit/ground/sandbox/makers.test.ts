/** The helper and bubblewrap make the same sandbox: whatever the policy, each path can be read and written alike. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { bubblewrapPaths } from "#ground/sandbox/bubblewrap.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import type { Sandbox } from "#ground/sandbox/port.ts"
import { openSandbox } from "#ground/sandbox/sandbox.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { bwrap } from "../../../kit/confine.ts"
import { lastingFolder, temporaryFolder } from "../../../kit/tmp.ts"
import { runs } from "../../../kit/runs.ts"

const top = lastingFolder()
const open = (places?: readonly string[]): Sandbox =>
  openSandbox({
    platform: process.platform,
    ids: systemIds,
    clock: systemClock,
    registry: join(top, "placeholders"),
    confine: () => confinePath({ cacheFolder: join(top, "cache"), pid: process.pid }),
    folder: join(top, systemIds.uuid()),
    ...(places && { places }),
  })

async function printed(sandbox: Sandbox, policy: Policy, cwd: string, script: string): Promise<string> {
  const program = { file: "/bin/bash", argv: ["--norc", "-c", script], cwd, env: { PATH: "/usr/bin:/bin" } }
  const wrapped = await sandbox.wrap({ program, policy, needed: { reads: [], writes: [] } })
  if (!wrapped.ok) throw new Error(wrapped.failure.why)
  const { file, argv, env } = wrapped.value.program
  const child = Bun.spawn([file, ...argv], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  const [said, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (!wrapped.value.started()) throw new Error(errors)
  wrapped.value.finish()
  return said + errors
}

const line = (path: string) => ({ path, because: "a test" })
const folders = ["a", "a/b", "a/b/c", "a/d", "e", "e/f"]
const files = folders.map((folder) => `${folder}/file`)

const plain = (folder: string): Policy => ({
  name: "workspace",
  writes: [],
  held: [],
  hidden: [],
  temp: { folder: join(folder, "temp"), asTmp: true },
  network: { mode: "off", because: "a test" },
  limits: { processes: 200, memoryBytes: 2 ** 31 },
})

/** Nothing is changed by it: a file that can be made is removed again. */
const look = `for d in ${folders.join(" ")}; do
  ls $d >/dev/null 2>&1 && printf "$d:listed " || printf "$d:shut "
  { : > $d/new; } 2>/dev/null && { printf "made "; rm $d/new; }
done
for f in ${files.join(" ")}; do
  { cat $f; } >/dev/null 2>&1 && printf "$f:read "
  { : >> $f; } 2>/dev/null && printf "written "
done
mv a z 2>/dev/null && { printf "moved"; mv z a; }; echo`

describe.skipIf(bwrap === null)("the helper and bubblewrap", () => {
  test("give the same view of every policy", async () => {
    using work = temporaryFolder()
    for (const folder of folders) {
      mkdirSync(work.join(folder), { recursive: true })
      writeFileSync(work.join(folder, "file"), "text")
    }
    const some = fc.uniqueArray(fc.constantFrom(...folders, ...files), { maxLength: 3 })
    const [helper, other] = [open(), open(bubblewrapPaths)]
    await fc.assert(
      fc.asyncProperty(some, some, some, some, async (writes, held, hidden, shown) => {
        const lines = (names: readonly string[]) => names.map((name) => line(work.join(name)))
        const seenBy = (sandbox: Sandbox): Promise<string> => {
          // A new one each time: the work folder lies in /tmp, so places for it are made in the private one.
          const temp = { folder: work.join(systemIds.uuid()), asTmp: true }
          const more = { writes: lines(writes), held: lines(held), hidden: lines(hidden), shown: lines(shown) }
          return printed(sandbox, { ...plain(work.path), ...more, temp }, work.path, look)
        }
        const [ours, theirs] = [await seenBy(helper), await seenBy(other)]
        expect(ours).toBe(theirs)
        expect(ours).toContain("a:")
      }),
      { ...runs(20) },
    )
    await Promise.all([helper.close(), other.close()])
  })

  test("leave the same rights, devices, namespaces and limits", async () => {
    using work = temporaryFolder()
    const script = `id; grep -E 'Cap|NoNewPrivs|Seccomp:' /proc/self/status; cat /proc/self/uid_map /proc/self/gid_map
      ls -A /run; ls /dev; ls -l /dev/null | cut -c1-10; echo x > /dev/null; ulimit -c; echo $$ > /proc/self/oom_score_adj
      head -c 3 /dev/urandom | wc -c; echo > /dev/tty; readlink /dev/fd; stat -c '%a %F' /dev /dev/shm /dev/pts /dev/ptmx
      cat /proc/net/dev | wc -l; ls /proc/1/root /proc/1/fd; cat /proc/1/comm; echo $PPID; grep -c shared: /proc/self/mountinfo
      grep -E ' /(proc|dev|dev/pts|tmp) ' /proc/self/mountinfo | tail -4 | cut -d' ' -f5,6 | sort; umask; pwd`
    const [helper, other] = [open(), open(bubblewrapPaths)]
    const policy = { ...plain(work.path), writes: [line(work.path)] }
    const [ours, theirs] = [
      await printed(helper, policy, work.path, script),
      await printed(other, policy, work.path, script),
    ]
    expect(ours.split("\n")).toEqual(theirs.split("\n"))
    await Promise.all([helper.close(), other.close()])
  })

  test("a path of ours through a link is placed where it leads", async () => {
    using work = temporaryFolder()
    mkdirSync(work.join("real/project"), { recursive: true })
    symlinkSync("real", work.join("link"))
    const temp = { folder: work.join("link/temp"), asTmp: false }
    const policy = { ...plain(work.path), temp, writes: [line(work.join("real/project"))] }
    const sandbox = open()
    expect(
      await printed(sandbox, policy, work.join("link/project"), "touch here $TMPDIR/there && ls $TMPDIR; pwd -P"),
    ).toBe(`there\n${work.join("real/project")}\n`)
    await sandbox.close()
  })

  test("where a link has been put in the way since, the program is not started", async () => {
    using work = temporaryFolder()
    mkdirSync(work.join("project/held"), { recursive: true })
    const policy = {
      ...plain(work.path),
      writes: [line(work.join("project"))],
      held: [line(work.join("project/held"))],
    }
    const sandbox = open()
    const program = { file: "/bin/sh", argv: ["-c", "echo ran"], cwd: "/", env: {} }
    const wrapped = await sandbox.wrap({ program, policy, needed: { reads: [], writes: [] } })
    if (!wrapped.ok) throw new Error(wrapped.failure.why)
    rmSync(work.join("project/held"), { recursive: true })
    mkdirSync(work.join("elsewhere"))
    symlinkSync("../elsewhere", work.join("project/held"))
    const child = Bun.spawn([wrapped.value.program.file, ...wrapped.value.program.argv], {
      stdio: ["ignore", "pipe", "pipe"],
    })
    const [said, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect({ said, code, started: wrapped.value.started() }).toEqual({ said: "", code: 125, started: false })
    expect(errors).toContain(`confine: cannot find a place for ${work.join("project/held")}`)
    wrapped.value.finish()
    await sandbox.close()
  })
})
