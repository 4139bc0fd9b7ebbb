/** Git reads the worktrees of others while it makes one, and fails if one of them is half made. */

import { expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { openWorktrees } from "#ground/workspace/git/worktree.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("eight worktrees that are made at once are all made", async () => {
  using folder = temporaryFolder()
  const repository = folder.join("repository")
  mkdirSync(repository)
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
  for (const argv of [
    ["init", "-q"],
    ["commit", "-qm", "first", "--allow-empty"],
  ])
    expect(spawnSync("git", [...who, ...argv], { cwd: repository }).status).toBe(0)
  const scratch = folder.join("scratch")
  mkdirSync(scratch)
  const processes = openProcesses({ clock: systemClock, ids: systemIds, scratch, graceMs: 500, drainMs: 100 })
  const parts = {
    processes,
    clock: systemClock,
    env: () => ({ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder.path }),
    repository,
    folder: folder.join("worktrees"),
  }
  const { signal } = new AbortController()
  const names = Array.from({ length: 8 }, (_, i) => `w${i}`)
  const made = await Promise.all(names.map((name) => openWorktrees(parts).open(name, signal)))
  expect(made.flatMap((one) => (one.ok ? [] : [one.failure]))).toEqual([])
  await processes.close()
})
