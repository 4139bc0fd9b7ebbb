/** Behind an allow rule, patterns and printed words were not looked at: a file called like a flag had its program run. */

import { afterAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { outgrowings } from "#kits/permissions/rules/redirecting-flags.ts"
import { bash, diskRealPath, rulesFrom, tempTree } from "../unit/kits/permissions/judge.ts"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runs } from "../kit/runs.ts"

const root = tempTree({
  "--pre=sh": "",
  "--checkpoint-action=exec=sh zz.sh": "",
  "--eval=$(shell sh zz.sh)": "",
  "-TT sh zz.sh": "",
  "--output=pwned.txt": "",
  "-delete": "",
  "a b --pre=sh": "",
  "list.txt": "--pre=sh\n",
  "src/a.ts": "",
  "one.ts": "",
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const decided = (command: string, rule: string, folder = root): string =>
  bash(command, {
    rules: rulesFrom({ allow: [rule] }),
    workspace: { root: folder },
    cwd: folder,
    realPath: diskRealPath,
  }).behavior

describe("a name that becomes a flag is asked about", () => {
  test.each([
    ["Bash(rg:*)", "rg foo *"],
    ["Bash(rg:*)", "rg foo ?-pre*"],
    ["Bash(rg:*)", "rg foo [-]*"],
    ["Bash(rg:*)", 'for f in *; do rg foo "$f"; done'],
    ["Bash(rg:*)", "for f in a*; do rg foo $f; done"],
    ["Bash(rg:*)", "cat list.txt | xargs rg foo"],
    ["Bash(rg:*)", "rg foo $(cat list.txt)"],
    ["Bash(rg:*)", 'while read -r f; do rg foo "$f"; done < list.txt'],
    ["Bash(rg:*)", "rg -e -- *"],
    ["Bash(tar cf:*)", "tar cf a.tar *"],
    ["Bash(make test:*)", "make test *"],
    ["Bash(zip:*)", "zip b.zip *"],
    ["Bash(git diff:*)", "git diff *"],
    ["Bash(find:*)", "find *"],
  ])("%s: %s", (rule, command) => expect(decided(command, rule)).toBe("ask"))
})

describe("the same without such a name, below a folder, or behind two dashes, is not", () => {
  test.each([
    ["Bash(rg:*)", "rg foo ./*"],
    ["Bash(rg:*)", "rg foo -- *"],
    ["Bash(rg:*)", "rg foo *.ts"],
    ["Bash(rg:*)", "rg foo a*"],
    ["Bash(rg:*)", "rg foo src/*"],
    ["Bash(rg:*)", 'for f in *.ts; do rg foo "$f"; done'],
    ["Bash(rg:*)", "for f in *.ts; do rg foo $f; done"],
    ["Bash(rg:*)", "find src -name '*.ts' | xargs rg foo"],
    ["Bash(tar cf:*)", "tar cf a.tar ./*"],
    ["Bash(tar cf:*)", "tar cf a.tar -- *"],
    ["Bash(make test:*)", "make test ./*"],
    ["Bash(zip:*)", "zip b.zip ./*"],
    ["Bash(git diff:*)", "git diff -- *"],
    ["Bash(git commit:*)", 'git commit -m "$(cat list.txt)"'],
    ["Bash(unlisted:*)", "unlisted *.ts"],
  ])("%s: %s", (rule, command) => expect(decided(command, rule)).toBe("allow"))
})

test("whichever flag of the tables a file is called like, a pattern that finds it asks, and one below a folder does not", () => {
  const flags = Object.entries(outgrowings()).flatMap(([program, tables]) =>
    tables.flatMap(({ starts = [], of, atStart, ifNamed, addresses }) =>
      of || atStart || ifNamed || addresses ? [] : starts.map((flag) => ({ program, flag })),
    ),
  )
  fc.assert(
    fc.property(fc.constantFrom(...flags), fc.constantFrom("x", "sh"), ({ program, flag }, value) => {
      const folder = tempTree({ [`${flag}=${value}`]: "", "plain.txt": "" })
      try {
        const rule = `Bash(${program}:*)`
        expect(decided(`${program} *`, rule, folder)).toBe("ask")
        writeFileSync(join(folder, "more.txt"), "")
        rmSync(join(folder, `${flag}=${value}`))
        expect(decided(`${program} run-this *`, rule, folder)).toBe(
          decided(`${program} run-this plain.txt`, rule, folder),
        )
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }),
    { ...runs(30) },
  )
}, 300_000)

test("a folder with more names than are looked through asks", () => {
  const many = Object.fromEntries(Array.from({ length: 2100 }, (_, i) => [`f${i}`, ""]))
  const folder = tempTree(many)
  expect(decided("rg foo *", "Bash(rg:*)", folder)).toBe("ask")
  expect(decided("rg foo .", "Bash(rg:*)", folder)).toBe("allow")
  rmSync(folder, { recursive: true, force: true })
}, 300_000)
