/** Gates in the decision: what they refuse and ask about in every mode, whatever rules, hooks and wrappers say. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { permissionModes } from "#agent/words/permission.ts"
import { bothOf, type Footprint, reads, runs, touchesNothing, writes } from "#agent/words/footprint.ts"
import { judgedCall } from "#kits/permissions/call.ts"
import { isTestRun, testCommands } from "#kits/permissions/gates.ts"
import { readersConfined } from "#kits/permissions/walls.ts"
import { bash, decideCase, edit, place, read, rulesFrom, analyzer } from "./judge.ts"

const everything = rulesFrom({ allow: ["Bash", "Edit", "Read", "mcp__git"] })
const allowed = { behavior: "allow", name: "hook" } as const
const git = { git: true } as const

const changing: readonly string[] = [
  "git commit -m x",
  "git add .",
  "git push",
  "git push --force origin main",
  "git fetch",
  "git pull --rebase",
  "git checkout -b topic",
  "git switch topic",
  "git stash",
  "git tag v1",
  "git branch topic",
  "git reset --hard",
  "git rebase main",
  "git merge topic",
  "git rm a.txt",
  "git clean -fd",
  "git config user.name x",
  "git update-ref refs/heads/a HEAD",
  "git worktree add ../b",
  "git ci",
  "git frobnicate",
  "git -C sub commit -m x",
  "git -c alias.st='!git push' st",
  "git --git-dir=.git --work-tree=. add .",
  "/usr/bin/git commit -m x",
  "sh -c 'git commit -m x'",
  'bash -lc "git push"',
  "env git commit -m x",
  "env -i PATH=/bin git commit -m x",
  "timeout 5 git commit -m x",
  "sudo git commit -m x",
  "nice -n 5 git push",
  "xargs git add < list",
  "echo a.txt | xargs git add",
  "find . -name '*.ts' -exec git add {} +",
  "command git commit -m x",
  "ls && git commit -m x",
  "if true; then git commit -m x; fi",
  "for f in a b; do git add $f; done",
  "(cd sub && git commit -m x)",
  "eval 'git commit -m x'",
  "eval $X",
  "$GIT commit -m x",
  "g=git; $g commit -m x",
  "git $VERB",
  "GIT_DIR=.git git commit -m x",
  "git status; git commit -m x",
  "git log | sh",
  "echo 'git push' | bash",
  "bash deploy.sh",
  "./deploy.sh",
  "sh ./scripts/release",
  "source deploy.sh",
  ". ./deploy.sh",
  "python3 -c 'import os; os.system(\"git push\")'",
  "python3 release.py",
  'node -e \'require("child_process").execSync("git push")\'',
  "perl -e 'system(\"git push\")'",
  "gh pr merge 3",
  "gh pr create --fill",
  "hub push",
  "git-commit -m x",
  "echo ref > .git/HEAD",
  "cp hook .git/hooks/pre-commit",
  "$(echo git) commit -m x",
  "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"",
]

const reading: readonly string[] = [
  "git status",
  "git status --short",
  "git log --oneline -5",
  "git diff HEAD~1",
  "git show HEAD",
  "git branch --list",
  "git -C sub status",
  "git -C sub log -3",
  "git --no-pager diff",
  "git rev-parse HEAD",
  "git status && git diff",
  "git log | head -3",
  "ls -l",
  "npm test",
  "make all",
  "cargo build",
  "bun test",
  "node --test",
  "python3 -m pytest",
  "mkdir build",
  "echo git > notes.txt",
]

describe("the git gate", () => {
  for (const mode of permissionModes.filter((one) => one !== "plan" && one !== "dontAsk" && one !== "delegate")) {
    test.each(changing)(`${mode} asks: %s`, (command) => {
      const { behavior, reason } = bash(command, { mode, gates: git, rules: everything, hook: allowed })
      expect({ behavior, kind: reason.kind }).toEqual({ behavior: "ask", kind: "tool_check" })
    })
  }

  test.each(reading)("bypass does not ask: %s", (command) => {
    expect(bash(command, { mode: "bypassPermissions", gates: git, rules: everything }).behavior).toBe("allow")
  })

  test("whoever cannot be asked is refused", () => {
    expect(bash("git commit -m x", { mode: "dontAsk", gates: git, rules: everything }).behavior).toBe("deny")
    expect(bash("git commit -m x", { mode: "plan", gates: git, rules: everything }).behavior).toBe("deny")
  })

  test("files of the repository, merges and tools of servers", () => {
    const bypass = { mode: "bypassPermissions", gates: git, rules: everything } as const
    expect(edit("/repo/.git/config", bypass).reason).toMatchObject({ check: expect.stringContaining("git gate") })
    expect(edit("/repo/a.ts", bypass).behavior).toBe("allow")
    expect(
      decideCase({
        tool: "MergeBranch",
        coordinates: true,
        footprint: { ...writes("/repo"), effect: "unknown" },
        ...bypass,
      }).behavior,
    ).toBe("ask")
    const unknown = { ...touchesNothing(), effect: "unknown" } as const
    expect(decideCase({ tool: "mcp__git__commit", footprint: unknown, ...bypass }).behavior).toBe("ask")
    expect(decideCase({ tool: "mcp__git__log", footprint: reads(), ...bypass }).behavior).toBe("allow")
  })

  test("however it is wrapped", () => {
    const wrap: fc.Arbitrary<(command: string) => string> = fc.constantFrom(
      (command: string) => `env ${command}`,
      (command: string) => `timeout 9 ${command}`,
      (command: string) => `nice ${command}`,
      (command: string) => `sh -c ${JSON.stringify(command)}`,
      (command: string) => `bash -c ${JSON.stringify(command)}`,
      (command: string) => `ls && ${command}`,
      (command: string) => `( ${command} )`,
      (command: string) => `{ ${command}; }`,
      (command: string) => `if true; then ${command}; fi`,
      (command: string) => `echo x | ${command}`,
    )
    const verbs: fc.Arbitrary<string> = fc.constantFrom(
      "git commit -m x",
      "git add .",
      "git push",
      "git -C sub commit",
      "git switch a",
    )
    fc.assert(
      fc.property(verbs, fc.array(wrap, { maxLength: 4 }), (verb, wraps) => {
        const command = wraps.reduce((inner, next) => next(inner), verb)
        expect(bash(command, { mode: "bypassPermissions", gates: git, rules: everything }).behavior).toBe("ask")
      }),
    )
  })
})

const acting: readonly string[] = ["npm test", "touch a", "git commit -m x", "echo x > a", "python3 a.py"]

describe("before the task is clear", () => {
  const closed = { gates: { clarifying: true }, rules: everything, hook: allowed } as const
  for (const mode of permissionModes)
    test(`${mode} refuses what acts, and only that`, () => {
      for (const command of acting) expect(bash(command, { ...closed, mode }).behavior).toBe("deny")
      expect(edit("/repo/a.ts", { ...closed, mode }).behavior).toBe("deny")
      const unknown = { ...touchesNothing(), effect: "unknown" } as const
      expect(decideCase({ tool: "mcp__s__act", footprint: unknown, ...closed, mode }).behavior).toBe("deny")
      expect(read("/repo/a.ts", { ...closed, mode }).behavior).toBe("allow")
      expect(bash("ls", { ...closed, mode }).behavior).toBe("allow")
    })
})

describe("before a test has failed", () => {
  const tests = {
    isTest: (path: string) => /^test\/|\.test\.ts$/.test(path),
    commands: testCommands(["npm test", "bun test"]),
  }
  const closed = { gates: { tests }, rules: everything, hook: allowed, mode: "bypassPermissions" } as const
  const rows: readonly (readonly [string, "allow" | "deny"])[] = [
    ["npm test", "allow"],
    ["npm test -- --only a", "allow"],
    ["cd sub && bun test a", "allow"],
    ["CI=1 bun test", "allow"],
    ["ls src", "allow"],
    ["mkdir test/deep", "allow"],
    ["touch test/a.test.ts", "allow"],
    ["cp src/a.ts test/a.ts", "allow"],
    ["cp test/a.ts src/a.ts", "deny"],
    ["echo x > src/a.ts", "deny"],
    ["npm test > src/a.ts", "deny"],
    ["bun test; touch src/a.ts", "deny"],
    ["npm install", "deny"],
    ["node generate.js", "deny"],
    ["sed -i s/a/b/ src/a.ts", "deny"],
    ["eval $X", "deny"],
  ]
  test.each(rows)("%s: %s", (command, behavior) => {
    expect(bash(command, closed).behavior).toBe(behavior)
  })

  test("a tool that does not say what it does is no test", () => {
    const footprint = writes("/repo/test/a.test.ts")
    expect(decideCase({ tool: "Make", footprint, gates: { tests } }).behavior).not.toBe("deny")
    expect(
      decideCase({ tool: "Make", footprint: { ...footprint, effect: "unknown" }, gates: { tests } }).behavior,
    ).toBe("deny")
  })

  test("a run of tests is one test command, and nothing that its exit code could come from beside it", () => {
    const isRun = (footprint: Footprint): boolean => {
      const call = { tool: { name: "Bash" }, input: {}, footprint, workspace: place, cwd: place.root, analyzer }
      return isTestRun(judgedCall({ ...call, realPath: (path) => path, walls: readersConfined }), tests)
    }
    expect(isRun(runs("npm test"))).toBe(true)
    expect(isRun(runs("cd sub && npm test"))).toBe(true)
    expect(isRun(runs("npm test; false"))).toBe(false)
    expect(isRun(bothOf(runs("npm test"), runs("false")))).toBe(false)
  })

  test("edits", () => {
    expect(edit("/repo/src/a.ts", closed).behavior).toBe("deny")
    expect(edit("/repo/test/a.ts", closed).behavior).toBe("allow")
    expect(edit("/repo/src/a.test.ts", closed).behavior).toBe("allow")
    expect(edit("/elsewhere/test/a.ts", closed).behavior).toBe("deny")
    const throughLink = (path: string): string => path.replace("/repo/test/link", "/repo/src")
    expect(edit("/repo/test/link/a.ts", { ...closed, realPath: throughLink }).behavior).toBe("deny")
  })
})
