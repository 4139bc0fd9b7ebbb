/**
 * Workers of one machine take turns at a mirror and at an environment by a lock file. One that was killed before it had written its number into it
 * stopped all others for ever, and two that found a left lock at once could both take it.
 */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { whileLocked } from "#ground/workspace/source/mirror-lock.ts"
import { systemClock } from "#lib/clock.ts"
import type { Preparing } from "../kit/fleet/preparing.ts"
import { helper } from "../kit/helper.ts"
import { temporaryFolder } from "../kit/tmp.ts"

const program = join(import.meta.dir, "../kit/fleet/preparing.ts")

test("a lock that a killed process left empty, or whose number another process has by now, stops nobody", async () => {
  using folder = temporaryFolder()
  for (const left of ["", `${process.ppid}\n`]) {
    writeFileSync(folder.join("mirror.lock"), left)
    expect(await whileLocked(folder.join("mirror"), systemClock, async () => "done")).toBe("done")
    expect(existsSync(folder.join("mirror.lock"))).toBe(false)
  }
})

test("however many find a left lock at once, one at a time has it", async () => {
  using folder = temporaryFolder()
  const gone = Bun.spawnSync(["true"]).pid
  const script = `
    import { whileLocked } from "#ground/workspace/source/mirror-lock.ts"
    import { systemClock } from "#lib/clock.ts"
    import { appendFileSync } from "node:fs"
    for (let turn = 0; turn < 15; turn++) await whileLocked(process.argv[2], systemClock, async () => {
      appendFileSync(process.argv[3], "(")
      await Bun.sleep(Math.random() * 3)
      // Every third is killed with the lock in its hands; its place is taken.
      if (turn === 7 && process.argv[4] === "killed") process.kill(process.pid, "SIGKILL")
      appendFileSync(process.argv[3], ")")
    })`
  const file = join(import.meta.dir, `../kit/fleet/locking-${process.pid}.ts`)
  writeFileSync(file, script)
  try {
    writeFileSync(folder.join("m.lock"), String(gone))
    const all = Array.from({ length: 6 }, (_, nth) =>
      Bun.spawn([process.execPath, file, folder.join("m"), folder.join("seen"), nth % 3 === 0 ? "killed" : "lives"], {
        stderr: "inherit",
      }),
    )
    const codes = await Promise.all(all.map(({ exited }) => exited))
    expect(codes.filter((code) => code === 0)).toHaveLength(4)
    // One that was killed did not close its bracket.
    const seen = readFileSync(folder.join("seen"), "utf8")
    expect(seen).toMatch(/^(?:\(\)?)+$/)
    expect(seen.split("()").length - 1).toBe(4 * 15 + 2 * 7)
    expect(seen.replaceAll("()", "")).toBe("((")
  } finally {
    rmSync(file)
  }
}, 120_000)

test("workers are killed while they fetch and prepare: an environment is there whole or not at all, and is made once", async () => {
  using folder = temporaryFolder(process.getuid?.() === 0 ? "/opt" : homedir())
  const source = folder.join("source")
  mkdirSync(source)
  mkdirSync(folder.join("home"))
  const git = "git -c user.name=a -c user.email=a@b"
  const begun = Bun.spawnSync(
    [
      "bash",
      "-ec",
      `git init -qb main && echo node_modules > .gitignore && head -c 3000000 /dev/urandom > large && git add -A && ${git} commit -qm base`,
    ],
    { cwd: source },
  )
  expect(begun.exitCode).toBe(0)
  const setup = "mkdir node_modules; echo 1 > node_modules/a; sleep 0.7; date +%N > node_modules/b"
  let names = 0
  const start = () => {
    const wish: Preparing = { folder: folder.path, source, name: String(++names), setup }
    return Bun.spawn([...helper(program), JSON.stringify(wish)], { stdout: "pipe", stderr: "ignore" })
  }
  // Killed at moments from the first fetch to the end of the setup, two at a time.
  for (let round = 0; round < 8; round++) {
    const two = [start(), start()]
    for (const child of two) {
      const reader = child.stdout.getReader()
      await reader.read()
      reader.releaseLock()
    }
    await Bun.sleep(round * 200)
    two[0]?.kill("SIGKILL")
    await Bun.sleep(50)
    two[1]?.kill("SIGKILL")
    await Promise.all(two.map(({ exited }) => exited))
    for (const name of readdirSync(folder.path).filter((each) => each.startsWith("clone-"))) {
      const modules = folder.join(name, "tree/node_modules")
      // A copy may have been cut off with its worker, but nothing half-made is kept for others.
      if (existsSync(modules)) expect(kept().length).toBe(1)
    }
  }
  function kept(): readonly string[] {
    const cache = folder.join("environments")
    return existsSync(cache) ? readdirSync(cache).filter((name) => /^[0-9a-f]{64}$/.test(name)) : []
  }
  const before = kept()[0]
  const made = before && readFileSync(folder.join("environments", before, "files/node_modules/b"), "utf8")
  const last = await Promise.all([start(), start(), start()].map((child) => child.stdout.text()))
  expect(last.map((text) => text.trim().split("\n").at(-1))).toEqual(["done", "done", "done"])
  expect(kept()).toHaveLength(1)
  const [a, b, c] = [names, names - 1, names - 2].map((name) =>
    readFileSync(folder.join(`clone-${name}/tree/node_modules/b`), "utf8"),
  )
  expect([b, c]).toEqual([a, a])
  if (made !== undefined) expect(a).toBe(made)
  expect(last.join("").split("Preparing an environment").length - 1).toBe(made === undefined ? 1 : 0)
  const fsck = Bun.spawnSync([
    "bash",
    "-c",
    `for m in ${folder.path}/mirrors/*.git; do git --git-dir=$m fsck --connectivity-only || exit 1; done`,
  ])
  expect(fsck.exitCode).toBe(0)
  expect(readdirSync(folder.join("mirrors")).filter((name) => name.endsWith(".git"))).toHaveLength(1)
}, 300_000)
