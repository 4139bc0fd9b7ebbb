/** `git checkout HEAD~1 README.md` overwrote uncommitted work under the rule that we suggest ourselves. */

import { afterAll, describe, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { bash, diskRealPath, rulesFrom, tempTree } from "../unit/kits/permissions/judge.ts"

const root = tempTree({ "README.md": "", "src/a.ts": "", "docs/x": "" })
const git = (...args: readonly string[]): void => {
  const done = Bun.spawnSync(["git", "-c", "user.name=N", "-c", "user.email=n@example.com", ...args], { cwd: root })
  if (!done.success) throw new Error(done.stderr.toString())
}
git("init", "-q", "-b", "main")
git("add", "-A")
git("commit", "-q", "-m", "one")
git("branch", "docs")
git("branch", "packed")
git("pack-refs", "--all")
git("branch", "feature")
afterAll(() => rmSync(root, { recursive: true, force: true }))

const decided = (command: string): string =>
  bash(command, {
    rules: rulesFrom({ allow: ["Bash(git checkout:*)", "Bash(git restore:*)", "Bash(git switch:*)"] }),
    workspace: { root },
    cwd: root,
    realPath: diskRealPath,
  }).behavior

describe("files are overwritten, so it asks", () => {
  test.each([
    "git checkout HEAD~1 README.md",
    "git checkout main src/a.ts README.md",
    "git checkout -q HEAD README.md",
    "git checkout - README.md",
    "git checkout README.md",
    "git checkout src",
    "git checkout '*.md'",
    "git checkout *.md",
    "git checkout -- README.md",
    "git checkout HEAD -- README.md",
    "git checkout -p",
    "git checkout --pathspec-from-file=list",
    "git checkout --no-overlay HEAD src",
    "git restore README.md",
    "git restore -s HEAD~1 README.md",
    "git restore --source=HEAD --staged --worktree README.md",
    "git restore -SW README.md",
  ])("%s", (command) => expect(decided(command)).toBe("ask"))
})

describe("a branch is not a file", () => {
  test.each([
    "git checkout feature",
    "git checkout packed",
    "git checkout docs",
    "git checkout -b x",
    "git checkout -b x origin/main",
    "git checkout -qb x main",
    "git checkout -t origin/x",
    "git checkout --track origin/x",
    "git checkout --detach HEAD~1",
    "git checkout --orphan x main",
    "git checkout HEAD~1",
    "git checkout -",
    "git restore --staged README.md",
    "git switch feature",
  ])("%s", (command) => expect(decided(command)).toBe("allow"))
})
