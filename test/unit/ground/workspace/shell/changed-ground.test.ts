/** Two decisions about the same command by the same session, and a change of the disk between them: the second one sees it. */

import { describe, expect, test } from "bun:test"
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { realPath } from "#ground/workspace/paths.ts"
import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"
import { decidedBy } from "./decided.ts"

const system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/** A project and a home whose own programs come first. */
async function session() {
  const top = temporaryFolder()
  const made = (path: string): string => {
    mkdirSync(dirname(top.join(path)), { recursive: true })
    return top.join(path)
  }
  mkdirSync(top.join("project"))
  const bins = [".cargo/bin", ".local/bin"].map((folder) => top.join("home", folder))
  for (const folder of bins) mkdirSync(folder, { recursive: true })
  const analyzer = await openCommandAnalyzer({ path: () => [...bins, system].join(":") }).load()
  const cwd = top.join("project")
  return {
    [Symbol.dispose]: () => top[Symbol.dispose](),
    at: (path: string): string => top.join(path),
    write: (path: string, text: string): void => writeFileSync(made(path), text),
    binary: (path: string): void => copyFileSync("/usr/bin/true", made(path)),
    hardLink: (path: string, target: string): void => linkSync(top.join(target), made(path)),
    link(path: string, target: string): void {
      rmSync(made(path), { force: true })
      symlinkSync(target, top.join(path))
    },
    script(path: string): void {
      writeFileSync(made(path), "#!/bin/sh\nevil\n")
      chmodSync(top.join(path), 0o755)
    },
    isFree: (command: string): boolean =>
      decidedBy(command, { cwd, home: top.join("home"), roots: [cwd], realPath, analyzer }) === "allow",
  }
}

describe("the program behind a name", () => {
  test("is another one as soon as one lies earlier on the PATH", async () => {
    using t = await session()
    t.binary("home/.local/bin/rg")
    expect(t.isFree("rg x")).toBe(true)
    t.script("home/.cargo/bin/rg")
    expect(t.isFree("rg x")).toBe(false)
    unlinkSync(t.at("home/.cargo/bin/rg"))
    expect(t.isFree("rg x")).toBe(true)
    t.script("home/.local/bin/rg")
    expect(t.isFree("rg x")).toBe(false)
  })

  test("is another one when other bytes are in it, as many and in the same moment", async () => {
    using t = await session()
    t.binary("home/.local/bin/rg")
    const file = t.at("home/.local/bin/rg")
    const [good, { atime, mtime }] = [readFileSync(file), statSync(file)]
    const bad = good.with(0, 0)
    for (let i = 0; i < 20; i++) {
      expect(t.isFree("rg x")).toBe(true)
      writeFileSync(file, bad)
      utimesSync(file, atime, mtime)
      expect(t.isFree("rg x")).toBe(false)
      writeFileSync(file, good)
      utimesSync(file, atime, mtime)
    }
  })

  test("is another one when its link leads elsewhere", async () => {
    using t = await session()
    t.binary("home/.cargo/rg")
    t.binary("project/rg")
    t.link("home/.cargo/bin/rg", "/usr/bin/true")
    expect(t.isFree("rg x")).toBe(false)
    t.binary("home/.local/bin/rg")
    t.link("home/.cargo/bin/rg", t.at("home/.local/bin/rg"))
    expect(t.isFree("rg x")).toBe(true)
    t.link("home/.cargo/bin/rg", t.at("project/rg"))
    expect(t.isFree("rg x")).toBe(false)
  })

  test("is another one when a link leads to another name of the same file", async () => {
    using t = await session()
    t.binary("home/.local/bin/rg")
    t.hardLink("project/rg", "home/.local/bin/rg")
    t.link("home/.cargo/bin/rg", t.at("home/.local/bin/rg"))
    expect(t.isFree("rg x")).toBe(true)
    t.link("home/.cargo/bin/rg", t.at("project/rg"))
    expect(t.isFree("rg x")).toBe(false)
  })

  test("is another one when a link on the way to it leads elsewhere", async () => {
    using t = await session()
    t.binary("home/.local/bin/rg")
    t.hardLink("project/bin/rg", "home/.local/bin/rg")
    t.link("home/step", t.at("home/.local/bin"))
    t.link("home/.cargo/bin/rg", t.at("home/step/rg"))
    expect(t.isFree("rg x")).toBe(true)
    t.link("home/step", t.at("project/bin"))
    expect(t.isFree("rg x")).toBe(false)
  })
})

describe("what git is configured to run", () => {
  const repository = async () => {
    const t = await session()
    t.write("project/.git/HEAD", "ref: refs/heads/main\n")
    t.write("project/.git/config", "[core]\n\tnotesref = x\n")
    return t
  }

  test("changes within the same moment, and keeps its length and its time", async () => {
    using t = await repository()
    const { atime, mtime } = statSync(t.at("project/.git/config"))
    for (let i = 0; i < 20; i++) {
      expect(t.isFree("git status")).toBe(true)
      t.write("project/.git/config", "[core]\n\tunknown_ = x\n".replace("_", "s"))
      utimesSync(t.at("project/.git/config"), atime, mtime)
      expect(t.isFree("git status")).toBe(false)
      t.write("project/.git/config", "[core]\n\tnotesref = x\n")
      utimesSync(t.at("project/.git/config"), atime, mtime)
    }
  })

  test("comes from a further file, or from the settings of a worktree", async () => {
    using t = await repository()
    expect(t.isFree("git status")).toBe(true)
    t.write("project/.git/config.worktree", "[diff]\n\texternal = evil\n")
    expect(t.isFree("git status")).toBe(false)
    t.write("project/.git/config.worktree", "")
    expect(t.isFree("git status")).toBe(true)
    t.write("project/.git/config", "[include]\n\tpath = more\n")
    expect(t.isFree("git status")).toBe(false)
    t.write("project/.git/more", "")
    expect(t.isFree("git status")).toBe(false)
  })

  test("comes from the home, and from a repository that another one takes in", async () => {
    using t = await repository()
    expect(t.isFree("git diff")).toBe(true)
    t.write("home/.gitconfig", "[diff]\n\texternal = ./evil\n")
    expect(t.isFree("git diff")).toBe(false)
    unlinkSync(t.at("home/.gitconfig"))
    expect(t.isFree("git diff")).toBe(true)
    rmSync(t.at("project/.git"), { recursive: true })
    t.write("project/.git", "gitdir: ../other\n")
    t.write("other/config", "")
    expect(t.isFree("git diff")).toBe(false)
  })
})

describe("what lies below a folder", () => {
  test("is looked at again: a link that leads out, or that took the place of a file", async () => {
    using t = await session()
    t.write("project/src/deep/a.ts", "")
    expect(t.isFree("grep -R x src")).toBe(true)
    expect(t.isFree("cat src/deep/*")).toBe(true)
    t.link("project/src/deep/a.ts", "/etc/passwd")
    expect(t.isFree("grep -R x src")).toBe(false)
    expect(t.isFree("cat src/deep/*")).toBe(false)
    t.link("project/src/deep/a.ts", "b.ts")
    expect(t.isFree("grep -R x src")).toBe(true)
    expect(t.isFree("cat src/deep/*")).toBe(true)
  })

  test("is looked at again: a name that would be a flag", async () => {
    using t = await session()
    t.write("project/a.ts", "")
    expect(t.isFree("head *")).toBe(true)
    t.write("project/-oa.ts", "")
    expect(t.isFree("head *")).toBe(false)
    expect(t.isFree("find . -name '*.ts' | xargs sort")).toBe(true)
    t.write("project/x -o y.ts", "")
    expect(t.isFree("find . -name '*.ts' | xargs sort")).toBe(false)
  })
})
