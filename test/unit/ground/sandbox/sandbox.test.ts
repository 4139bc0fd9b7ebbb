/** Shutting a command in: what it may read, and that it cannot write, on a machine with bubblewrap. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { readOnlyProgram } from "#ground/sandbox/bubblewrap.ts"
import { openSandbox } from "#ground/sandbox/sandbox.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const probe = openSandbox({ platform: process.platform, mounts: () => ({ writable: [], readOnly: [] }) })
const works = await probe.works()

const program = (cwd: string, script: string) => ({
  file: "/bin/bash",
  argv: ["--noprofile", "--norc", "-c", script],
  cwd,
})

async function run({
  file,
  argv,
  cwd,
}: ReturnType<typeof program>): Promise<{ readonly code: number; readonly out: string }> {
  const child = Bun.spawn([file, ...argv], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [code, out] = await Promise.all([child.exited, new Response(child.stdout).text()])
  return { code, out }
}

test.skipIf(!works)("the workspace can be read and not written, also where it lies in a folder that can", async () => {
  using folder = temporaryFolder()
  for (const name of ["project", "scratch", "tmp"]) mkdirSync(folder.join(name))
  writeFileSync(folder.join("project", "a.txt"), "here")
  const sandbox = openSandbox({
    platform: "linux",
    mounts: () => ({ writable: [folder.path], readOnly: [folder.join("project")] }),
  })
  const script = `cat a.txt; echo x > a.txt; echo x > new.txt; rm a.txt; mkdir d; chmod 777 a.txt; echo y > ../tmp/t; echo z > ../scratch/s; echo w > /etc/codewright-test; echo > /dev/null && echo null; pwd`
  const { out } = await run(await sandbox.readOnly(program(folder.join("project"), script), [folder.join("scratch")]))
  expect(out).toBe(`herenull\n${folder.join("project")}\n`)
  expect(readFileSync(folder.join("project", "a.txt"), "utf8")).toBe("here")
  expect(["project/new.txt", "project/d"].map((name) => existsSync(folder.join(name)))).toEqual([false, false])
  expect(existsSync("/etc/codewright-test")).toBe(false)
  expect(readFileSync(folder.join("tmp", "t"), "utf8")).toBe("y\n")
  expect(readFileSync(folder.join("scratch", "s"), "utf8")).toBe("z\n")
})

test.skipIf(!works)("exit codes come through, and a folder that is gone keeps nothing from running", async () => {
  using folder = temporaryFolder()
  const sandbox = openSandbox({
    platform: "linux",
    mounts: () => ({ writable: ["/nowhere/at/all"], readOnly: [folder.join("gone")] }),
  })
  expect((await run(await sandbox.readOnly(program(folder.path, "exit 7"), []))).code).toBe(7)
})

test("without bubblewrap, or with one that does not work, programs run as they are", async () => {
  const mounts = () => ({ writable: [], readOnly: [] })
  const plain = program("/", "true")
  for (const sandbox of [
    openSandbox({ platform: "darwin", mounts }),
    openSandbox({ platform: "linux", mounts, places: ["/nowhere/bwrap"] }),
    openSandbox({ platform: "linux", mounts, places: ["/bin/false"] }),
    openSandbox({ platform: "linux", mounts, places: ["/etc/hostname"] }),
  ]) {
    expect(await sandbox.works()).toBe(false)
    expect(await sandbox.readOnly(plain, [])).toBe(plain)
  }
})

test("words of the command stay words: nothing of it is read as an option", () => {
  const { argv } = readOnlyProgram(
    "/usr/bin/bwrap",
    { file: "/bin/echo", argv: ["--bind", "/", "/"], cwd: "/" },
    { writable: [], readOnly: [], needed: [] },
  )
  expect(argv.slice(argv.indexOf("--"))).toEqual(["--", "/bin/echo", "--bind", "/", "/"])
})
