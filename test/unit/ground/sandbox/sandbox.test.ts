/** Confining a command, on a machine with bubblewrap: what it may read and write, and that it fails closed. */

import { describe, expect, test } from "bun:test"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { bubblewrapPaths } from "#ground/sandbox/bubblewrap.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import type { Sandbox } from "#ground/sandbox/port.ts"
import { openSandbox, type SandboxOptions } from "#ground/sandbox/sandbox.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { lastingFolder, temporaryFolder } from "../../../kit/tmp.ts"

const top = lastingFolder()
const open = (more: Partial<SandboxOptions> = {}) =>
  openSandbox({
    platform: process.platform,
    ids: systemIds,
    clock: systemClock,
    registry: join(top, "placeholders"),
    confine: () => confinePath({ cacheFolder: join(top, "cache"), pid: process.pid }),
    folder: join(top, systemIds.uuid()),
    ...more,
  })
const { works } = await open().check()

const line = (path: string) => ({ path, because: "a test" })

const policyFor = (parts: Partial<Policy>): Policy => ({
  name: "workspace",
  writes: [],
  held: [],
  hidden: [],
  temp: { folder: join(top, "temp"), asTmp: false },
  network: { mode: "off", because: "a test" },
  limits: { processes: 200, memoryBytes: 2 ** 31 },
  ...parts,
})

/** Without places our helper makes the sandbox. */
const makers: readonly [string, Partial<SandboxOptions>][] = [
  ["our helper", {}],
  ["bubblewrap", { places: bubblewrapPaths }],
]

async function run(cwd: string, script: string, parts: Partial<Policy>, sandbox: Sandbox) {
  const program = {
    file: "/bin/bash",
    argv: ["--noprofile", "--norc", "-c", script],
    cwd,
    env: { PATH: "/usr/bin:/bin", SSH_AUTH_SOCK: "/run/agent" },
  }
  const wrapped = await sandbox.wrap({ program, policy: policyFor(parts), needed: { reads: [], writes: [] } })
  if (!wrapped.ok) throw new Error(wrapped.failure.why)
  const { file, argv, env } = wrapped.value.program
  const child = Bun.spawn([file, ...argv], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [code, out] = await Promise.all([child.exited, new Response(child.stdout).text()])
  const [violations, started] = [wrapped.value.violations(), wrapped.value.started()]
  wrapped.value.finish()
  await sandbox.close()
  return { code, out, violations, started }
}

describe.skipIf(!works).each(makers)("confined by %s", (_maker, made) => {
  const inside = (cwd: string, script: string, parts: Partial<Policy>) => run(cwd, script, parts, open(made))

  test("only what the policy names can be written, and what was tried is reported", async () => {
    using folder = temporaryFolder()
    for (const name of ["project/.git/hooks", "outside", "secrets"]) mkdirSync(folder.join(name), { recursive: true })
    writeFileSync(folder.join("secrets", "key"), "k")
    writeFileSync(folder.join("project", "a.txt"), "here")
    const project = folder.join("project")
    const script = `cat a.txt; echo x > new.txt; echo x > .git/hooks/post-commit; mv .git g; mkdir -p .settings; echo x > .settings/s; cat ../secrets/key; echo w > ../outside/w; echo n > /dev/null && echo " null"; echo $TMPDIR; echo "[$SSH_AUTH_SOCK]"; touch $TMPDIR/t && pwd; exit 7`
    const { code, out, started, violations } = await inside(project, script, {
      writes: [line(project)],
      held: [
        line(join(project, ".git/hooks")),
        { ...line(join(project, ".settings")), placeholder: { kind: "folder" } },
      ],
      hidden: [line(folder.join("secrets"))],
    })
    expect(out).toBe(`here null\n${join(top, "temp")}\n[]\n${project}\n`)
    expect({ code, started }).toEqual({ code: 7, started: true })
    expect(readdirSync(project).sort()).toEqual([".git", "a.txt", "new.txt"])
    expect(readdirSync(join(project, ".git/hooks"))).toEqual([])
    expect(readdirSync(folder.join("outside"))).toEqual([])
    expect(violations.filter(({ kind }) => kind === "write")).toEqual([
      { kind: "write", path: join(project, ".git/hooks/post-commit") },
      { kind: "write", path: join(project, ".settings/s") },
      { kind: "write", path: folder.join("outside/w") },
    ])
  })

  test("/tmp is its own where the policy says so", async () => {
    using folder = temporaryFolder()
    const temp = { folder: folder.join("private"), asTmp: true }
    const { out } = await inside(
      "/",
      "echo $TMPDIR; echo x > /tmp/codewright-x; ls /tmp/codewright-x /var/tmp/codewright-x",
      { temp },
    )
    expect(out).toBe("/tmp\n/tmp/codewright-x\n/var/tmp/codewright-x\n")
    expect(existsSync("/tmp/codewright-x")).toBe(false)
    expect(readFileSync(folder.join("private", "codewright-x"), "utf8")).toBe("x\n")
  })

  test("a folder that is gone keeps nothing from running", async () => {
    expect((await inside("/", "exit 3", { writes: [line("/nowhere/at/all")], hidden: [line("/nowhere")] })).code).toBe(
      3,
    )
  })

  test("processes left in the background end with the command", async () => {
    using folder = temporaryFolder()
    await inside(folder.path, `(sleep 0.3; echo late > late) & setsid sh -c 'sleep 0.3; echo late > later' &`, {
      writes: [line(folder.path)],
    })
    await Bun.sleep(600)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test("processes and memory are bounded", async () => {
    const limits = { processes: 40, memoryBytes: 300 * 2 ** 20 }
    const bomb = `for i in $(seq 100); do sleep 1 & done 2>&1 | grep -c . ; echo over`
    expect((await inside("/", bomb, { limits })).out).not.toBe("0\nover\n")
    expect((await inside("/", "head -c 600000000 /dev/zero | tail | wc -c", { limits })).out).not.toBe("600000000\n")
  })
})

test.skipIf(!works)("a trial that is under way when it ends leaves nothing behind", async () => {
  for (let i = 0; i < 5; i++) {
    const folder = join(top, systemIds.uuid())
    const sandbox = open({ folder })
    const checked = sandbox.check()
    for (let turns = 0; turns < i; turns++) await Bun.sleep(0)
    await sandbox.close()
    await checked
    expect(existsSync(folder)).toBe(false)
    expect(
      await sandbox.wrap({ program: trial, policy: policyFor({}), needed: { reads: [], writes: [] } }),
    ).toMatchObject({
      ok: false,
    })
    expect(existsSync(folder)).toBe(false)
  }
})

const trial = { file: "/bin/true", argv: [], cwd: "/", env: {} }

describe("nothing can be confined", () => {
  const none: readonly [string, Partial<SandboxOptions>][] = [
    ["on another system", { platform: "win32" }],
    ["without bubblewrap", { platform: "linux", places: ["/nowhere/bwrap"] }],
    ["with a bubblewrap that fails", { platform: "linux", places: ["/bin/false"] }],
    ["with something else in its place", { platform: "linux", places: ["/etc/hostname"] }],
  ]
  for (const [name, options] of none)
    test(name, async () => {
      const check = await open(options).check()
      expect(check.works).toBe(false)
      if (!check.works) expect([check.why, check.fix].every((text) => text.length > 10)).toBe(true)
    })

  test("when a folder for it cannot be made", async () => {
    const check = await open({ folder: "/proc/nowhere/x" }).check()
    expect(check.works).toBe(false)
  })

  test.skipIf(!works)("any more, once bubblewrap is gone: the program is not started", async () => {
    using folder = temporaryFolder()
    const bwrap = folder.join("bwrap")
    symlinkSync(bubblewrapPaths.find((path) => existsSync(path)) ?? "", bwrap)
    const sandbox = open({ places: [bwrap] })
    expect((await sandbox.check()).works).toBe(true)
    rmSync(bwrap)
    writeFileSync(bwrap, "#!/bin/sh\necho no namespaces >&2\nexit 1\n", { mode: 0o755 })
    const { code, started, out } = await run("/", "echo ran", {}, sandbox)
    expect({ code, started, out }).toEqual({ code: 1, started: false, out: "" })
  })

  test.skipIf(!works)("any more, once our helper may not make namespaces: the program is not started", async () => {
    using folder = temporaryFolder()
    const helper = folder.join("confine")
    copyFileSync((await confinePath({ cacheFolder: folder.path, pid: process.pid })) ?? "", helper)
    chmodSync(helper, 0o755)
    const sandbox = open({ confine: async () => helper })
    expect((await sandbox.check()).works).toBe(true)
    rmSync(helper)
    writeFileSync(helper, "#!/bin/sh\necho no namespaces >&2\nexit 125\n", { mode: 0o755 })
    const { code, started, out } = await run("/", "echo ran", {}, sandbox)
    expect({ code, started, out }).toEqual({ code: 125, started: false, out: "" })
  })

  test.skipIf(!works)("by our helper: bubblewrap does it", async () => {
    using folder = temporaryFolder()
    const helper = folder.join("confine")
    const real = (await confinePath({ cacheFolder: folder.path, pid: process.pid })) ?? ""
    const script = `#!/bin/sh\n[ "$1" = box ] && { echo "confine: cannot make namespaces" >&2; exit 125; }\nexec ${real} "$@"\n`
    writeFileSync(helper, script, { mode: 0o755 })
    const sandbox = open({ confine: async () => helper })
    const { code, started, out } = await run("/", "echo ran; touch /etc/x; exit 4", {}, sandbox)
    expect({ code, started, out }).toEqual({ code: 4, started: true, out: "ran\n" })
    expect(existsSync("/etc/x")).toBe(false)
  })
})
