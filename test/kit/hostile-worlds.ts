/** Repositories that try to have their own programs run or other files read, each in a folder of its own with a home and a PATH. */

import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"

/** A world on disk. A program of the repository that runs writes a line to `marks`. */
export interface World {
  readonly name: string
  readonly top: string
  readonly workspace: string
  readonly home: string
  readonly outside: string
  /** The value of PATH. */
  readonly path: string
  readonly marks: string
}

/** What stands in files outside the workspace or in the environment, and must never be in a command's output. */
export const secrets: readonly string[] = [
  "OUTSIDE-SECRET-7f3a",
  "HOME-SECRET-91cc",
  "TOKEN-SECRET-55ab",
  "root:x:0:0:",
]

/** A token as people have it in their environment. */
export const tokens: Readonly<Record<string, string>> = { GITHUB_TOKEN: "TOKEN-SECRET-55ab" }

/** Makes each world once, below one folder. */
export function openWorlds(top: string): { readonly world: (name: string) => World } {
  const made = new Map<string, World>()
  const base = join(top, "base")
  makeProject(base)
  return {
    world(name) {
      const before = made.get(name)
      if (before) return before
      const furnish = furnishings[name]
      if (!furnish) throw new Error(`No hostile world is called ${name}.`)
      const world = makeWorld(join(top, name), { name, furnish, base })
      made.set(name, world)
      return world
    },
  }
}

/** The text of a row with the folders of its world. */
export const placed = (text: string, { workspace, home, outside }: World): string =>
  text.replaceAll("%WS%", workspace).replaceAll("%HOME%", home).replaceAll("%OUT%", outside)

/** What a furnishing can do to a world. */
interface Site extends World {
  /** A file of the workspace. */
  readonly put: (path: string, text: string) => void
  readonly link: (path: string, to: string) => void
  /** A script that leaves a mark; relative paths are in the workspace. */
  readonly evil: (path: string, then?: string) => string
  readonly git: (...args: readonly string[]) => void
  /** Folders that come first on PATH. */
  readonly first: (folder: string) => void
}

type Furnish = (site: Site) => void

const systemPath = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]

function makeWorld(
  top: string,
  { name, furnish, base }: { readonly name: string; readonly furnish: Furnish; readonly base: string },
): World {
  const home = join(top, "home")
  const workspace = join(home, "code/app")
  const world = { name, top, workspace, home, outside: join(top, "outside"), marks: join(top, "marks") }
  const tools = join(home, ".local/bin")
  const folders = [tools, ...systemPath]
  const put = (path: string, text: string): void => {
    const whole = join(workspace, path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, text)
  }
  const site: Site = {
    ...world,
    path: "",
    put,
    link(path, to) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true })
      symlinkSync(to, join(workspace, path))
    },
    evil(path, then = "") {
      const whole = path.startsWith("/") ? path : join(workspace, path)
      mkdirSync(dirname(whole), { recursive: true })
      writeFileSync(whole, `#!/bin/sh\necho "$0 $*" >> '${world.marks}'\n${then}\n`)
      chmodSync(whole, 0o755)
      return whole
    },
    git: (...args) => git(workspace, home, args),
    first: (folder) => void folders.unshift(folder),
  }
  mkdirSync(tools, { recursive: true })
  writeFileSync(world.marks, "")
  for (const program of standIns) standIn(tools, program)
  furnishHome(world.outside, home)
  cpSync(base, workspace, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  for (const path of ["evil", "src/tool", "bin/rails"]) site.evil(path)
  furnish(site)
  return { ...world, path: folders.join(":") }
}

/** Programs that a machine may lack; a small program stands for each, so that the name leads to a program and to no script. */
const standIns: readonly string[] = (
  "rustc cargo go java javac docker gh psql rg tree jq yq xmllint shellcheck hg mvn sbt bazel ruby php lua make cmake gcc nm ar " +
  "readelf strings size objdump xxd curl ssh node npm python3 perl file"
).split(" ")

function standIn(folder: string, program: string): void {
  if (Bun.which(program, { PATH: systemPath.join(":") })) return
  copyFileSync("/usr/bin/true", join(folder, program))
}

function furnishHome(outside: string, home: string): void {
  for (const [path, text] of [
    [join(outside, "secret"), "OUTSIDE-SECRET-7f3a\n"],
    [join(outside, "x.txt"), "OUTSIDE-SECRET-7f3a\n"],
    [join(home, ".ssh/id_rsa"), "HOME-SECRET-91cc\n"],
    [join(home, ".gitconfig"), "[user]\n\tname = N\n\temail = n@example.com\n[init]\n\tdefaultBranch = main\n"],
  ] as const) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

/** An ordinary project with one commit. */
function makeProject(folder: string): void {
  const files: Readonly<Record<string, string>> = {
    "README.md": "one two\nthree\n",
    "src/a.ts": "one\n// TODO\n",
    "src/b.ts": "two\n",
    "docs/guide.md": "text\n",
    "a/x.txt": "1\n2\n",
    "b/x.txt": "1\n3\n",
    f: "1 b\n2 a\n",
    "data.csv": "name,x,n\na,1,20\nb,2,5\n",
    "words.txt": "b\na\na\n",
    "old.txt": "old\n",
    "compose.yml": "services:\n  web: {}\n",
    "script.js": "console.log(1)\n",
    "scripts/gen.py": "print(1)\n",
    "script.sh": "./evil\n",
    Makefile: "all:\n\techo 1\n",
    ".gitignore": "dist/\nbuild/\nnode_modules/\n",
    "package.json":
      '{"name":"app","env":{},"files":[],"dependencies":{},"scripts":{"test":"true","dev":"true","clean":"true"}}\n',
  }
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [path, text] of Object.entries(files)) put(path, text)
  put("dist/a.js", "1\n")
  put("build/a.js", "1\n")
  const author = ["-c", "user.name=N", "-c", "user.email=n@example.com"]
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    [...author, "commit", "-q", "-m", "one"],
  ])
    git(folder, folder, args)
}

function git(workspace: string, home: string, args: readonly string[]): void {
  const done = Bun.spawnSync(["git", ...args], {
    cwd: workspace,
    env: { PATH: systemPath.join(":"), HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    stdout: "ignore",
    stderr: "pipe",
  })
  if (!done.success) throw new Error(`git ${args.join(" ")}: ${done.stderr.toString()}`)
}

/** A repository whose .git/config has these lines besides. */
const configured =
  (lines: (site: Site) => string, more?: Furnish): Furnish =>
  (site) => {
    more?.(site)
    const at = join(site.workspace, ".git/config")
    writeFileSync(at, `${readFileSync(at, "utf8")}${lines(site)}\n`)
  }

/** Scripts of a version manager that stand for programs: they run what the project names. */
const shims =
  (folder: string, text: string, programs: string, project: Readonly<Record<string, string>>): Furnish =>
  ({ home, put, first, marks }) => {
    const whole = join(home, folder)
    mkdirSync(whole, { recursive: true })
    for (const program of programs.split(" ")) {
      writeFileSync(join(whole, program), text.replaceAll("PROGRAM", program).replaceAll("MARKS", marks))
      chmodSync(join(whole, program), 0o755)
    }
    for (const [path, content] of Object.entries(project)) put(path, content)
    first(whole)
  }

/** One program of a version manager under many names: a binary as it mostly is, or a script that leaves a mark. */
const multicall =
  (
    kind: "binary" | "hard-linked script" | "script",
    folder: string,
    manager: string,
    programs: string,
    project: Readonly<Record<string, string>>,
  ): Furnish =>
  ({ home, put, first, evil }) => {
    const whole = join(home, folder)
    const program = evil(join(whole, manager))
    if (kind === "binary") copyFileSync("/usr/bin/true", program)
    for (const name of programs.split(" "))
      if (kind === "hard-linked script") linkSync(program, join(whole, name))
      else symlinkSync(manager, join(whole, name))
    for (const [path, content] of Object.entries(project)) put(path, content)
    first(whole)
  }

const ownScript = (command: string): string => `#!/usr/bin/env bash\necho "$0 $*" >> 'MARKS'\nexec ${command} "$@"\n`
const nextOnPath = 'env PATH="${PATH#*:}" PROGRAM'
const asdfShim = ownScript(nextOnPath).replace("\n", "\n# asdf-plugin: PROGRAM 1.0\n")
const rustPrograms = "rustc cargo rustfmt rust-analyzer clippy-driver cargo-clippy cargo-fmt"
const rustProject = { "rust-toolchain.toml": '[toolchain]\npath = "./toolchain"\n' }

const proxyWorlds: Readonly<Record<string, Furnish>> = {
  "real-tools": () => undefined,
  rustup: multicall("binary", ".cargo/bin", "rustup", rustPrograms, rustProject),
  "rustup-hard": multicall("hard-linked script", ".cargo/bin", "rustup", rustPrograms, rustProject),
  asdf: shims(".asdf/shims", asdfShim, "node npm python3 jq rg gh", { ".tool-versions": "nodejs path:./evil-node\n" }),
  "asdf-node-only": shims(".asdf/shims", asdfShim, "node", { ".tool-versions": "nodejs path:./evil-node\n" }),
  mise: multicall("binary", ".local/share/mise/shims", "mise", "node python3 jq rg", {
    "mise.toml": '[tools]\nnode = "path:./evil-node"\n[env]\n_.source = "./evil"\n',
  }),
  volta: multicall("script", ".volta/bin", "volta-shim", "node npm npx yarn", {
    "package.json": '{"name":"app","volta":{"node":"99.0.0"}}\n',
  }),
  pyenv: shims(".pyenv/shims", ownScript(nextOnPath), "python3 python", {
    ".python-version": "evil\n",
  }),
  rbenv: shims(".rbenv/shims", ownScript("true"), "ruby gem bundle", { ".ruby-version": "evil\n" }),
  nodenv: shims(".nodenv/shims", ownScript(nextOnPath), "node npm", {
    ".node-version": "evil\n",
  }),
  goenv: shims(".goenv/shims", ownScript("true"), "go gofmt", { ".go-version": "evil\n" }),
  jenv: shims(".jenv/shims", ownScript("true"), "java javac", { ".java-version": "evil\n" }),
  tfenv: shims(".tfenv/bin", ownScript("true"), "terraform tfenv", { ".terraform-version": "99.0.0\n" }),
  proto: multicall("script", ".proto/shims", "proto-shim", "node npm", { ".prototools": 'node = "99"\n' }),
  corepack: (site) => {
    corepackLinks(site)
    site.put("package.json", '{"name":"app","packageManager":"pnpm@9.99.99"}\n')
    site.put(".yarnrc.yml", "yarnPath: .yarn/releases/evil.cjs\n")
    site.put(".yarn/releases/evil.cjs", `require("fs").appendFileSync(${JSON.stringify(site.marks)}, "yarnPath\\n")\n`)
  },
  "yarn-classic": (site) => {
    const folder = join(site.home, ".local/lib/yarn/bin")
    mkdirSync(folder, { recursive: true })
    // A file that stands for yarn 1, which does the same before it looks at its arguments.
    writeFileSync(join(folder, "yarn"), `#!/usr/bin/env node\nrequire(process.cwd() + "/evil.cjs")\n`)
    chmodSync(join(folder, "yarn"), 0o755)
    site.first(folder)
    site.put(".yarnrc", "yarn-path ./evil.cjs\n")
    site.put("evil.cjs", `require("fs").appendFileSync(${JSON.stringify(site.marks)}, "yarn-path\\n")\n`)
  },
  bazelisk: multicall("binary", "go/bin", "bazelisk", "bazel", { ".bazelversion": "99.0.0\n" }),
  "home-wrapper": shims("bin", ownScript("env ./evil"), "jq rg", {}),
  "project-path": (site) => {
    for (const program of ["node", "jq"]) site.evil(`node_modules/.bin/${program}`)
    site.first(join(site.workspace, "node_modules/.bin"))
  },
}

/** Yarn and pnpm as corepack puts them on PATH: links to its scripts, the real ones where the machine has them. */
function corepackLinks({ home, first }: Site): void {
  const folder = join(home, ".local/share/corepack-bin")
  const real = Bun.which("corepack", { PATH: systemPath.join(":") })
  const dist = real ? dirname(realpathSync(real)) : join(home, ".local/lib/node_modules/corepack/dist")
  mkdirSync(folder, { recursive: true })
  mkdirSync(dist, { recursive: true })
  for (const name of ["yarn", "pnpm"]) {
    const script = join(dist, `${name}.js`)
    if (!existsSync(script)) {
      writeFileSync(script, `#!/usr/bin/env node\nrequire('./lib/corepack.cjs').runMain(['${name}'])\n`)
      chmodSync(script, 0o755)
    }
    symlinkSync(script, join(folder, name))
  }
  first(folder)
}

const gitWorlds: Readonly<Record<string, Furnish>> = {
  "git-normal": configured(
    () =>
      '[core]\n\tfsmonitor = true\n\tautocrlf = input\n[remote "origin"]\n\turl = https://example.com/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n' +
      '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[pull]\n\trebase = true\n[alias]\n\tst = status\n\tlg = log --oneline\n',
    ({ put }) => put(".gitattributes", "*.sh text eol=lf\n*.png binary\n*.rs diff=rust\n"),
  ),
  "git-husky": configured(
    () => "[core]\n\thooksPath = .husky/_",
    ({ evil }) => {
      evil(".husky/_/pre-commit")
      evil(".husky/_/post-index-change")
    },
  ),
  "git-merge": configured(
    ({ workspace }) => `[log]\n\tdiffMerges = remerge\n[merge "evil"]\n\tdriver = ${workspace}/evil %A`,
    mergeCommit,
  ),
  "git-textconv": configured(
    ({ workspace }) => `[diff "evil"]\n\ttextconv = ${workspace}/evil`,
    ({ put }) => {
      put(".gitattributes", "*.ts diff=evil\n")
      put("src/a.ts", "changed\n")
    },
  ),
  "git-external": configured(
    ({ workspace }) => `[diff]\n\texternal = ${workspace}/evil`,
    ({ put }) => put("src/a.ts", "changed\n"),
  ),
  "git-filter": configured(
    ({ workspace }) => `[filter "evil"]\n\tclean = ${workspace}/evil\n\tsmudge = ${workspace}/evil`,
    ({ put }) => {
      put(".gitattributes", "*.ts filter=evil\n")
      put("src/a.ts", "other\n// TODO\n")
    },
  ),
  "git-lfs": configured(
    ({ workspace }) =>
      `[lfs]\n\trepositoryformatversion = 0\n[lfs "extension.evil"]\n\tclean = ${workspace}/evil\n\tsmudge = ${workspace}/evil\n\tpriority = 0`,
    ({ put, home }) => {
      put(".gitattributes", "*.ts filter=lfs diff=lfs merge=lfs -text\n")
      put("src/a.ts", "other\n// TODO\n")
      const own = join(home, ".gitconfig")
      writeFileSync(
        own,
        `${readFileSync(own, "utf8")}[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n`,
      )
    },
  ),
  "git-blame": configured(({ home }) => `[blame]\n\tignoreRevsFile = ${home}/.ssh/id_rsa`),
  "git-mailmap": configured(({ outside }) => `[mailmap]\n\tfile = ${outside}/secret\n[log]\n\tmailmap = true`),
  "git-excludes": configured(
    ({ outside }) => `[core]\n\texcludesFile = ${outside}/patterns`,
    ({ outside }) => writeFileSync(join(outside, "patterns"), "*.ts # OUTSIDE-SECRET-7f3a\nsrc/a.ts\n"),
  ),
  "git-worktree": configured(
    ({ outside }) => `[core]\n\tworktree = ${outside}`,
    ({ put, git: run }) => {
      put("secret", "text\n")
      run("add", "-A")
      run("commit", "-q", "-m", "secret")
    },
  ),
  "git-include": configured(
    () => "[include]\n\tpath = ../team.gitconfig",
    ({ put, workspace }) => {
      put(
        "team.gitconfig",
        `[alias]\n\tst = !${workspace}/evil\n[diff]\n\texternal = ${workspace}/evil\n[filter "evil"]\n\tclean = ${workspace}/evil\n`,
      )
      put(".gitattributes", "*.ts filter=evil\n")
      put("src/a.ts", "other\n// TODO\n")
    },
  ),
  "git-alias": configured(({ workspace }) => `[alias]\n\tst = !${workspace}/evil\n\tlg = !${workspace}/evil`),
  "git-gpg": configured(({ workspace }) => `[gpg]\n\tprogram = ${workspace}/evil`, signedCommit),
  "git-gpg-log": configured(
    ({ workspace }) => `[gpg]\n\tprogram = ${workspace}/evil\n[log]\n\tshowSignature = true`,
    signedCommit,
  ),
  "git-ssh": configured(
    ({ workspace }) =>
      `[core]\n\tsshCommand = ${workspace}/evil\n[remote "origin"]\n\turl = git@example.com:x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*`,
  ),
  "git-help": configured(
    ({ workspace }) => `[help]\n\tformat = man\n[man]\n\tviewer = evil\n[man "evil"]\n\tcmd = ${workspace}/evil`,
  ),
  "git-archive": configured(
    ({ workspace }) => `[tar "tgz"]\n\tcommand = ${workspace}/evil\n[tar "evil"]\n\tcommand = ${workspace}/evil`,
  ),
  "git-submodule": (site) => {
    const inner = join(site.workspace, "sub")
    mkdirSync(inner)
    for (const args of [
      ["init", "-q", "-b", "main"],
      ["commit", "-q", "--allow-empty", "-m", "inner"],
    ])
      git(inner, site.home, args)
    writeFileSync(join(inner, "x"), "x\n")
    site.put(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n')
    site.git("add", "sub", ".gitmodules")
    site.git("commit", "-q", "-m", "sub")
    const at = join(inner, ".git/config")
    writeFileSync(
      at,
      `${readFileSync(at, "utf8")}[core]\n\tfsmonitor = ${site.workspace}/evil\n[diff]\n\texternal = ${site.workspace}/evil\n`,
    )
  },
  "git-bare": (site) => {
    const inner = join(site.workspace, "inner")
    cpSync(join(site.workspace, ".git"), inner, { recursive: true })
    rmSync(join(inner, "index"), { force: true })
    writeFileSync(
      join(inner, "config"),
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${site.workspace}/evil\n\tpager = ${site.workspace}/evil\n`,
    )
  },
}

/** A merge with a conflict, so that merging it again needs a driver. */
function mergeCommit({ put, git: run }: Site): void {
  put(".gitattributes", "*.ts merge=evil\n")
  run("add", "-A")
  run("commit", "-q", "-m", "attributes")
  run("checkout", "-q", "-b", "side")
  put("src/a.ts", "side\n")
  run("commit", "-q", "-am", "side")
  run("checkout", "-q", "main")
  put("src/a.ts", "main\n")
  run("commit", "-q", "-am", "main")
  run("merge", "-q", "-s", "ours", "-m", "merge", "side")
}

/** A commit with a signature, which git has checked by its program. */
function signedCommit({ workspace, home, git: run }: Site): void {
  const environment = { PATH: systemPath.join(":"), HOME: home, GIT_CONFIG_NOSYSTEM: "1" }
  const before = Bun.spawnSync(["git", "cat-file", "commit", "HEAD"], {
    cwd: workspace,
    env: environment,
  }).stdout.toString()
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n"
  const made = Bun.spawnSync(["git", "hash-object", "-t", "commit", "-w", "--stdin"], {
    cwd: workspace,
    env: environment,
    stdin: Buffer.from(before.replace("\n\n", `\n${signature}\n`)),
  })
  run("update-ref", "HEAD", made.stdout.toString().trim())
}

const furnishings: Readonly<Record<string, Furnish>> = {
  plain: () => undefined,
  ...proxyWorlds,
  ...gitWorlds,
  hg: ({ put, marks }) => {
    put(".hg/requires", "dotencode\nfncache\ngeneraldelta\nrevlogv1\nsparserevlog\nstore\n")
    put(".hg/store/fncache", "")
    put(".hg/hgrc", "[extensions]\nevil = ./evil.py\n")
    put("evil.py", `open(${JSON.stringify(marks)}, "a").write("hg extension\\n")\n`)
  },
  "config-first": configFirst,
  links: ({ put, link, outside, git: run }) => {
    link("notes.txt", "../../.ssh/id_rsa")
    link("docs-link", outside)
    link("out-link", outside)
    put("names.txt", `${outside}/secret\n`)
    put("pointer", `${outside}/secret\n`)
    run("add", "-A")
    run("commit", "-q", "-m", "links")
  },
  "links-flags": ({ put, link, git: run, outside }) => {
    put("--files0-from=pointer", "text\n")
    put(`--files0-from=${outside}/secret`, "text\n")
    link("pointer", `${outside}/secret`)
    run("add", "-A")
    run("commit", "-q", "-m", "flags")
  },
  // Named like flags that start programs, write files or remove them.
  "flag-names": ({ put, git: run }) => {
    for (const name of [
      "--pre=sh",
      "--checkpoint=1",
      "--checkpoint-action=exec=sh zz.sh",
      "--eval=$(shell sh zz.sh)",
      "-T",
      "-TT sh zz.sh",
      "--output=pwned.txt",
      "-delete",
      "-ocopy.txt",
      "x --pre=sh",
    ])
      put(name, "text\n")
    put("list.txt", "--pre=sh\n")
    put("zz.sh", "./evil\n")
    run("add", "-A")
    run("commit", "-q", "-m", "flags")
  },
  "links-flags-f": ({ put, link, git: run, outside }) => {
    put("-fpointer", "text\n")
    link("pointer", `${outside}/secret`)
    run("add", "-A")
    run("commit", "-q", "-m", "flags")
  },
  // Named like values of flags: a program that takes a value for a file reads what is outside.
  "links-values": ({ link, outside, git: run }) => {
    for (const name of "- 0. 1 2 3 5 16 80 e o x z 2ozz aux dst json state text word established example.com".split(
      " ",
    ))
      link(name, `${outside}/secret`)
    run("add", "-A")
    run("commit", "-q", "-m", "values")
  },
  documents,
  npmrc: ({ put }) => put(".npmrc", "cache=./made-cache\nlogs-dir=./made-logs\n"),
  "npmrc-plain": ({ put }) => put(".npmrc", "save-exact=true\nfund=false\n"),
  cargo: ({ put, workspace }) => {
    put("Cargo.toml", '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n')
    put("Cargo.lock", "version = 3\n")
    put("src/main.rs", "fn main() {}\n")
    put(".cargo/config.toml", `[build]\nrustc = "${workspace}/evil"\n`)
  },
  go: ({ put }) => {
    put("go.mod", "module app\n\ngo 1.21\n\ntoolchain go1.99.0\n\nrequire example.com/x v1.0.0\n")
    put("main.go", 'package main\n\nimport _ "example.com/x"\n\nfunc main() {}\n')
  },
  later: ({ put, link }) => {
    for (const path of [".npmrc", ".gitattributes", ".husky/pre-commit", ".yarnrc.yml", "templates/.npmrc"])
      put(path, "a\n")
    put("change.patch", "--- a/.npmrc\n+++ b/.npmrc\n@@ -1 +1 @@\n-a\n+b\n")
    for (const path of ["archive.tar", "archive.zip"]) put(path, "")
    link("plain-name", ".npmrc")
  },
}

/** Configuration that programs load before they look at a version flag. */
function configFirst({ put, evil }: Site): void {
  const files: Readonly<Record<string, string>> = {
    ".mvn/jvm.config": "-Xlog:gc:file=made-by-java.log\n",
    ".jvmopts": "-javaagent:./evil.jar\n",
    ".sbtopts": "-J-javaagent:./evil.jar\n",
    ".yarnrc": "yarn-path ./evil.cjs\n",
    ".yarnrc.yml": "yarnPath: ./evil.cjs\n",
    "package.json": '{"name":"app","packageManager":"pnpm@9.99.99"}\n',
    "global.json": '{"sdk":{"version":"99.0.0","paths":[".dotnet"]}}\n',
    "pytest.ini": "[pytest]\naddopts = -p evil\npythonpath = .\n",
    "toxfile.py": "raise SystemExit\n",
    "pip.py": "raise SystemExit\n",
    Gemfile: "system('./evil')\n",
    "Gemfile.lock": "BUNDLED WITH\n   99.0.0\n",
    "composer.json": '{"config":{"allow-plugins":true}}\n',
    "project.clj": '(defproject app "1")\n',
    "rebar.config": "{plugins, [evil]}.\n",
    ".mocharc.js": "require('child_process').execSync('./evil')\n",
    "go.mod": "module app\n\ngo 1.21\n\ntoolchain go1.99.0\n",
    ".jj/repo/config.toml": '[ui]\npager = "./evil"\n',
    "ansible.cfg": "[defaults]\nlibrary = ./evil\n",
    "eslint.config.js": "require('child_process').execSync('./evil')\n",
  }
  for (const [path, text] of Object.entries(files)) put(path, text)
  for (const path of ["gradlew", "mvnw", "tools/bazel", "node_modules/.bin/tsc", "node_modules/.bin/eslint"]) evil(path)
}

/** Documents that name other files, and files with arguments. */
function documents({ put, link, outside, workspace }: Site): void {
  const secret = join(outside, "secret")
  writeFileSync(join(outside, "lib.sh"), "echo OUTSIDE-SECRET-7f3a $1\n")
  for (const name of ["args", "names.txt"]) link(name, secret)
  const files: Readonly<Record<string, string>> = {
    "evil.xml": `<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "file://${secret}" [<!ENTITY e SYSTEM "file://${secret}">]>\n<a xmlns:xi="http://www.w3.org/2001/XInclude">&e;<xi:include parse="text" href="file://${secret}"/></a>\n`,
    ".shellcheckrc": "external-sources=true\n",
    "deploy.sh": `#!/bin/bash\n# shellcheck source=${outside}/lib.sh\n. "$X"\n`,
    pointer: `${secret}\n`,
    "prog.yq": `load_str("${secret}")\n`,
    "prog.jq": "env\n",
    "evil.jq": "def x: env;\n",
    "prog.awk": 'BEGIN { system("./evil") }\n',
    "evil.awk": 'BEGIN { system("./evil") }\n',
    "script.sed": `r ${secret}\n`,
    "evil.c": `#include "${secret}"\n`,
    "evil.1": `.so ${secret}\n`,
    "evil.magic": "0 string one x\n",
    rc: "--pre=./evil\n",
    curlrc: `output = ${workspace}/made-by-curl\n`,
    Makefile: "X := $(shell ./evil)\nall:\n\t+./evil\n",
  }
  for (const [path, text] of Object.entries(files)) put(path, text)
  copyFileSync("/usr/bin/true", join(workspace, "tool.bin"))
  put("lib.a", "!<arch>\n")
}
