/** Readers that load what a document, a setting or an argument names: asked about where that could be, free where it cannot. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { realPath } from "#ground/workspace/paths.ts"
import { isPlainNpmrc } from "#ground/workspace/shell/programs/npmrc.ts"
import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { filterObjection } from "#ground/workspace/shell/tables/filter.ts"
import { allReaders } from "#ground/workspace/shell/tables/readers.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"
import { decidedBy } from "./decided.ts"

const analyzer = await openCommandAnalyzer().load()

/** Whether a command runs unasked in a real folder with these files. */
function isFree(command: string, files: { readonly [path: string]: string } = {}): boolean {
  using top = temporaryFolder()
  const root = top.join("project")
  mkdirSync(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(top.join(`project/${path}`)), { recursive: true })
    writeFileSync(top.join(`project/${path}`), text)
  }
  return decidedBy(command, { cwd: root, home: top.join("home"), roots: [root], realPath, analyzer }) === "allow"
}

describe("version flags", () => {
  test("count only for programs that print their version before they look at the project", () => {
    for (const name of ["hg", "typedoc", "ant", "prisma", "nx", "sbt", "bazel", "rails", "tox", "pytest", "composer"]) {
      expect([name, Object.hasOwn(allReaders(), name)]).toEqual([name, false])
      expect([name, isFree(`${name} --version`), isFree(`${name} --help`)]).toEqual([name, false, false])
    }
    for (const command of ["git --version", "node -v", "make --version", "sed --version", "tar --help", "find --help"])
      expect([command, isFree(command)]).toEqual([command, true])
    expect(isFree("tar --version -xf a.tar")).toBe(false)
    expect(isFree("npx mocha --version")).toBe(false)
  })

  test("yarn and pnpm run the version that the manifest names", () => {
    for (const command of ["yarn --version", "pnpm --version", "pnpm ls"]) {
      expect([command, isFree(command, { "package.json": '{"name":"x"}' })]).toEqual([command, true])
      for (const text of ['{"packageManager":"pnpm@9.0.0"}', '{"package\\u004danager":"x"}', "{", '{"devEngines":{}}'])
        expect([command, text, isFree(command, { "package.json": text })]).toEqual([command, text, false])
    }
  })
})

describe("settings of npm", () => {
  test("plain ones change nothing", () => {
    for (const text of [
      "save-exact=true\nfund=false\n# note\n; note\n\nengine-strict = true",
      "registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
      "public-hoist-pattern[]=*eslint*",
    ])
      expect([text, isPlainNpmrc(text)]).toEqual([text, true])
  })

  test("every other one is asked about", () => {
    for (const text of [
      "cache=./x",
      '"cache"=./x',
      "c${X}ache=./x",
      "[section]",
      "fund=${HOME}",
      "registry=https://evil.example/",
      "registry=https://registry.npmjs.org/\rcache=x",
      "//registry.npmjs.org/:_authToken=${GITHUB_TOKEN}",
      "script-shell=./evil",
      "node-options=--require ./evil.js",
    ])
      expect([text, isPlainNpmrc(text)]).toEqual([text, false])
    for (const command of ["npm ls", "npm --version", "npm root", "npx --version", "bun pm ls", "npm explain react"]) {
      expect([command, isFree(command, { ".npmrc": "cache=./x" })]).toEqual([command, false])
      expect([command, isFree(command, { ".npmrc": "save-exact=true" })]).toEqual([command, true])
    }
  })
})

describe("words from files", () => {
  test("an at sign names a file with further words", () => {
    const commands =
      "ar t lib.a @args|nm @args|nm lib.a @args|strings -n 4 @args|size @args|addr2line -e a.out @args|c++filt @args|jar tf x.jar @args|gcc --version @args|javac -version @args|rustc --version @args|nm -- *"
    for (const command of commands.split("|"))
      expect([command, isFree(command, { "@args": "x", "lib.a": "x" })]).toEqual([command, false])
    for (const command of [
      "ar t lib.a",
      "nm build/*.o",
      "strings a.out",
      "c++filt _Z1fv",
      "jar tf x.jar",
      "gcc --version",
    ])
      expect([command, isFree(command, { "lib.a": "x", "build/a.o": "x" })]).toEqual([command, true])
  })
})

describe("documents that name others", () => {
  test("entities of XML are not taken in", () => {
    expect(isFree("xmllint --c14n a.xml")).toBe(false)
    expect(isFree("xmllint --noent a.xml")).toBe(false)
    expect(isFree("xmllint --format a.xml")).toBe(true)
  })

  test("shellcheck goes by the settings beside a script, and above it", () => {
    expect(isFree("shellcheck scripts/a.sh", { "scripts/a.sh": "x" })).toBe(true)
    expect(
      isFree("shellcheck scripts/a.sh", { "scripts/a.sh": "x", "scripts/.shellcheckrc": "external-sources=true" }),
    ).toBe(false)
    expect(isFree("shellcheck -", { ".shellcheckrc": "external-sources=true" })).toBe(false)
    expect(isFree("shellcheck scripts/*.sh", { "scripts/a.sh": "x" })).toBe(false)
  })

  test("rustfmt reads the modules that a file declares", () => {
    expect(isFree("rustfmt --check a.rs", { "a.rs": "mod tests { fn a() {} }\n" })).toBe(true)
    for (const text of ["mod a;", '#[path = "/x"]\nmod a;', "mod/**/a;", "pub mod r#a ;"])
      expect([text, isFree("rustfmt --check a.rs", { "a.rs": text })]).toEqual([text, false])
  })

  test("a composition that takes in others is asked about", () => {
    const plain = "services:\n  web:\n    image: x\n"
    expect(isFree("docker compose config --services", { "compose.yaml": plain })).toBe(true)
    for (const text of ["include:\n  - /x.yaml\n", '"\\x69nclude": [/x]\n', "    env_file: /etc/passwd\n"])
      expect([text, isFree("docker compose config --services", { "compose.yaml": plain + text })]).toEqual([
        text,
        false,
      ])
    expect(isFree("docker compose config --services", { ".env": "COMPOSE_FILE=/x.yaml\n" })).toBe(false)
  })
})

describe("filters", () => {
  test("what works on what it is given is plain", () => {
    for (const filter of [
      ".",
      ".env",
      ".a.env[0]",
      ".[] | select(.load == true) | {name, env: .x, include}",
      'map(.name | ascii_downcase) | unique | join(", ")',
      '"\\(.name): \\(.tags | map("<\\(.)>") | join(","))"',
      "reduce .[] as $item (0; . + $item.n)",
      "def f(x): x | length; [.[] | f(.name)]",
      'to_entries[] | "\\(.key)=\\(.value|tostring)" | @base64',
      "if .a then .b else empty end",
      ".. | strings",
      '.a."env" | .["import"]',
      '"env import load_str(\\"x\\")"',
      ".jobs | keys | .[1:3]",
    ])
      expect([filter, filterObjection(filter)]).toEqual([filter, undefined])
  })

  test("whatever reads elsewhere, or is not read whole, is not", () => {
    for (const filter of [
      "env",
      ".a|env.X",
      ".x-env",
      "$ENV.X",
      "$ ENV",
      "$__prog_args",
      '"\\(env)"',
      '"\\("a" + "\\(env)")"',
      "{a: env}",
      "{(env|tostring): 1}",
      ".[env:]",
      'import "a" as a; .',
      'include "a"; .',
      "modulemeta",
      'load("x")',
      'load_str("x")',
      'eval("lo" + "ad")',
      "strenv(X)",
      ".a |= envsubst",
      'system("id")',
      "def env: 1; env",
      "def f(env): env; env",
      '# "\nenv # "',
      '"unfinished',
      "(.a",
      "a::b",
      "input_filename",
    ])
      expect([filter, filterObjection(filter) !== undefined]).toEqual([filter, true])
  })

  test("yq takes its filter behind eval, too", () => {
    expect(isFree("yq eval '.a' f.yaml")).toBe(true)
    expect(isFree("yq -o=json .github/workflows/ci.yml")).toBe(true)
    expect(isFree("yq eval 'load_str(\"/etc/passwd\")' f.yaml")).toBe(false)
    expect(isFree("yq ea 'env(X)' f.yaml")).toBe(false)
    expect(isFree("yq e '.a' /etc/x.yaml")).toBe(false)
    expect(isFree("gh api user --jq '$ENV.X'")).toBe(false)
  })
})
