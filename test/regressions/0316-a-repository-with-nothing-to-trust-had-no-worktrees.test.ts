/**
 * A repository whose files say nothing that needs trust is never asked about, so it was never trusted: `--bg` worked in
 * the user's folder without a word, and `worktree merge` asked to start Codewright there once, which changed nothing.
 */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openBackgroundWorld } from "../kit/background-world.ts"

test("a background session has a worktree of its own, which is listed and merged, without any trust", async () => {
  await using world = await openBackgroundWorld(({ body }) =>
    JSON.stringify(body.messages).includes("tool_result")
      ? { content: "Done." }
      : { content: [{ tool: "Write", input: { file_path: "made.txt", content: "made\n" } }] },
  )
  const { place } = world
  const git = (...argv: readonly string[]) => Bun.spawnSync(["git", ...argv], { cwd: place.work }).stdout.toString()
  git("init", "-q", "-b", "main")
  for (const [name, value] of [
    ["user.name", "a"],
    ["user.email", "a@b"],
  ] as const)
    git("config", name, value)
  git("commit", "-q", "--allow-empty", "-m", "first")
  const start = async (...flags: readonly string[]) => {
    const { stdout, stderr } = await world.run(
      "--bg",
      "--json",
      "--permission-mode",
      "acceptEdits",
      ...flags,
      "--",
      "go",
    )
    const { id, folder } = JSON.parse(stdout)
    await world.until(id, "done")
    return { isHere: folder === place.work, said: stderr.includes("For a worktree of its own, add --trust.") }
  }
  expect(await start("--worktree", "one")).toEqual({ isHere: false, said: false })
  expect(await start()).toEqual({ isHere: false, said: false })
  await world.ended()
  expect((await world.run("worktree", "list")).stdout).toContain("one")
  expect(await world.run("worktree", "merge", "one")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Merged one into main"),
  })
  expect(await place.read("made.txt")).toBe("made\n")

  // What needs trust and has none is told, and nothing of git is run there.
  place.write(".mcp.json", JSON.stringify({ mcpServers: { a: { command: join(place.work, "server") } } }))
  expect(await start()).toEqual({ isHere: true, said: true })
  expect(await world.run("worktree", "list")).toMatchObject({ code: 1, stderr: expect.stringContaining("trust") })
  await world.ended()
})
