/** Old sessions and debug logs are removed once a day, also where nobody ever opens a terminal. */

import { expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { existsSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { projectSlug } from "#ground/settings/state-folder.ts"
import { cleaningMark } from "#ground/transcript/cleaning.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"

const days = (count: number): Date => new Date(Date.now() - count * 24 * 60 * 60 * 1000)

test("a run without a terminal cleans up, and not again on the same day", async () => {
  using place = openPlace()
  const old = {
    session: join(place.state, "projects", "-somewhere", "11111111-1111-4111-8111-111111111111.jsonl"),
    log: join(place.state, "logs", "old.jsonl"),
  }
  const fresh = join(place.state, "logs", "fresh.jsonl")
  const age = (): void => {
    for (const path of [old.session, old.log]) {
      place.write(path, "{}\n")
      utimesSync(path, days(40), days(40))
    }
  }
  place.write(fresh, "{}\n")
  age()
  expect(await runCodewright({ place, argv: ["-p", "hi"], scenario: ["Hello."] })).toMatchObject({ code: 0 })
  expect([existsSync(old.session), existsSync(old.log), existsSync(fresh)]).toEqual([false, false, true])
  age()
  expect(await runCodewright({ place, argv: ["-p", "hi"], scenario: ["Hello."] })).toMatchObject({ code: 0 })
  expect([existsSync(old.session), existsSync(old.log)]).toEqual([true, true])
})

test("unchanged worktrees of agents are removed when they are old; those with changes are kept and named", async () => {
  using place = openPlace({ "a.txt": "one\n" })
  const git = (...argv: readonly string[]): void => {
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    const ran = spawnSync("git", [...who, ...argv], {
      cwd: place.work,
      env: { PATH: "/usr/bin:/bin", HOME: place.home },
    })
    if (ran.status !== 0) throw new Error(String(ran.stderr))
  }
  git("init", "-q")
  git("add", "-A")
  git("commit", "-qm", "first")
  const folder = join(place.state, "worktrees", projectSlug(place.work))
  const paths = ["unchanged", "changed", "fresh"].map((name) => join(folder, name))
  const names = ["unchanged", "changed", "fresh"]
  for (const name of names) git("worktree", "add", "-q", "-b", `codewright/${name}`, join(folder, name), "HEAD")
  place.write(join(folder, "changed/a.txt"), "two\n")
  for (const path of paths.slice(0, 2)) utimesSync(path, days(40), days(40))
  const there = (): readonly string[] => names.filter((name) => existsSync(join(folder, name)))
  const clean = async (...more: readonly string[]): Promise<void> => {
    await Bun.file(cleaningMark(place.state))
      .delete()
      .catch(() => {})
    expect(await runCodewright({ place, argv: ["-p", "hi", ...more], scenario: ["Hello."] })).toMatchObject({ code: 0 })
  }
  await clean()
  expect(there()).toEqual(names)
  await clean("--trust")
  expect(there()).toEqual(["changed", "fresh"])
  const doctor = await runCodewright({ place, argv: ["doctor"] })
  expect(doctor.stdout).toContain(join(folder, "changed"))
})

test("du says what is used, by kind and by session, and what a clean-up would free", async () => {
  using place = openPlace()
  const run = (...argv: readonly string[]) => runCodewright({ place, argv, scenario: ["Hello."] })
  expect(await run("-p", "hi", "--name", "a greeting")).toMatchObject({ code: 0 })
  const [log = ""] = new Bun.Glob("projects/*/*.jsonl").scanSync({ cwd: place.state, absolute: true })
  place.write(`${log.replace(/\.jsonl$/, "")}/tool-results/bash-1.txt`, "x".repeat(5000))
  const old = place.write(join(place.state, "logs", "old.jsonl"), "x".repeat(70))
  utimesSync(old, days(40), days(40))
  const use = JSON.parse((await run("sessions", "du", "--json")).stdout)
  const bytes = Bun.file(log).size
  expect(use).toMatchObject({
    sessions: [{ id: log.slice(-42, -6), log: bytes, outputs: 5000, title: "a greeting", open: false }],
    cleanup: { bytes: 70, sessions: [], files: 1 },
  })
  expect(use.total).toBeGreaterThanOrEqual(bytes + 5070)
  expect(use.kinds).toContainEqual({ kind: "outputs", bytes: 5000, files: 1 })
  const text = await run("sessions", "du")
  expect(text.stdout).toContain("  5.0 kB  outputs of commands and tools (1 file)\n")
  expect(text.stdout).toContain("a greeting\n")
  expect(text.stdout).toEndWith("The daily clean-up would free 70 B: 1 old or cached file.\n")
  expect(await run("sessions", "du", "all")).toMatchObject({ code: 1, stderr: expect.stringContaining("no arguments") })
})
