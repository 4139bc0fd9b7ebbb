/** Names that one command prints and another takes: whoever made the files chose them. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { realPath } from "#ground/workspace/paths.ts"
import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"
import { type Circumstances, decidedBy } from "./decided.ts"
import { runs } from "../../../../kit/runs.ts"

const analyzer = await openCommandAnalyzer().load()
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C.UTF-8" }

/** A repository in which everything is tracked. */
function openRepository(files: readonly string[], links: { readonly [at: string]: string } = {}) {
  const top = temporaryFolder()
  const root = top.join("project")
  const put = (path: string, make: (at: string) => void): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    make(join(root, path))
  }
  mkdirSync(root)
  writeFileSync(top.join("secret"), "secret\n")
  for (const file of files) put(file, (at) => writeFileSync(at, "one\n"))
  for (const [at, to] of Object.entries(links)) put(at, (path) => symlinkSync(to, path))
  const git = (...argv: readonly string[]): void => {
    Bun.spawnSync(["git", "-c", "user.name=n", "-c", "user.email=e@x", ...argv], { cwd: root, env })
  }
  git("init", "-q", ".")
  git("add", "-A")
  git("commit", "-q", "-m", "one")
  const place = { cwd: root, home: top.join("home"), roots: [root], realPath, analyzer }
  return {
    root,
    outside: top.join("secret"),
    decide: (command: string, how?: Circumstances) => decidedBy(command, place, how),
    isFree: (command: string): boolean => decidedBy(command, place) === "allow",
    [Symbol.dispose]: () => top[Symbol.dispose](),
  }
}

const everyday = [
  "ls | xargs cat",
  "ls *.md | xargs wc -l",
  "cat $(git ls-files)",
  "git ls-files | xargs wc -l",
  "git ls-files '*.ts' | xargs head -n 3",
  "git ls-files -z | xargs -0 wc -l",
  "git ls-files | grep -v test | head -5 | xargs cat",
  "git grep -l one | xargs cat",
  "git grep -l one -- src | xargs cat",
  "git diff --name-only | xargs cat",
  "git diff --name-only --diff-filter=d HEAD | xargs cat",
  'for f in $(ls); do cat "$f"; done',
  "for f in $(ls src); do wc -l src/$f; done",
  'for f in $(ls src); do wc -l "src/$f"; done',
  "ls src | xargs -I{} cat src/{}",
  "git ls-files | while read f; do cat $f; done",
  'git ls-files | while read -r f; do cat "$f"; done',
  "find . -name '*.ts' | xargs cat",
  "find src -type f | xargs cat",
  "find . -type f -exec cat {} +",
  "find . -type f -print0 | xargs -0 cat",
  "find . -type f -print0 | while IFS= read -r -d '' f; do cat \"$f\"; done",
  "grep -rl one src | xargs cat",
  "rg -l one | xargs cat",
  "rg -l0 one | xargs -0 cat",
  "rg --files | xargs cat",
]

test.each(everyday)("in an ordinary repository nothing is asked: %s", (command) => {
  using t = openRepository(["README.md", "src/a.ts", "src/b.test.ts"])
  expect(t.isFree(command)).toBe(true)
})

describe("a name that is hostile makes a question of whatever could take it", () => {
  const takers = everyday.filter((command) => !/-type f|src|\*\.(?:md|ts)|grep -v|diff/.test(command))
  test.each(takers)("a link that leads outside: %s", (command) => {
    using t = openRepository(["README.md"], { notes: "../secret" })
    // What searches contents looks into no link.
    expect(t.isFree(command)).toBe(/^(?:rg|git grep) /.test(command) && !command.startsWith("git"))
  })

  test.each(takers.filter((command) => !command.startsWith("find")))("a flag: %s", (command) => {
    using t = openRepository(["README.md", "--files0-from=x"])
    expect(t.isFree(command)).toBe(false)
  })

  test.each(takers.filter((command) => !/-0|print0/.test(command)))("a path behind a blank: %s", (command) => {
    using t = openRepository(["README.md", "a /etc/passwd"])
    // No name in a folder holds a slash.
    expect(t.isFree(command)).toBe(/^ls|\$\(ls/.test(command))
  })
})

describe("what is not among the names that were looked at", () => {
  test("a list is taken from the folder in which it was made", () => {
    using t = openRepository(["a", "b/c"], { "b/a": "../../secret" })
    expect(t.isFree("f=$(ls); cat $f")).toBe(true)
    expect(t.isFree("f=$(ls); cd b && cat $f")).toBe(false)
  })

  test("the folder above is a name too", () => {
    using t = openRepository(["a"])
    expect(t.isFree("ls -A | xargs du")).toBe(true)
    expect(t.isFree("ls -a | xargs du")).toBe(false)
  })

  test("names of files that are gone are known by their commits alone", () => {
    using t = openRepository(["a"])
    expect(t.isFree("git diff --name-only HEAD | xargs cat")).toBe(false)
    expect(t.isFree("git grep -l one HEAD | xargs cat")).toBe(false)
    expect(t.isFree("git log --name-only --format= | xargs cat")).toBe(false)
  })

  test("a filter that sees lines is not given NULs", () => {
    using t = openRepository(["a"])
    expect(t.isFree("find . -type f -print0 | head -n 1 | xargs -0 cat")).toBe(false)
    expect(t.isFree("cat $(find . -type f -print0)")).toBe(false)
    expect(t.isFree("find . -type f | xargs -0 cat")).toBe(false)
    expect(t.isFree("find . -type f -print0 | while read -r -d '' f; do cat \"$f\"; done")).toBe(false)
  })

  test("what prints more than names is no list of names", () => {
    using t = openRepository(["a"])
    for (const list of ["ls -l", "ls -R", "rg -l --stats one", "rg -c one", "grep -rc one .", "git ls-files -s"])
      expect([list, t.isFree(`${list} | xargs cat`)]).toEqual([list, false])
  })

  test("a long list is judged by its folder and every link in it", () => {
    const many = Array.from({ length: 120 }, (_, i) => `src/${i % 7}/f${i}.ts`)
    using plain = openRepository(many)
    expect(plain.isFree("git ls-files | xargs wc -l")).toBe(true)
    using linked = openRepository(many, { "src/3/out": "../../../secret" })
    expect(linked.isFree("git ls-files | xargs wc -l")).toBe(false)
    rmSync(join(plain.root, "src/5"), { recursive: true })
    symlinkSync("/etc", join(plain.root, "src/5"))
    expect(plain.isFree("git ls-files | xargs wc -l")).toBe(false)
  })

  test("a name that the same line makes", () => {
    using t = openRepository(["a"])
    expect(t.decide("touch -- './x y' && ls | xargs cat", { mode: "acceptEdits" })).toBe("ask")
  })

  test("a tree that is too large: only plain files with a NUL behind each name", () => {
    using t = openRepository(["a"])
    for (let i = 0; i < 80; i++) {
      mkdirSync(join(t.root, "many", String(i)), { recursive: true })
      for (let j = 0; j < 260; j++) writeFileSync(join(t.root, "many", String(i), String(j)), "")
    }
    expect(t.isFree("find . -name a | xargs cat")).toBe(false)
    expect(t.isFree("find . -name a -not -path './many/*' | xargs cat")).toBe(true)
    expect(t.isFree("find . -maxdepth 1 -name a | xargs cat")).toBe(true)
    expect(t.isFree("find . -type f -print0 | xargs -0 cat")).toBe(true)
    expect(t.isFree("find . -type f -exec cat {} +")).toBe(true)
    expect(t.isFree("git ls-files | xargs cat")).toBe(true)
  })
})

const someName = fc.oneof(
  fc.constantFrom(
    "a",
    "b.ts",
    "-r",
    "+1",
    "@x",
    "--files0-from=a",
    "a b",
    " a",
    "a\nb",
    "it's",
    'q"',
    "b\\n",
    "*",
    "ä",
  ),
  fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom("a", "b", " ", "-", "\n", "'", "\\", "*", ".") }),
)
const somePath = fc
  .array(someName, { minLength: 1, maxLength: 3 })
  .map((names) => names.join("/"))
  .filter((path) => !path.split("/").some((name) => name === "." || name === "..") && !path.startsWith(".git"))

const makers = [
  "ls | xargs SHOW",
  "ls -A | xargs SHOW",
  "SHOW $(ls)",
  "SHOW $(git ls-files)",
  "git ls-files | xargs SHOW",
  "git ls-files -z | xargs -0 SHOW",
  "git ls-files -o | xargs SHOW",
  "find . | xargs SHOW",
  "find . -name 'a*' | xargs SHOW",
  "find a* -print0 | xargs -0 SHOW",
  "find . -type f -exec SHOW {} +",
  "grep -rl one . | xargs SHOW",
  "grep -rlZ one | xargs -0 SHOW",
  'ls | while read f; do SHOW "$f"; done',
  "ls | while read f; do SHOW $f; done",
  'find . | while IFS= read -r f; do SHOW "$f"; done',
  "find . -print0 | while IFS= read -r -d '' f; do SHOW \"$f\"; done",
  "for f in $(ls a*); do SHOW $f; done",
]

test("whatever files are called, a free command is given nothing but files of the workspace", () => {
  let free = 0
  fc.assert(
    fc.property(
      fc.uniqueArray(somePath, { minLength: 1, maxLength: 4 }),
      fc.array(somePath, { maxLength: 1 }),
      fc.constantFrom(...makers),
      (files, links, maker) => {
        const made = openFilesThatCanBe(files, links)
        using t = made
        if (!t.isFree(maker.replaceAll("SHOW", "wc -l"))) return
        free++
        // Each word that wc would have been given, in a line of its own that nothing in a name can imitate.
        const script = maker.replaceAll("SHOW", "printf '%s\\0'")
        const { stdout } = Bun.spawnSync(["/bin/bash", "--noprofile", "--norc", "-c", script], { cwd: t.root, env })
        for (const word of stdout
          .toString()
          .split("\0")
          .filter((each) => each !== "")) {
          expect([maker, files, links, word.startsWith("-")]).toEqual([maker, files, links, false])
          const real = reallyAt(join(word.startsWith("/") ? "/" : t.root, word))
          const isInside = real === undefined || real === t.root || real.startsWith(`${t.root}/`)
          expect([maker, files, links, word, isInside]).toEqual([maker, files, links, word, true])
        }
      },
    ),
    { ...runs(25), seed: 11 },
  )
  expect(free).toBeGreaterThan(5)
})

/** As many of the files as can lie beside each other, and links of these names that lead outside. */
function openFilesThatCanBe(files: readonly string[], links: readonly string[]) {
  const kept = files.filter((path, i) => !files.some((other, j) => i !== j && `${other}/`.startsWith(`${path}/`)))
  const free = links.filter(
    (path) => !kept.some((file) => `${file}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${file}/`)),
  )
  return openRepository(kept, Object.fromEntries(free.map((path) => [path, "/etc/passwd"])))
}

function reallyAt(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
