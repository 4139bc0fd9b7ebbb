/** Files that become code later: asked about in every mode, with the reason, however they would be written. */

import { describe, expect, test } from "bun:test"
import { symlinkSync } from "node:fs"
import type { PermissionMode } from "#agent/words/permission.ts"
import { protectedTable } from "#ground/workspace/protected-table.ts"
import { bash, decideCase, diskRealPath, edit, rulesFrom, tempTree } from "./judge.ts"
import { writes } from "#agent/words/footprint.ts"

const writing: readonly PermissionMode[] = ["default", "acceptEdits", "auto", "bypassPermissions"]

const named: readonly (readonly [path: string, why: RegExp])[] = [
  [".husky/pre-commit", /Git runs hooks from this folder/],
  [".husky/_/husky.sh", /Git runs hooks/],
  [".githooks/pre-push", /Git runs hooks/],
  [".gitmodules", /submodules/],
  [".gitattributes", /programs to run on files/],
  ["sub/.gitattributes", /programs to run on files/],
  [".config/git/config", /Git runs/],
  [".npmrc", /npm/],
  ["packages/a/.npmrc", /npm/],
  [".yarnrc", /Yarn/],
  [".yarnrc.yml", /Yarn/],
  [".yarn/releases/yarn-4.cjs", /Yarn/],
  [".pnp.cjs", /Node/],
  [".pnp.loader.mjs", /Node/],
  [".pnpmfile.cjs", /pnpm/],
  ["bunfig.toml", /Bun/],
  [".cargo/config", /Cargo/],
  [".cargo/config.toml", /Cargo/],
  ["rust-toolchain.toml", /compiler/],
  [".mvn/jvm.config", /Maven/],
  [".gradle/init.gradle", /Gradle/],
  ["gradle/wrapper/gradle-wrapper.properties", /Gradle/],
  [".bazelrc", /Bazel/],
  ["tools/bazel", /Bazel/],
  [".pre-commit-config.yaml", /commit/],
  ["lefthook.yml", /commit/],
  [".lefthook.toml", /commit/],
  [".lintstagedrc.js", /commit/],
  [".devcontainer/devcontainer.json", /opened/],
  [".devcontainer.json", /opened/],
  [".ripgreprc", /at its start/],
  [".claude.json", /starts programs/],
  [".envrc", /direnv/],
  [".tool-versions", /which programs run/],
  ["mise.toml", /which programs run/],
  ["src/sitecustomize.py", /Python/],
  [".Rprofile", /R runs/],
  [".github/workflows/ci.yml", /CI runs it/],
  [".github/actions/setup/action.yml", /CI runs it/],
  [".gitlab-ci.yml", /CI runs it/],
  [".circleci/config.yml", /CI runs it/],
  [".buildkite/pipeline.yml", /CI runs it/],
  ["Jenkinsfile", /CI runs it/],
  ["ci/Jenkinsfile.release", /CI runs it/],
  ["azure-pipelines.yml", /CI runs it/],
  ["azure-pipelines-release.yaml", /CI runs it/],
  [".travis.yml", /CI runs it/],
  ["bitbucket-pipelines.yml", /CI runs it/],
  [".woodpecker/build.yml", /CI runs it/],
  ["app.code-workspace", /editor/],
  [".hg/hgrc", /version control/],
]

/** Names that look alike, and what people edit all day. */
const free: readonly string[] = [
  "package.json",
  "Cargo.toml",
  "pyproject.toml",
  "build.gradle",
  "Makefile",
  "Dockerfile",
  "docker-compose.yml",
  "vite.config.ts",
  ".gitignore",
  ".editorconfig",
  ".prettierrc",
  ".eslintrc.json",
  ".nvmrc",
  ".github/ISSUE_TEMPLATE/bug.md",
  ".github/CODEOWNERS",
  "workflows/ci.yml",
  "src/workflows/run.ts",
  "docs/husky/intro.md",
  "src/cargo/config.toml",
  "models/best.pth",
  "src/jenkins.ts",
  "src/Jenkinsfiles/a.md",
  "npmrc",
  "tools/bazel/defs.bzl",
]

describe("files that become code later", () => {
  for (const mode of writing)
    test(`${mode}: a change of each is asked about, with the reason, whatever the rules say`, () => {
      const rules = rulesFrom({ allow: ["Edit", "Edit(//**)", "Bash"] })
      const wrong = named.flatMap(([path, why]) =>
        ["Write", "Edit", "MultiEdit", "NotebookEdit"].flatMap((tool) => {
          const decision = decideCase({ tool, footprint: writes(`/repo/${path}`), mode, rules })
          const { behavior, reason, message } = decision
          const isRight =
            behavior === "ask" &&
            reason.kind === "tool_check" &&
            why.test(reason.check) &&
            message.startsWith(`${tool} would change ${path}, which is protected: `)
          return isRight ? [] : [[tool, path, behavior, message]]
        }),
      )
      expect(wrong).toEqual([])
    })

  test("none of them is written unasked where nobody may be asked", () => {
    expect(named.map(([path]) => edit(`/repo/${path}`, { mode: "dontAsk" }).behavior)).toEqual(named.map(() => "deny"))
  })

  test("what looks alike, and what people edit all day, stays unasked", () => {
    const asked = free.filter((path) => edit(`/repo/${path}`, { mode: "acceptEdits" }).behavior !== "allow")
    expect(asked).toEqual([])
  })

  test("no question can be spared for good", () => {
    for (const path of [".npmrc", ".github/workflows/ci.yml"])
      expect(edit(`/repo/${path}`, { rules: rulesFrom({ allow: [`Edit(./${path})`] }) }).reason.kind).toBe("tool_check")
  })

  test("case and characters that file systems ignore make no other file of them", () => {
    for (const path of [
      ".HUSKY/x",
      ".Npmrc",
      ".hu\u017fky/x",
      ".n\u200cpmrc",
      ".GitHub/WorkFlows/a.yml",
      "jenkinsfile",
    ])
      expect([path, edit(`/repo/${path}`, { mode: "acceptEdits" }).behavior]).toEqual([path, "ask"])
  })

  test("reading them is free, and a rule for a program lets it read them", () => {
    const rules = rulesFrom({ allow: ["Bash(actionlint:*)", "Bash(prettier:*)"] })
    for (const command of [
      "cat .npmrc",
      "ls .husky",
      "actionlint .github/workflows/ci.yml",
      "prettier -c lefthook.yml",
    ])
      expect([command, bash(command, { rules }).behavior]).toEqual([command, "allow"])
  })

  test("whatever stands for a star is covered", () => {
    const starred = protectedTable().flatMap(({ paths }) => paths.filter((path) => path.includes("*")))
    const names = starred.flatMap((path) => ["", "x", "a.b", ".ml", "config"].map((part) => path.replaceAll("*", part)))
    const unasked = names.filter((name) => edit(`/repo/sub/${name}`, { mode: "acceptEdits" }).behavior !== "ask")
    expect(unasked).toEqual([])
  })

  test("every row of the table has lower-case names and a reason that reads on behind a colon", () => {
    for (const { paths, why } of protectedTable()) {
      expect(paths.filter((path) => path !== path.toLowerCase() || path.startsWith("/"))).toEqual([])
      expect(why).toMatch(/^[^.]+(?:\.NET[^.]*|\.js[^.]*)?$/)
    }
  })
})

describe("from the shell", () => {
  const onto: readonly string[] = [
    "mv x .husky/pre-commit",
    "mv -t .husky x",
    "cp x .husky/pre-commit",
    "cp x .husky",
    "cp x .npmrc",
    "cp .npmrc packages/a",
    "tee .npmrc < x",
    "echo x | tee -a .npmrc",
    "echo x > .gitattributes",
    "echo x >> sub/.yarnrc.yml",
    "sed -i s/a/b/ .github/workflows/ci.yml",
    "touch .envrc",
    "ln -s ../x .husky/pre-commit",
    "ln -s x .npmrc",
    "ln -s x .github",
    "ln -s x .cargo",
    "mkdir .husky",
    "mkdir -p .github/workflows",
    "chmod +x .husky/pre-commit",
    "rm .npmrc",
    "tar xf a.tgz -C .husky",
    "unzip a.zip -d .circleci",
    "cd .husky && echo x > pre-commit",
    "cat <<'E' > .husky/pre-commit\nx\nE",
    "cp x ./a/../.HUSKY/pre-commit",
  ]
  for (const mode of ["acceptEdits", "bypassPermissions"] as const)
    test(`${mode}: each is asked about`, () => {
      const wrong = onto.filter((command) => bash(command, { mode }).behavior !== "ask")
      expect(wrong).toEqual([])
    })

  test("also behind another program, and by one that no table describes, where everything else is bypassed", () => {
    const commands = [
      "bash -c 'echo x > .husky/pre-commit'",
      "sudo tee .npmrc",
      "git mv x .husky/pre-commit",
      "rsync x .husky/",
      "truncate -s 0 .npmrc",
      "install -m 755 x .husky/pre-commit",
      "curl -o .npmrc https://x.dev",
    ]
    const wrong = commands.filter((command) => bash(command, { mode: "bypassPermissions" }).behavior !== "ask")
    expect(wrong).toEqual([])
  })

  test("what does the same to other files stays unasked when edits are accepted", () => {
    const commands = [
      "mv x husky/pre-commit",
      "cp x npmrc",
      "echo x > attributes",
      "mkdir -p workflows .github",
      "touch package.json",
      "ln -s src lib",
      "sed -i s/a/b/ src/ci.yml",
      "cat .npmrc > npmrc.txt",
    ]
    const asked = commands.filter((command) => bash(command, { mode: "acceptEdits" }).behavior !== "allow")
    expect(asked).toEqual([])
  })
})

describe("on the real disk", () => {
  const root = tempTree({
    "template/.husky/pre-commit": "x",
    "template/src/a.ts": "x",
    "plain/src/a.ts": "x",
    "plain/node_modules/p/.travis.yml": "x",
    "shared/workflows/ci.yml": "x",
    "hooks/pre-commit": "x",
    ".npmrc": "x",
    "made/workflows/keep": "x",
    "ci.yml": "x",
  })
  symlinkSync(".npmrc", `${root}/settings`)
  symlinkSync("../hooks", `${root}/template/hooks`)
  symlinkSync(".husky", `${root}/later`)
  const workspace = { root }
  const realPath = diskRealPath
  const on = (command: string, mode: PermissionMode = "acceptEdits") =>
    bash(command, { mode, workspace, realPath, cwd: root })

  test("what comes along with a folder counts as written", () => {
    const commands = [
      "cp -r template app",
      "cp -a template/ app",
      "mv template app",
      "mv shared .github",
      "cp -r shared/workflows .github",
      "ln -s template app",
      "cp ci.yml made/workflows/ci.yml && mv made .github",
    ]
    for (const mode of ["acceptEdits", "bypassPermissions"] as const)
      expect(commands.filter((command) => on(command, mode).reason.kind !== "tool_check")).toEqual([])
    expect(on("cp -r template app").message).toMatch(
      /^Bash would change \S+\.husky, which is protected: Git runs hooks/,
    )
    for (const command of ["cp -r template/. .", "cp -r template/* ."])
      expect([command, on(command).behavior, on(command, "bypassPermissions").behavior]).toEqual([
        command,
        "ask",
        "ask",
      ])
  })

  test("a folder without them moves unasked, also with packages in it", () => {
    expect(["cp -r plain app", "mv plain app", "cp template/src/a.ts b.ts"].map((each) => on(each).behavior)).toEqual(
      Array(3).fill("allow"),
    )
  })

  test("a folder that holds too many files to check asks, where anybody is asked", () => {
    const many = tempTree(Object.fromEntries(Array.from({ length: 5100 }, (_, i) => [`big/${i}`, ""])))
    const move = (mode: PermissionMode) =>
      bash("mv big large", { mode, workspace: { root: many }, realPath, cwd: many }).behavior
    expect([move("acceptEdits"), move("bypassPermissions")]).toEqual(["ask", "allow"])
  })

  test("links are followed: to a file, and to a folder that is not there yet", () => {
    const write = (path: string) => edit(`${root}/${path}`, { mode: "acceptEdits", workspace, realPath }).behavior
    expect([write("settings"), write("later/pre-commit"), write("plain/x")]).toEqual(["ask", "ask", "allow"])
  })
})

test("in a copy that was made for the work, only what lies in it counts; the session's own files stay free", () => {
  const apart = { at: "/home/me/.husky/copy", of: "/repo" }
  const workspace = { root: "/home/me/.husky/copy", apart }
  const write = (path: string) => edit(`/home/me/.husky/copy/${path}`, { mode: "acceptEdits", workspace }).behavior
  expect([write("a.ts"), write(".husky/pre-commit")]).toEqual(["allow", "ask"])
  const own = ["/repo/.circleci/plan.md"]
  expect(edit("/repo/.circleci/plan.md", { workspace: { own } }).behavior).toBe("allow")
})
