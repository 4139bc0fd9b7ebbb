/** In a repository that nobody was asked to trust, a background session worked in the user's folder without a word. */

import { expect, test } from "bun:test"
import { openBackgroundWorld } from "../kit/background-world.ts"

test("--bg says why a session has no worktree of its own, and how it gets one", async () => {
  await using world = await openBackgroundWorld(() => ({ content: "Done." }))
  const { work } = world.place
  const git = (...argv: readonly string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd: work })
  git("init", "-q", "-b", "main")
  git("commit", "-q", "--allow-empty", "-m", "first")
  const start = async (...flags: readonly string[]) => {
    const { stdout, stderr } = await world.run("--bg", "--json", ...flags, "--", "go")
    const { id, folder } = JSON.parse(stdout)
    await world.until(id, "done")
    return { isHere: folder === work, said: stderr.includes("not trusted. For a worktree of its own, add --trust.") }
  }
  expect(await start()).toEqual({ isHere: true, said: true })
  expect(await start("--permission-mode", "plan")).toEqual({ isHere: true, said: false })
  expect(await start("--trust")).toEqual({ isHere: false, said: false })
  await world.ended()
})
