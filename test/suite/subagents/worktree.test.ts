/** An agent in a worktree of its own: its files are apart, kept with their branch when something changed, gone when nothing did. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { openWorktrees } from "#ground/workspace/git/worktree.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"
import { type Cast, cast, children, logOf, resultsOf, task } from "./cast.ts"

setDefaultTimeout(300_000)

const apart = { isolation: "worktree" }

function git(root: string, ...argv: string[]): string {
  const env = { PATH: "/usr/bin:/bin", HOME: join(root, "..") }
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
  const ran = spawnSync("git", [...who, ...argv], { cwd: root, env, encoding: "utf8" })
  if (ran.status !== 0) throw new Error(ran.stderr)
  return ran.stdout.trim()
}

async function repository(roles: Cast, more: Partial<TestSessionOptions> = {}): Promise<TestSession> {
  const t = await openTestSession({
    files: { "a.txt": "one\n", "sub/b.txt": "two\n", ".gitignore": "ignored\n" },
    place: { trusted: true },
    script: cast(roles),
    ...more,
  })
  git(t.root, "init", "-q")
  git(t.root, "add", "-A")
  git(t.root, "commit", "-qm", "first")
  // The session looks for the repository when it is opened.
  const again = await t.reopen()
  return {
    ...again,
    async [Symbol.asyncDispose]() {
      await again[Symbol.asyncDispose]()
      await t[Symbol.asyncDispose]()
    },
  }
}

test("what it changes is kept in its worktree, on its branch, and the working folder stays as it was", async () => {
  await using t = await repository({
    main: [calls(task("alpha", apart)), says("Done.")],
    alpha: [
      calls(bash("pwd"), read("a.txt"), edit("a.txt", "one", "ONE"), write("new.txt", "x")),
      calls(bash("git -c user.name=t -c user.email=t@e.com commit -qam change && git status --short")),
      says("Changed."),
    ],
  })
  await t.prompt("go")
  const [agent] = children(t).slice(-1)
  const { path = "", branch = "" } = agent?.worktree ?? {}
  expect(resultsOf(t, "Task")[0]).toContain(
    `[Its changes are in the worktree ${path} on the branch ${branch}; nothing was merged.]`,
  )
  expect(path.startsWith(join(t.root, "../state/worktrees/"))).toBe(true)
  expect(t.read("a.txt")).toBe("one\n")
  expect(existsSync(t.path("new.txt"))).toBe(false)
  expect(await Bun.file(join(path, "a.txt")).text()).toBe("ONE\n")
  expect(git(t.root, "show", `${branch}:a.txt`)).toBe("ONE")
  expect(git(t.root, "status", "--short")).toBe("")
  const ran = (await logOf(t, "alpha")).find((entry) => entry.kind === "result" && entry.tool === "Bash")
  expect(JSON.stringify(ran)).toContain(path)
  // Its files are no part of what the session can go back in, and nobody is told that they were not covered.
  expect(t.entries().filter(({ kind }) => kind === "notice")).toEqual([])
})

test("nothing changed, nothing left: neither folder nor branch", async () => {
  await using t = await repository({
    main: [calls(task("alpha", apart)), says("Done.")],
    alpha: [calls(read("a.txt")), says("I only looked.")],
  })
  await t.prompt("go")
  expect(resultsOf(t, "Task")[0]).not.toContain("worktree")
  expect(git(t.root, "branch", "--list", "codewright/*")).toBe("")
  expect(git(t.root, "worktree", "list").split("\n")).toHaveLength(1)
  const [slug = ""] = readdirSync(join(t.root, "../state/worktrees"))
  expect(readdirSync(join(t.root, "../state/worktrees", slug))).toEqual([])
})

test("two at once do not disturb each other, and one goes on in its worktree", async () => {
  const idIn = (value: unknown): string => /agent ([0-9a-f]{8})/.exec(JSON.stringify(value))?.[1] ?? ""
  await using t = await repository({
    main: [
      calls(task("alpha", apart), task("beta", apart)),
      (request) => calls(task("alpha", { resume: idIn(request.messages) })),
      says("Done."),
    ],
    alpha: [
      calls(write("mine.txt", "alpha\n")),
      says("alpha wrote."),
      calls(read("mine.txt")),
      says("It is still there."),
    ],
    beta: [calls(write("mine.txt", "beta\n")), says("beta wrote.")],
  })
  await t.prompt("go")
  const paths = new Set(children(t).flatMap(({ worktree }) => (worktree ? [worktree.path] : [])))
  const texts = await Promise.all([...paths].map((path) => Bun.file(join(path, "mine.txt")).text()))
  expect(texts.toSorted()).toEqual(["alpha\n", "beta\n"])
  expect(resultsOf(t, "Task").at(-1)).toStartWith("It is still there.")
})

test("outside its worktree it may do no more than its session may outside the working folder", async () => {
  await using t = await repository(
    {
      main: [calls(task("alpha", apart)), says("Done.")],
      alpha: [
        (request) => {
          const [, main = ""] = /Working folder: (.*)/.exec(request.system) ?? []
          return calls(write(join(main, "../../../../project/a.txt"), "stolen"))
        },
        calls(write(".git", "x")),
        calls(write("ignored/.env", "x")),
        calls(write("src/ok.txt", "x")),
        says("Only one was let."),
      ],
    },
    { allow: [] },
  )
  await t.prompt("go")
  const results = (await logOf(t, "alpha")).flatMap((entry) => (entry.kind === "result" ? [entry.isError] : []))
  expect(results).toEqual([true, true, true, false])
  expect(t.read("a.txt")).toBe("one\n")
})

test("rules of the project hold in the copy of it", async () => {
  const t = await openTestSession({
    files: { "secret/key.txt": "k\n", "src/a.ts": "1\n" },
    place: { trusted: true },
    deny: ["Read(./secret/**)", "Edit(src/**)"],
    script: cast({
      main: [calls(task("alpha", apart)), says("Done.")],
      alpha: [calls(read("secret/key.txt")), calls(write("src/b.ts", "x")), calls(write("c.ts", "x")), says("ok")],
    }),
  })
  git(t.root, "init", "-q")
  git(t.root, "add", "-A")
  git(t.root, "commit", "-qm", "first")
  const again = await t.reopen()
  await again.prompt("go")
  const results = (await logOf(again, "alpha")).flatMap((entry) => (entry.kind === "result" ? [entry.isError] : []))
  expect(results).toEqual([true, true, false])
  await again[Symbol.asyncDispose]()
  await t[Symbol.asyncDispose]()
})

test("without git, without trust: words instead of a worktree", async () => {
  await using plain = await openTestSession({
    place: { trusted: true },
    script: cast({ main: [calls(task("alpha", apart)), says("ok")] }),
  })
  await plain.prompt("go")
  expect(resultsOf(plain, "Task")[0]).toBe(
    "The agent was not started. A worktree needs a git repository, and this folder is in none.",
  )
  await using t = await repository({ main: [calls(task("alpha", apart)), says("ok")] }, { place: { trusted: false } })
  await t.prompt("go")
  expect(resultsOf(t, "Task")[0]).toContain("which is run only in folders that the user trusts")
  expect(git(t.root, "worktree", "list").split("\n")).toHaveLength(1)
})

for (const where of ["by its whole path", "from the home folder"])
  test(`a file that a rule names ${where} is not read in the copy of it either`, async () => {
    const roles: Cast = {
      main: [calls(task("alpha", apart)), says("Done.")],
      alpha: [
        calls(read("sub/b.txt"), use("Grep", { pattern: "two", output_mode: "content" }), bash("cat sub/b.txt")),
        calls(read("a.txt")),
        says("Denied."),
      ],
    }
    await using t = await repository(roles)
    const rule = where === "by its whole path" ? `Read(/${t.root}/sub/**)` : "Read(~/project/sub/**)"
    await using denied = await t.reopen({ deny: [rule] })
    await denied.prompt("go")
    const contents = (await logOf(denied, "alpha")).flatMap((entry) =>
      entry.kind === "result" ? [String(entry.content)] : [],
    )
    expect(contents).toEqual([
      expect.stringContaining("denies it"),
      "No matches.",
      expect.stringContaining("denies it"),
      expect.stringContaining("one"),
    ])
  })

test("a worktree whose making was cut short is made anew", async () => {
  await using t = await repository({})
  const folder = join(t.root, "../trees")
  const scratch = join(t.root, "../scratch")
  const { start, close } = openProcesses({ clock: systemClock, ids: systemIds, scratch, graceMs: 500, drainMs: 100 })
  await using processes = { start, [Symbol.asyncDispose]: close }
  const env = () => ({ PATH: "/usr/bin:/bin", HOME: join(t.root, "..") })
  const trees = openWorktrees({ processes, clock: systemClock, env, repository: t.root, folder })
  const { signal } = new AbortController()
  const made = await trees.open("one", signal)
  if (!made.ok) throw new Error(made.failure)
  // As git leaves it when it is killed: locked, without an index, and with some of the files.
  const admin = join(t.root, ".git/worktrees/one")
  rmSync(join(admin, "index"))
  writeFileSync(join(admin, "index.lock"), "")
  writeFileSync(join(admin, "locked"), "initializing")
  rmSync(join(made.value.path, "a.txt"))
  expect(await trees.open("one", signal)).toEqual(made)
  expect(readdirSync(made.value.path).toSorted()).toEqual([".git", ".gitignore", "a.txt", "sub"])
  expect(git(made.value.path, "status", "--porcelain")).toBe("")
  // One in which somebody works is left as it is.
  writeFileSync(join(made.value.path, "work.txt"), "x")
  expect(await trees.open("one", signal)).toEqual(made)
  expect(await trees.finish(made.value)).toEqual({ ok: true, value: "kept" })
})
