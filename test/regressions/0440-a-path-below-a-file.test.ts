/** A path below a file, or in a circle of links, was a bug of ours: the system says more than "not found" of what is not there. */

import { expect, test } from "bun:test"
import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { openFileFinder } from "#faces/cli/terminal/find-files.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openTestRepository } from "../kit/repository.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const bug = /because of a bug/

test("a state folder that cannot be there is named by doctor", async () => {
  using place = openPlace()
  const file = place.write(join(place.path, "file"), "")
  const circle = join(place.path, "circle")
  symlinkSync(circle, circle)
  for (const [state, named] of [
    [join(file, "state"), file],
    [file, file],
    [circle, circle],
    [join(circle, "state"), circle],
  ] as const) {
    const { code, stdout, stderr } = await runCodewright({ argv: ["doctor"], place, env: { CODEWRIGHT_HOME: state } })
    expect([state, code, stderr]).toEqual([state, 1, ""])
    expect(stdout).toContain(`state folder: ${named} is not a folder. Set CODEWRIGHT_HOME to a writable folder.`)
    expect(stdout).not.toMatch(bug)
  }
})

test("plugins are listed, and who installs one hears what is in the way", async () => {
  using place = openPlace({ "plugin/plugin.json": "{}" })
  const file = place.write(join(place.path, "file"), "")
  const env = { CODEWRIGHT_HOME: join(file, "state") }
  const run = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await runCodewright({ argv, place, env })
    return [code, stdout + stderr] as const
  }
  const [code, text] = await run("plugin", "list")
  expect([code, text]).toEqual([0, expect.stringContaining("No plugins are installed.")])
  expect(await run("plugin", "marketplace", "add", `${file}/x`)).toEqual([
    1,
    expect.stringContaining(`${file}/x does not exist or is not a folder.`),
  ])
  expect(await run("plugin", "install", "./plugin")).toEqual([
    1,
    expect.stringMatching(/^error: The folder .*\/file\/state\/plugins\/staging\/.* cannot be created \(ENOTDIR\)\./),
  ])
})

test("nothing is imported from below a file", async () => {
  using place = openPlace()
  const home = place.write(join(place.path, "file"), "")
  for (const source of ["claude", "codex", "gemini", "opencode"]) {
    const { code, stdout, stderr } = await runCodewright({ argv: ["import", source], place, env: { HOME: home } })
    expect([source, code, stderr]).toEqual([source, 0, ""])
    expect(stdout).toContain("Nothing to import.")
  }
})

test("a mention finds files although a folder of git's list became a file", async () => {
  await using repository = await openTestRepository()
  const { root, put, git } = repository
  // Git's own list is read where its index is long.
  const long = `${"n".repeat(200)}/${"m".repeat(200)}`
  for (const folder of [long, "gone"]) mkdirSync(join(root, folder), { recursive: true })
  for (let i = 0; i < 3_000; i++) put(`${long}/${i}.ts`, "")
  put("gone/needle.ts", "")
  put("needless.ts", "")
  git("add", ".")
  rmSync(join(root, "gone"), { recursive: true })
  put("gone", "")
  const find = openFileFinder({
    folder: root,
    home: root,
    cacheFolder: join(root, ".git"),
    added: [],
    ignored: "hidden",
    env: () => ({}),
  })
  const signal = new AbortController().signal
  await find("", signal)
  expect(await find("needle", signal)).toEqual(["needless.ts"])
})

test("a command in a folder that became a file", async () => {
  using place = openPlace({ file: "" })
  const processes = openProcesses({
    clock: systemClock,
    ids: systemIds,
    scratch: join(place.path, "scratch"),
    graceMs: 100,
    drainMs: 100,
  })
  const cwd = join(place.work, "file/below")
  const options = { file: "true", argv: [], cwd, env: {}, input: "", timeoutMs: 10_000, mostBytes: 10 }
  const fed = processes.feed({ ...options, signal: new AbortController().signal })
  await processes.close()
  expect(fed).toEqual({ ok: false, failure: { kind: "no_folder", path: cwd } })
})
