/** Which memory files are found, in which order, and what they bring in. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { textFiles } from "#ground/workspace/text-files.ts"
import { importsIn } from "#kits/context/imports.ts"
import { loadMemory, loadNested, type MemoryGround, type MemoryPlace } from "#kits/context/memory.ts"
import { isAbout, readRule } from "#kits/context/rules.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

const put = (folder: TemporaryFolder, files: { readonly [path: string]: string }): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(folder.join(path)), { recursive: true })
    writeFileSync(folder.join(path), text)
  }
}

const placeIn = (folder: TemporaryFolder, more: Partial<MemoryPlace> = {}): MemoryPlace => ({
  cwd: folder.join("repo/pkg/app"),
  root: folder.join("repo"),
  home: folder.join("home"),
  added: [],
  managed: [folder.join("etc/AGENTS.md")],
  user: [folder.join("home/.codewright/AGENTS.md"), folder.join("home/.claude/CLAUDE.md")],
  userRules: [folder.join("home/.claude/rules"), folder.join("home/.codewright/rules")],
  excludes: [],
  ...more,
})

const ground = (more: Partial<MemoryGround> = {}): MemoryGround => ({
  files: textFiles,
  isHidden: () => false,
  mayImport: () => false,
  ...more,
})

const load = (folder: TemporaryFolder, more: Partial<MemoryPlace> = {}, given: Partial<MemoryGround> = {}) => {
  const { files, rules, outside } = loadMemory(placeIn(folder, more), ground(given))
  const short = (path: string): string => path.replace(`${folder.path}/`, "")
  return {
    files: files.map(({ path }) => short(path)),
    texts: files.map(({ text }) => text),
    rules: rules.map(({ path }) => short(path)),
    outside: outside.map(short),
  }
}

test("from the widest place to the nearest, each by all its names", () => {
  using folder = temporaryFolder()
  put(folder, {
    "etc/AGENTS.md": "managed",
    "home/.codewright/AGENTS.md": "user",
    "home/.claude/CLAUDE.md": "user too",
    "repo/AGENTS.md": "root",
    "repo/CLAUDE.md": "root too",
    "repo/CLAUDE.local.md": "mine",
    "repo/.claude/CLAUDE.md": "hidden",
    "repo/.codewright/AGENTS.md": "ours",
    "repo/.claude/rules/b.md": "rule b",
    "repo/.claude/rules/a.md": "rule a",
    "repo/.claude/rules/paths.md": "---\npaths: src/**/*.ts\n---\nonly there",
    "repo/.claude/rules/readme.txt": "no rule",
    "repo/pkg/app/AGENTS.md": "app",
    "repo/pkg/app/deeper/AGENTS.md": "deeper",
    "AGENTS.md": "above the repository",
  })
  expect(load(folder)).toEqual({
    files: [
      "etc/AGENTS.md",
      "home/.codewright/AGENTS.md",
      "home/.claude/CLAUDE.md",
      "repo/AGENTS.md",
      "repo/CLAUDE.md",
      "repo/.claude/CLAUDE.md",
      "repo/.codewright/AGENTS.md",
      "repo/CLAUDE.local.md",
      "repo/.claude/rules/a.md",
      "repo/.claude/rules/b.md",
      "repo/pkg/app/AGENTS.md",
    ],
    texts: ["managed", "user", "user too", "root", "root too", "hidden", "ours", "mine", "rule a", "rule b", "app"],
    rules: ["repo/.claude/rules/paths.md"],
    outside: [],
  })
  const nested = loadNested(folder.join("repo/pkg/app/deeper/still/x.ts"), placeIn(folder), ground())
  expect(nested.files.map(({ text }) => text)).toEqual(["deeper"])
  expect(loadNested(folder.join("repo/x.ts"), placeIn(folder), ground()).files).toEqual([])
})

test("one file by two names is given once", () => {
  using folder = temporaryFolder()
  put(folder, { "repo/AGENTS.md": "once", "repo/pkg/app/x": "" })
  symlinkSync("AGENTS.md", folder.join("repo/CLAUDE.md"))
  expect(load(folder).texts).toEqual(["once"])
})

describe("imports", () => {
  test("are relative to the file, from home or absolute, at most five deep, and never go round", () => {
    using folder = temporaryFolder()
    put(folder, {
      "repo/AGENTS.md": `see @docs/one.md, and @~/notes.md and @${folder.join("repo/abs.md")}.`,
      "repo/docs/one.md": "@two.md @../AGENTS.md",
      "repo/docs/two.md": "@three.md",
      "repo/docs/three.md": "@four.md",
      "repo/docs/four.md": "@five.md",
      "repo/docs/five.md": "@six.md",
      "repo/docs/six.md": "too deep",
      "repo/abs.md": "absolute @missing.md @someone",
      "home/notes.md": "from home",
      "repo/pkg/app/x": "",
    })
    const found = load(folder, {}, { mayImport: (path) => path.endsWith("notes.md") })
    expect(found.files).toEqual([
      "repo/AGENTS.md",
      "repo/docs/one.md",
      "repo/docs/two.md",
      "repo/docs/three.md",
      "repo/docs/four.md",
      "repo/docs/five.md",
      "home/notes.md",
      "repo/abs.md",
    ])
  })

  test("from outside, and files that lead there, need a word; the user's own do not", () => {
    using folder = temporaryFolder()
    put(folder, {
      "home/secret": "key",
      "home/more.md": "more",
      "home/.codewright/AGENTS.md": "@~/more.md",
      "repo/AGENTS.md": "@~/secret",
      "repo/pkg/app/x": "",
    })
    symlinkSync(folder.join("home/secret"), folder.join("repo/CLAUDE.md"))
    const found = load(folder)
    expect(found.texts).toEqual(["@~/more.md", "more", "@~/secret"])
    expect(found.outside).toEqual(["home/secret"])
    expect(load(folder, {}, { mayImport: () => true }).texts).toContain("key")
    expect(load(folder, { added: [folder.join("home")] }).texts).toContain("key")
  })

  test("are not looked for in code", () => {
    expect(
      importsIn(
        [
          "@a.md at the start, (not @b.md), mail me@c.md",
          "`@d.md` and ``a ` @e.md`` but @f\\ g.md, @a.md",
          "```sh",
          "@h.md",
          "~~~",
          "```",
          "  ~~~~ts",
          "@i.md",
          "~~~",
          "~~~~",
          "@j.md",
        ].join("\n"),
      ),
    ).toEqual(["a.md", "b.md", "f g.md", "j.md"])
  })
})

test("excluded and hidden files, folders, pipes and files that are no text are left out", () => {
  using folder = temporaryFolder()
  put(folder, {
    "repo/AGENTS.md": "@secret.md @data.bin @pkg",
    "repo/secret.md": "secret",
    "repo/CLAUDE.md": "excluded",
    "repo/data.bin": "\0\u0001\u0002\0",
    "repo/pkg/app/AGENTS.md/x": "a folder with that name",
  })
  const found = load(folder, { excludes: ["**/CLAUDE.md"] }, { isHidden: (path) => path.endsWith("secret.md") })
  expect(found.files).toEqual(["repo/AGENTS.md"])
})

test("a rule names the files it is for, in any notation", () => {
  expect(readRule("---\npaths: 'src/**/*.{ts,tsx}, *.md'\n---\nText\n")).toEqual({
    text: "Text\n",
    paths: ["src/**/*.{ts,tsx}", "*.md"],
  })
  expect(readRule('---\npaths:\n  - a/*\n  - "b/*"\n---\nT').paths).toEqual(["a/*", "b/*"])
  expect(readRule("---\npaths: [a/*, b/*]\n---\nT").paths).toEqual(["a/*", "b/*"])
  expect(readRule("---\npaths:\n---\nT").paths).toBeUndefined()
  expect(readRule("no front matter").paths).toBeUndefined()
  const rule = { paths: ["src/**/*.ts", "*.md"], base: "/repo" }
  expect(
    ["/repo/src/a/b.ts", "/repo/docs/x.md", "/repo/lib/b.ts", "/other/src/a.ts"].map((file) => isAbout(rule, file)),
  ).toEqual([true, true, false, false])
})

test("rules of subfolders and of the user count, in every folder for the files that they name", () => {
  using folder = temporaryFolder()
  put(folder, {
    "home/.claude/rules/style.md": "mine",
    "home/.claude/rules/languages/go.md": "---\npaths: '**/*.go'\n---\nmine for Go",
    "home/.codewright/rules/git.md": "ours",
    "repo/.claude/rules/top.md": "top",
    "repo/.claude/rules/frontend/react.md": "react",
    "repo/.claude/rules/frontend/forms/inputs.md": "---\npaths: ['src/forms/**']\n---\nforms",
    "repo/.claude/rules/frontend/notes.txt": "no rule",
  })
  expect(load(folder)).toMatchObject({
    files: [
      "home/.claude/rules/style.md",
      "home/.codewright/rules/git.md",
      "repo/.claude/rules/top.md",
      "repo/.claude/rules/frontend/react.md",
    ],
    rules: ["home/.claude/rules/languages/go.md", "repo/.claude/rules/frontend/forms/inputs.md"],
  })
  const { rules } = loadMemory(placeIn(folder), ground())
  const go = rules.find(({ path }) => path.endsWith("go.md"))
  expect(go && isAbout(go, folder.join("repo/cmd/main.go"))).toBe(true)
})
