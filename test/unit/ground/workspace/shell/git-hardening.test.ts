/** Every git command that runs unasked, in repositories that name programs for every occasion: none of them starts. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { readOnlyEnvironment } from "#ground/workspace/shell/read-only-environment.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"
import { commandCorpus, corpusCases, corpusFiles } from "./corpus.ts"

const everyday = [
  ...corpusFiles()
    .flatMap(corpusCases)
    .map(({ command }) => command),
  ...commandCorpus(),
  "git show --stat HEAD",
  "git log -p --all",
  "git log --show-pulls --graph",
  "git diff HEAD~1 HEAD",
  "git blame a.txt",
  "git stash show -p",
]
const gitCommands = [...new Set(everyday)].filter((command) => command.startsWith("git "))

const analyzer = await openCommandAnalyzer().load()

/** A repository whose hooks are all the same program, which leaves a mark. */
function openRepository(...settings: readonly (readonly [key: string, value: string])[]) {
  const folder = temporaryFolder()
  const root = folder.join("project")
  const evil = join(root, "evil.sh")
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder.path, LANG: "C.UTF-8" }
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  const git = (...argv: readonly string[]): void => {
    Bun.spawnSync(["/usr/bin/git", "-c", "user.name=n", "-c", "user.email=e@x", ...argv], { cwd: root, env })
  }
  put("a.txt", "one\n")
  git("init", "-q", "-b", "main", ".")
  git("add", "a.txt")
  git("commit", "-q", "-m", "one")
  put("a.txt", "one\ntwo\n")
  git("commit", "-q", "-a", "-m", "two")
  git("tag", "v1")
  put("a.txt", "three\n")
  git("stash")
  put("a.txt", "four\n")
  put("new.txt", "new\n")
  put("evil.sh", `#!/bin/sh\ntouch '${join(root, "ran")}'\nexit 1\n`)
  chmodSync(evil, 0o755)
  for (const hook of [
    "post-index-change",
    "post-checkout",
    "pre-commit",
    "reference-transaction",
    "fsmonitor-watchman",
  ]) {
    put(`.git/hooks/${hook}`, `#!/bin/sh\n'${evil}'\n`)
    chmodSync(join(root, `.git/hooks/${hook}`), 0o755)
  }
  put(".gitattributes", "*.txt diff=evil filter=evil\n")
  for (const [key, value] of settings) git("config", key, value.replace("EVIL", evil))
  rmSync(join(root, "ran"), { force: true })
  const isFree = (command: string): boolean =>
    analyzer.readsOnly(command, { cwd: root, home: folder.path, roots: [root], realPath }) !== undefined
  return {
    root,
    free: () => gitCommands.filter(isFree),
    /** Runs commands one after another, and tells whether the program was started. */
    run(commands: readonly string[], how: "hardened" | "plain"): boolean {
      Bun.spawnSync(["/bin/bash", "--noprofile", "--norc", "-c", commands.join("\n")], {
        cwd: root,
        env: how === "hardened" ? readOnlyEnvironment(env) : env,
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
      })
      return existsSync(join(root, "ran"))
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

/** What is switched off from outside, so that commands still run unasked. */
const switchable = [
  ["core.fsmonitor", "EVIL"],
  ["core.hooksPath", ".git/hooks"],
  ["core.pager", "EVIL"],
  ["pager.log", "EVIL"],
  ["core.sshCommand", "EVIL"],
  ["core.askPass", "EVIL"],
  ["core.editor", "EVIL"],
  ["gpg.program", "EVIL"],
  ["log.showSignature", "true"],
  ["credential.helper", "EVIL"],
] as const

test("hooks, monitor, pager, editor and signatures: a hundred commands run, the program does not", () => {
  using t = openRepository(...switchable)
  const free = t.free()
  expect(free.length).toBeGreaterThan(100)
  expect(t.run(free, "hardened")).toBe(false)
  // Without the care it would have been started.
  expect(t.run(["git status"], "plain")).toBe(true)
})

test.each([
  ["diff.external", "EVIL"],
  ["diff.evil.command", "EVIL"],
  ["diff.evil.textconv", "EVIL"],
  ["filter.evil.clean", "EVIL"],
  ["filter.evil.smudge", "EVIL"],
  ["filter.evil.process", "EVIL"],
  ["include.path", "EVIL"],
  ["includeIf.gitdir:/.path", "EVIL"],
  ["diff.orderFile", "EVIL"],
])("%s cannot be switched off: nothing but the version is shown unasked", (key, value) => {
  using t = openRepository([key, value])
  expect(t.free().filter((command) => !/^git (?:--version|version)/.test(command))).toEqual([])
})
