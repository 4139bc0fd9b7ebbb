/** What would be lost, counted on a real disk and in real repositories, without starting anything that a repository names. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { openAskGit } from "#ground/workspace/git/ask-git.ts"
import { type Destroyer, openCountAtRisk } from "#ground/workspace/at-risk.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { analyse } from "#ground/workspace/shell/analyse.ts"
import { destructions } from "#ground/workspace/shell/conclusions.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

/** What takes too long is not counted to the end; here nothing takes long. */
const still: Clock = { ...systemClock, now: () => 0 }

function openGround(clock: Clock = still) {
  const folder = temporaryFolder()
  const root = folder.join("project")
  mkdirSync(root)
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder.path, GIT_CONFIG_NOSYSTEM: "1" }
  const processes = openProcesses({
    clock: systemClock,
    ids: systemIds,
    scratch: folder.join("scratch"),
    graceMs: 100,
    drainMs: 100,
  })
  const count = openCountAtRisk({ git: openAskGit({ processes, clock: systemClock, env: () => env }), clock })
  const partOf = (command: string): Destroyer => {
    const analysis = analyse(command, {
      cwd: root,
      home: folder.path,
      roots: [root],
      realPath: (path) => path,
      repositoryRunsPrograms: () => false,
    })
    const [found] = destructions(analysis)
    if (!found) throw new Error(`${command} destroys nothing`)
    return found.segment
  }
  return {
    root,
    put(name: string, text = "x\n") {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), text)
    },
    git(...argv: readonly string[]) {
      const { exitCode, stderr } = Bun.spawnSync(
        ["/usr/bin/git", "-c", "user.name=n", "-c", "user.email=e@x", ...argv],
        { cwd: root, env, stdout: "pipe", stderr: "pipe" },
      )
      if (exitCode !== 0) throw new Error(stderr.toString())
    },
    count: (command: string, signal = new AbortController().signal) => count(partOf(command), signal),
    async [Symbol.asyncDispose]() {
      await processes.close()
      folder[Symbol.dispose]()
    },
  }
}

test("files below folders are counted, patterns filled in, links not followed", async () => {
  await using t = openGround()
  for (const name of ["src/a", "src/b/c", "src/b/d", "dist/x.js", "dist/y.js", "dist/z.map"]) t.put(name)
  symlinkSync("/usr", join(t.root, "src/link"))
  expect(await t.count("rm -rf src")).toEqual({ count: 4, more: false })
  expect(await t.count("rm -rf dist/*.js src/b")).toEqual({ count: 4, more: false })
  expect(await t.count("rm -r nothing-there")).toEqual({ count: 0, more: false })
  expect(await t.count("rm -rf $X")).toBeUndefined()
  expect(await t.count("chmod -R 755 dist")).toEqual({ count: 3, more: false })
})

test("a walk that takes too long says that there are more, and one that is not wanted any more says nothing", async () => {
  let now = 0
  await using t = openGround({ ...systemClock, now: () => (now += 40) })
  for (const name of ["a/1", "a/b/2", "a/b/c/3", "a/b/c/d/4"]) t.put(name)
  expect(await t.count("rm -rf a")).toMatchObject({ more: true })
  expect(await t.count("rm -rf a", AbortSignal.abort())).toBeUndefined()
})

test("what git would lose is what git says", async () => {
  await using t = openGround()
  t.git("init", "-q", "-b", "main", ".")
  for (const name of ["a", "b", "lib/c"]) t.put(name)
  t.put(".gitignore", "*.log\n")
  t.git("add", "-A")
  t.git("commit", "-q", "-m", "one")
  expect(await t.count("git reset --hard")).toEqual({ count: 0, more: false })
  t.put("a", "changed\n")
  t.put("lib/c", "changed\n")
  t.put("new")
  t.put("folder/new")
  t.put("x.log")
  expect(await t.count("git reset --hard HEAD~1")).toEqual({ count: 2, more: false })
  expect(await t.count("git checkout -- lib")).toEqual({ count: 1, more: false })
  expect(await t.count("git checkout -f main")).toEqual({ count: 2, more: false })
  expect(await t.count("git restore -s HEAD a b")).toEqual({ count: 1, more: false })
  expect(await t.count("git clean -f")).toEqual({ count: 1, more: false })
  expect(await t.count("git clean -fd")).toEqual({ count: 2, more: false })
  expect(await t.count("git clean -fdx")).toEqual({ count: 3, more: false })
  expect(await t.count("git clean -fX")).toEqual({ count: 1, more: false })
  expect(await t.count("git rm -r lib")).toEqual({ count: 1, more: false })
  // Options may lead git to another repository, which nobody looks into.
  expect(await t.count("git -C lib reset --hard")).toBeUndefined()
  t.git("stash")
  expect(await t.count("git stash drop")).toEqual({ count: 2, more: false, undo: "never" })
  expect(await t.count("git stash clear")).toEqual({ count: 1, more: false, undo: "never" })
  t.git("checkout", "-q", "-b", "side")
  t.put("d")
  t.git("add", "d")
  t.git("commit", "-q", "-m", "two")
  t.git("checkout", "-q", "main")
  expect(await t.count("git branch -D side")).toEqual({ count: 1, more: false })
})

test("a repository that names programs is not asked, and outside one there is nothing to count", async () => {
  await using t = openGround()
  expect(await t.count("git reset --hard")).toBeUndefined()
  t.git("init", "-q", ".")
  t.put("evil.sh", "#!/bin/sh\ntouch ran\n")
  chmodSync(join(t.root, "evil.sh"), 0o755)
  t.put(".gitattributes", "* filter=evil\n")
  t.git("config", "filter.evil.clean", join(t.root, "evil.sh"))
  expect(await t.count("git reset --hard")).toBeUndefined()
  expect(existsSync(join(t.root, "ran"))).toBe(false)
})
