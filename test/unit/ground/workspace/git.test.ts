import { describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { findRepository } from "#ground/workspace/git/git.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

describe("a git repository, without running git", () => {
  test("is found from a folder inside it, with its branch", () => {
    using folder = temporaryFolder()
    mkdirSync(folder.join(".git"))
    mkdirSync(folder.join("a/b"), { recursive: true })
    writeFileSync(folder.join(".git/HEAD"), "ref: refs/heads/feature/x\n")
    expect(findRepository(folder.join("a/b"))).toEqual({ root: folder.path, branch: "feature/x" })
  })

  test("a detached head is named by its commit, a worktree by its own head", () => {
    using folder = temporaryFolder()
    mkdirSync(folder.join("main/.git/worktrees/w"), { recursive: true })
    mkdirSync(folder.join("w"))
    writeFileSync(folder.join("main/.git/HEAD"), "0123456789abcdef0123456789abcdef01234567\n")
    writeFileSync(folder.join("w/.git"), "gitdir: ../main/.git/worktrees/w\n")
    writeFileSync(folder.join("main/.git/worktrees/w/HEAD"), "ref: refs/heads/side\n")
    expect(findRepository(folder.join("main"))?.branch).toBe("0123456789ab")
    expect(findRepository(folder.join("w"))?.branch).toBe("side")
  })

  test("what is not a small plain file is not believed", () => {
    using folder = temporaryFolder()
    mkdirSync(folder.join(".git"))
    Bun.spawnSync(["mkfifo", folder.join(".git/HEAD")])
    expect(findRepository(folder.path)).toBeUndefined()
    mkdirSync(folder.join("big/.git"), { recursive: true })
    writeFileSync(folder.join("big/.git/HEAD"), `ref: refs/heads/${"x".repeat(10_000)}`)
    expect(findRepository(folder.join("big"))).toBeUndefined()
  })
})
