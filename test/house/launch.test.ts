/** The launcher and the scripts around it, run as a person would run them. */

import { afterAll, expect, test } from "bun:test"
import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dir, "../..")
const place = await realpath(await mkdtemp(join(tmpdir(), "codewright-launch-")))
afterAll(() => rm(place, { recursive: true }))

/** A folder that tries to get its own code and variables into whatever runs in it. */
async function hostileFolder(): Promise<string> {
  const folder = join(place, "hostile")
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, "bunfig.toml"), 'preload = ["./evil.ts"]\n[define]\nEVIL = "true"\n')
  await writeFile(join(folder, "evil.ts"), 'console.log("evil ran")')
  await writeFile(join(folder, ".env"), "EVIL_ENV=1")
  await writeFile(join(folder, ".env.local"), "EVIL_LOCAL=1")
  await writeFile(join(folder, "package.json"), '{ "imports": { "#*": "./*" } }')
  await writeFile(join(folder, "tsconfig.json"), '{ "compilerOptions": { "paths": { "#*": ["./*"] } } }')
  return folder
}

/** A house with the real launcher and a program that only tells what it sees. */
async function smallHouse(): Promise<string> {
  const house = join(place, "house")
  await mkdir(join(house, "src/lib"), { recursive: true })
  await cp(join(root, "bin"), join(house, "bin"), { recursive: true })
  await writeFile(join(house, "package.json"), '{ "type": "module", "imports": { "#*": "./src/*" } }')
  await writeFile(join(house, "src/lib/evil.ts"), "export const evil = 'no'")
  await writeFile(
    join(house, "src/main.ts"),
    `import { evil } from "#lib/evil.ts"
     const { EVIL_ENV, EVIL_LOCAL } = process.env
     console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), evil, EVIL_ENV, EVIL_LOCAL, define: typeof EVIL }))`,
  )
  return house
}

function run(
  argv: readonly string[],
  cwd: string,
): { readonly code: number; readonly out: string; readonly err: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...argv], {
    cwd,
    stdin: "ignore",
    env: { PATH: process.env["PATH"] ?? "", HOME: place },
  })
  return { code: exitCode, out: stdout.toString(), err: stderr.toString() }
}

test("the launcher works through links from any folder, and loads nothing from that folder", async () => {
  const [house, folder] = [await smallHouse(), await hostileFolder()]
  await symlink(join(root, "node_modules"), join(house, "node_modules"))
  await symlink(join(house, "bin/codewright"), join(place, "first"))
  await symlink("first", join(place, "second"))
  const seen = { args: ["-p", "two  words", "--help"], cwd: folder, evil: "no", define: "undefined" }
  for (const launcher of [
    join(house, "bin/codewright"),
    "../house/bin/codewright",
    join(place, "second"),
    "../second",
  ]) {
    const { code, out } = run([launcher, ...seen.args], folder)
    expect(JSON.parse(out)).toEqual(seen)
    expect(code).toBe(0)
  }
  // The folder is hostile indeed: without the launcher's flags it gets in.
  expect(run([process.execPath, join(house, "src/main.ts")], folder).out).toContain("evil ran")
  await rm(join(house, "node_modules"))
})

test("without its packages the launcher says what to run", async () => {
  const house = await smallHouse()
  const { code, out, err } = run([join(house, "bin/codewright")], place)
  expect({ code, out }).toEqual({ code: 1, out: "" })
  expect(err).toBe(`Codewright is not set up yet. Run 'npm ci' (or 'npm start') once in ${house}.\n`)
})

test("the closing summary of a test run is counted, and a run that dies counts as a failure", async () => {
  const { summaryOf } = await import(join(root, "scripts/summary.mjs"))
  const said =
    "(fail) x\n 9 pass\nnoise\n\n 12 pass\n 2 skip\n 1 todo\n 3 fail\n 1 error\n 40 expect() calls\nRan 18 tests across 3 files. [7.00ms]\n"
  expect(summaryOf({ code: 1, output: said })).toEqual({ passed: 12, failed: 3, skipped: 3 })
  expect(summaryOf({ code: 132, output: "panic" })).toEqual({ passed: 0, failed: 1, skipped: 0 })
  expect(summaryOf({ code: 0, output: " 5 pass\n 0 fail\nRan 5 tests across 1 file. [7.00ms]\n" })).toEqual({
    passed: 5,
    failed: 0,
    skipped: 0,
  })
})

test("the files of failed tests are told, so that they can be run once more alone", async () => {
  const { failedFiles } = await import(join(root, "scripts/summary.mjs"))
  const said =
    "test/a.test.ts:\n(pass) one\n\ntest/b.test.ts:\nerror: x\n(fail) two\n(fail) three\n\ntest/c.test.tsx:\n(fail) four\n\n3 tests failed:\n(fail) two\n"
  expect(failedFiles(`${said}\nRan 4 tests across 3 files. [7.00ms]\n`)).toEqual(["test/b.test.ts", "test/c.test.tsx"])
  // After a crash nothing says what was left out; and a counterexample stays one.
  expect(failedFiles(said)).toEqual([])
  expect(failedFiles(`${said}error: Property failed after 14 tests\n\nRan 4 tests across 3 files.\n`)).toEqual([])
})

test("a fresh clone that cannot install says so in a few lines", async () => {
  const clone = join(place, "clone")
  await cp(join(root, "scripts"), join(clone, "scripts"), { recursive: true })
  await cp(join(root, "package-lock.json"), join(clone, "package-lock.json"))
  await mkdir(join(place, "bin"))
  // Stands for npm on a machine without a network.
  await writeFile(join(place, "bin/npm"), '#!/bin/sh\necho "npm error network request failed" >&2\nexit 1\n')
  await chmod(join(place, "bin/npm"), 0o755)
  const { exitCode, stderr } = Bun.spawnSync(["node", "scripts/setup.mjs"], {
    cwd: clone,
    stdin: "ignore",
    env: { PATH: `${place}/bin:${process.env["PATH"]}`, HOME: place },
  })
  expect(exitCode).toBe(1)
  expect(stderr.toString()).toContain("check the network")
  expect(stderr.toString()).toEndWith("npm said:\nnpm error network request failed\n")
})
