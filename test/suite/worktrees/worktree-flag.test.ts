/** Sessions in worktrees of their own: what they change stays there until it is merged, and nothing with changes is removed unasked. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { calls, says, use } from "../../kit/script.ts"

const git = (cwd: string, ...argv: readonly string[]): string =>
  Bun.spawnSync(["/usr/bin/git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd })
    .stdout.toString()
    .trim()

function openRepository(files: { readonly [path: string]: string } = {}): Place {
  const place = openPlace({ "a.txt": "one\n", "sub/b.txt": "two\n", ...files })
  git(place.work, "init", "-q", "-b", "main")
  git(place.work, "config", "user.name", "Ann")
  git(place.work, "config", "user.email", "ann@example.com")
  git(place.work, "add", "--all")
  git(place.work, "commit", "-qm", "first")
  return place
}

const trees = (place: Place): string => join(place.state, "worktrees", place.work.replaceAll(/[^A-Za-z0-9]/g, "-"))

const write = (name: string) => calls(use("Write", { file_path: name, content: "new\n" }))

const run = (place: Place, argv: readonly string[], cwd?: string, replies = [write("new.txt"), says("Done.")]) =>
  runCodewright({
    place,
    ...(cwd !== undefined && { cwd }),
    argv: ["-p", "--trust", "--permission-mode", "acceptEdits", ...argv],
    scenario: replies,
  })

test("a session writes into its worktree, which is listed, merged and gone", async () => {
  using place = openRepository()
  const ran = await run(place, ["--worktree", "fix-login", "go"])
  expect([ran.code, ran.stdout]).toEqual([0, "Done.\n"])
  expect(ran.stderr).toContain("The worktree fix-login is kept: 1 file changed, not all committed")
  expect(existsSync(join(place.work, "new.txt"))).toBe(false)
  expect(readFileSync(join(trees(place), "fix-login/new.txt"), "utf8")).toBe("new\n")
  expect(JSON.stringify(ran.requests[0]?.body)).toContain(join(trees(place), "fix-login"))

  const listed = await runCodewright({ place, argv: ["worktree", "list", "--json", "--trust"] })
  expect(JSON.parse(listed.stdout)).toEqual({
    worktrees: [
      {
        name: "fix-login",
        path: join(trees(place), "fix-login"),
        branch: "codewright/fix-login",
        commits: 0,
        files: ["new.txt"],
        isUncommitted: true,
      },
    ],
  })
  const refused = await runCodewright({ place, argv: ["worktree", "remove", "fix-login", "--trust"] })
  expect([refused.code, refused.stderr]).toEqual([
    1,
    "error: Not removed: fix-login has work that is nowhere else (1 file changed, not all committed). Merge it, or remove it with --discard-changes.\n",
  ])
  const merged = await runCodewright({ place, argv: ["worktree", "merge", "fix-login", "--trust"] })
  expect([merged.code, merged.stderr]).toEqual([0, "Merged fix-login into main: 1 file changed.\n"])
  expect(await place.read("new.txt")).toBe("new\n")
  expect(git(place.work, "branch", "--list", "codewright/*")).toBe("")
  expect(existsSync(join(trees(place), "fix-login"))).toBe(false)
})

test("one in which nothing was changed is removed at the end; it is named after the prompt, and begins in the same folder", async () => {
  using place = openRepository()
  const ran = await run(place, ["-w", "Fix the: login, please now"], join(place.work, "sub"), [says("Done.")])
  expect(ran.stderr).toContain("Removed the worktree fix-the-login-please: nothing was changed in it.")
  expect(JSON.stringify(ran.requests[0]?.body)).toContain(join(trees(place), "fix-the-login-please/sub"))
  expect(git(place.work, "worktree", "list").split("\n")).toHaveLength(1)
})

test("a second session continues in it, and a resumed one needs no flag", async () => {
  using place = openRepository()
  await run(place, ["--worktree", "two", "go"])
  const second = await run(place, ["--worktree", "two", "go"], undefined, [write("more.txt"), says("Done.")])
  expect(second.stderr).toContain("Continuing in the worktree")
  const resumed = await run(place, ["--continue", "go"], join(trees(place), "two"), [write("third.txt"), says("Done.")])
  expect(resumed.code).toBe(0)
  expect(git(join(trees(place), "two"), "status", "--porcelain")).toBe("?? more.txt\n?? new.txt\n?? third.txt")
  const both = await run(place, ["--continue", "--worktree", "x", "go"])
  expect(both.stderr).toContain("--worktree is for new sessions")
})

test("conflicts and uncommitted changes of the user leave everything as it is", async () => {
  using place = openRepository()
  await run(place, ["--worktree", "clash", "go"], undefined, [
    calls(use("Read", { file_path: "a.txt" })),
    calls(use("Edit", { file_path: "a.txt", old_string: "one", new_string: "theirs" })),
    says("Done."),
  ])
  const merge = () => runCodewright({ place, argv: ["worktree", "merge", "clash", "--trust"] })
  place.write("a.txt", "mine\n")
  expect((await merge()).stderr).toContain(
    "Not merged: it would change files that you have changed and not committed: a.txt",
  )
  git(place.work, "commit", "-qam", "mine")
  const conflict = await merge()
  expect([conflict.code, conflict.stderr.includes("clash and main both changed a.txt")]).toEqual([1, true])
  expect(await place.read("a.txt")).toBe("mine\n")
  expect(readFileSync(join(trees(place), "clash/a.txt"), "utf8")).toBe("theirs\n")
  const gone = await runCodewright({ place, argv: ["worktree", "remove", "clash", "--discard-changes", "--trust"] })
  expect([gone.code, gone.stdout]).toEqual([0, "Removed clash.\n"])
})

test(".worktreeinclude brings ignored files along, and rules hide the copy of what they hide; nothing comes through links", async () => {
  using place = openRepository({
    ".gitignore": ".env\nsecret.key\nlinked\nbuild/\n",
    ".worktreeinclude": ".env\nsecret.key\nlinked\nunfinished.txt\n",
  })
  place.write(".env", "A=1\n")
  place.write("secret.key", "key\n")
  place.write("build/x", "x\n")
  place.write("unfinished.txt", "not ignored\n")
  symlinkSync("/etc/hostname", join(place.work, "linked"))
  place.write(
    join(place.state, "settings.json"),
    JSON.stringify({ permissions: { deny: [`Read(/${place.work}/secret.key)`] } }),
  )
  const reads = [calls(use("Read", { file_path: "secret.key" }), use("Read", { file_path: ".env" })), says("Done.")]
  const ran = await run(place, ["--worktree", "inc", "go"], undefined, [write("new.txt"), ...reads])
  expect(ran.stderr).toContain("Copied 2 files that .worktreeinclude names.")
  const told = JSON.stringify(ran.requests.at(-1)?.body)
  expect([told.includes("A=1"), told.includes("key\\n")]).toEqual([true, false])
  const there = (name: string): boolean => existsSync(join(trees(place), "inc", name))
  expect([".env", "secret.key", "linked", "build/x", "unfinished.txt"].map(there)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test("commands and commits work in it with the sandbox on, and the user's files stay out of reach", async () => {
  using place = openRepository()
  const command = (line: string) => calls(use("Bash", { command: line }))
  place.write(join(place.state, "settings.json"), JSON.stringify({ sandbox: { enabled: true } }))
  const ran = await run(place, ["--allowed-tools", "Bash", "--worktree", "box", "go"], undefined, [
    command("echo x > made.txt && git add -A && git commit -qm made && git log --oneline | wc -l"),
    command(`echo y > ${place.work}/outside.txt; echo ended`),
    says("Done."),
  ])
  expect(ran.stderr).toContain("The worktree box is kept: 1 file changed, 1 commit (")
  expect(existsSync(join(place.work, "outside.txt"))).toBe(false)
})

test("what cannot be is said, and nothing is made", async () => {
  using plain = openPlace()
  const none = await run(plain, ["--worktree", "x", "go"])
  expect([none.code, none.stderr]).toEqual([
    1,
    "error: --worktree needs a git repository, and this folder is in none. Run git init, or start without it.\n",
  ])
  using place = openRepository()
  const bad = await run(place, ["--worktree", "../out", "go"])
  expect(bad.stderr).toContain("'../out' cannot name a worktree.")
  const untrusted = await runCodewright({ place, argv: ["-p", "--worktree", "x", "go"], scenario: [] })
  expect(untrusted.stderr).toContain("only in folders that you trust")
  using empty = openPlace()
  git(empty.work, "init", "-q")
  expect((await run(empty, ["--worktree", "x", "go"])).stderr).toContain(
    "begins with the last commit, and this repository has none",
  )
  expect(existsSync(join(place.state, "worktrees"))).toBe(false)
  const unknown = await runCodewright({ place, argv: ["worktree", "merge", "nope", "--trust"] })
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    "error: No worktree named nope. codewright worktree list shows all.\n",
  ])
})
