/** Merging a branch with real git: whole or not at all, and every reason why not by name. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openTestRepository } from "../../../kit/repository.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const ask = (branch: string, folder?: string) => ({
  branch,
  folder,
  message: `Merge ${branch}`,
  signal: new AbortController().signal,
})

test("a branch is merged as one commit that names it", async () => {
  await using t = await openTestRepository()
  t.branch("api", { "b.txt": "b\n", "naïve name.txt": "c\n" })
  expect(await t.merge(ask("api"))).toEqual({
    ok: true,
    value: { into: "main", commits: 1, files: ["b.txt", "naïve name.txt"] },
  })
  expect(t.git("log", "-1", "--format=%s %an")).toBe("Merge api Lead")
  expect(readFileSync(join(t.root, "b.txt"), "utf8")).toBe("b\n")
  expect(await t.merge(ask("api"))).toEqual({ ok: false, failure: { kind: "nothing_new", into: "main" } })
})

test("conflicts are named, and not a byte has changed", async () => {
  await using t = await openTestRepository()
  t.branch("api", { "a.txt": "two\n", "b.txt": "b\n" })
  t.put("a.txt", "three\n")
  t.git("commit", "-q", "--no-gpg-sign", "-am", "ours")
  const before = t.git("rev-parse", "HEAD")
  expect(await t.merge(ask("api"))).toEqual({
    ok: false,
    failure: { kind: "conflicts", files: ["a.txt"], into: "main" },
  })
  expect(t.git("rev-parse", "HEAD")).toBe(before)
  expect(t.git("status", "--porcelain")).toBe("")
  expect(existsSync(join(t.root, "b.txt"))).toBe(false)
})

test("what is not committed is in the way, here and where the branch was worked on", async () => {
  await using t = await openTestRepository()
  t.branch("api", { "a.txt": "two\n", "b.txt": "b\n" })
  t.put("a.txt", "changed\n")
  expect(await t.merge(ask("api"))).toEqual({
    ok: false,
    failure: { kind: "uncommitted", folder: t.root, files: ["a.txt"] },
  })
  t.git("checkout", "-q", "--", "a.txt")
  using elsewhere = temporaryFolder()
  const folder = elsewhere.join("tree")
  t.git("worktree", "add", "-q", folder, "api")
  writeFileSync(join(folder, "b.txt"), "more\n")
  expect(await t.merge(ask("api", folder))).toEqual({
    ok: false,
    failure: { kind: "uncommitted", folder, files: ["b.txt"] },
  })
})

test("an untracked file in the way is git's complaint, and stays", async () => {
  await using t = await openTestRepository()
  t.branch("api", { "b.txt": "b\n" })
  t.put("b.txt", "mine\n")
  expect(await t.merge(ask("api"))).toMatchObject({ ok: false, failure: { kind: "git" } })
  expect(readFileSync(join(t.root, "b.txt"), "utf8")).toBe("mine\n")
})

test("a branch that is not there, a detached head and an open merge are told", async () => {
  await using t = await openTestRepository()
  expect(await t.merge(ask("gone"))).toEqual({ ok: false, failure: { kind: "no_branch", branch: "gone" } })
  expect(await t.merge(ask("--all"))).toEqual({ ok: false, failure: { kind: "no_branch", branch: "--all" } })
  t.branch("api", { "b.txt": "b\n" })
  writeFileSync(join(t.root, ".git/MERGE_HEAD"), `${t.git("rev-parse", "api")}\n`)
  expect(await t.merge(ask("api"))).toMatchObject({ ok: false, failure: { kind: "not_now" } })
  Bun.spawnSync(["rm", join(t.root, ".git/MERGE_HEAD")])
  t.git("checkout", "-q", "--detach")
  expect(await t.merge(ask("api"))).toMatchObject({ ok: false, failure: { kind: "not_now" } })
})
