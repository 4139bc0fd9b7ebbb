/** What lies around a command on a real disk, and how it changes whether the command may run unasked. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { realPath } from "#ground/workspace/paths.ts"
import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"
import { decidedBy } from "./decided.ts"

const analyzer = await openCommandAnalyzer().load()

/** Whether commands run unasked in a real folder that holds these files and links. */
function inFolder(files: readonly string[], links: { readonly [at: string]: string } = {}) {
  const top = temporaryFolder()
  const root = top.join("project")
  mkdirSync(root)
  for (const file of files) {
    mkdirSync(dirname(top.join(`project/${file}`)), { recursive: true })
    writeFileSync(top.join(`project/${file}`), "{}\n")
  }
  for (const [at, to] of Object.entries(links)) {
    mkdirSync(dirname(top.join(`project/${at}`)), { recursive: true })
    symlinkSync(to, top.join(`project/${at}`))
  }
  const place = { cwd: root, home: top.join("home"), roots: [root], realPath, analyzer }
  return {
    isFree: (command: string): boolean => decidedBy(command, place) === "allow",
    isFileWork: (command: string): boolean => decidedBy(command, place, { mode: "acceptEdits" }) === "allow",
    [Symbol.dispose]: () => top[Symbol.dispose](),
  }
}

describe("links below a folder", () => {
  test("are looked at where a program follows them, and through other links too", () => {
    using t = inFolder(["src/a.ts", "lib/b.ts", "deep/c.ts"], {
      "lib/out": "/etc",
      "src/in": "../deep",
      "deep/on": "../lib",
    })
    expect(t.isFree("grep -r x lib")).toBe(true)
    expect(t.isFree("grep -R x lib")).toBe(false)
    expect(t.isFree("grep -R x src")).toBe(false)
    expect(t.isFree("rg -L x lib")).toBe(false)
    expect(t.isFree("diff -r src lib")).toBe(false)
    expect(t.isFree("diff -r --no-dereference src lib")).toBe(true)
    expect(t.isFree("grep -R x src/a.ts")).toBe(true)
  })

  test("are told of and not followed where a program only names them", () => {
    using t = inFolder(["src/a.ts", "a.txt"], { out: "/etc" })
    expect(t.isFree("ls -d */")).toBe(true)
    expect(t.isFree("du -sh *")).toBe(true)
    expect(t.isFree("du -D -sh *")).toBe(false)
    expect(t.isFree("ls */")).toBe(false)
    expect(t.isFree("cat *")).toBe(false)
    expect(t.isFree("cat [ao]*/hosts")).toBe(false)
    expect(t.isFree("cat s[r]c/*")).toBe(true)
  })

  test("are followed nowhere that is too large to look through", () => {
    using t = inFolder(Array.from({ length: 5100 }, (_, i) => `many/${i}`))
    expect(t.isFree("grep -R x many")).toBe(false)
    expect(t.isFree("grep -r x many")).toBe(true)
  })
})

describe("files around a program", () => {
  const table: readonly [file: string, command: string][] = [
    [".cargo/config.toml", "cargo tree"],
    ["rust-toolchain.toml", "cargo metadata --no-deps"],
    [".mvn/jvm.config", "mvn --version"],
    ["json.py", "python3 -m pip list"],
    ["pyproject.toml", "uv pip list"],
    [".venv/bin/python", "uv pip list"],
    ["node_modules/jest/package.json", "jest --version"],
    ["node_modules/.bin/tsc", "npx tsc --version"],
    ["package.json", "npm explain react"],
    ["Gemfile.lock", "bundle --version"],
    ["global.json", "dotnet --version"],
    [".mocharc.cjs", "mocha --version"],
    ["gradle.properties", "gradle --version"],
    [".golangci.yml", "golangci-lint --version"],
    [".valgrindrc", "valgrind --version"],
    [".luarocks/config.lua", "luarocks --version"],
    ["packer-plugin-x", "packer version"],
    [".poetry/plugins/x.py", "poetry --version"],
    [".hg/hgrc", "pip freeze"],
    ["go.work", "go list ./..."],
    ["bunfig.toml", "bun pm ls"],
    ["package.json", "yarn why react"],
    ["node_modules/jest-cli/package.json", "npx jest --version"],
    [".shellcheckrc", "shellcheck run.sh"],
  ]
  test.each(table)("%s makes %s a question", (file, command) => {
    using bare = inFolder(["README.md"])
    using held = inFolder(file === "package.json" ? [file, ".npmrc"] : [file])
    expect([bare.isFree(command), held.isFree(command)]).toEqual([true, false])
  })

  test("an old lock is no reason to ask: behind the wall it cannot be written", () => {
    using t = inFolder(["Cargo.toml", "Cargo.lock"])
    expect(t.isFree("cargo tree")).toBe(true)
    expect(t.isFree("cargo tree --offline")).toBe(true)
    expect(t.isFree("cargo metadata --format-version 1")).toBe(true)
    expect(t.isFree("cargo pkgid")).toBe(true)
    using held = inFolder(["Cargo.toml", ".cargo"])
    expect(held.isFree("cargo tree")).toBe(false)
  })

  test("npx runs nothing that a package of the project calls by that name", () => {
    using t = inFolder([])
    expect(t.isFree("npx tsc --version")).toBe(true)
    expect(t.isFree("npx cowsay --version")).toBe(false)
    expect(t.isFree("npx -p evil tsc --version")).toBe(false)
    using bin = inFolder(["package.json"])
    expect(bin.isFree("npx tsc --version")).toBe(true)
  })

  test("no part of the same line may make such a file first", () => {
    using t = inFolder(["README.md"])
    expect(t.isFree("cargo tree")).toBe(true)
    expect(t.isFileWork("echo x > notes.txt && cat notes.txt")).toBe(true)
    expect(t.isFileWork("mkdir .cargo && cargo tree")).toBe(false)
    expect(t.isFileWork("echo x > rust-toolchain; rustc --version")).toBe(false)
  })
})

describe("plain file work", () => {
  test.each([
    ["rm a.txt", true],
    ["rm -f a.txt src/b.ts", true],
    ["rm -r src", false],
    ["rm *.txt", false],
    ["ln -s ../a.txt src/link", true],
    ["ln -s ../../a.txt src/link", false],
    ["ln -s /etc/passwd link", false],
    ["ln a.txt b.txt", false],
    ["chmod +x a.txt", true],
    ["chmod 0644 a.txt", true],
    ["chmod 4755 a.txt", false],
    ["chmod g+s a.txt", false],
    ["cp a.txt b.txt && mv b.txt c.txt", true],
    ["mv out gone && cat gone/passwd", false],
    ["sed -i.bak 's/a/b/' a.txt", true],
    ["sed -i '1i hello' a.txt", true],
    ["sed -i '1e id' a.txt", false],
  ])("%s: %p", (command, wanted) => {
    using t = inFolder(["a.txt", "src/b.ts"], { out: "/etc" })
    expect(t.isFileWork(command)).toBe(wanted)
  })
})
