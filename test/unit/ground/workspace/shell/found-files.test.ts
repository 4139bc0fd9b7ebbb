/** Files that a command finds by itself: by patterns, by searching, through links. */

import { describe, expect, test } from "bun:test"
import type { ShellPlace } from "#ground/workspace/shell/analysis.ts"
import { isFree } from "./decided.ts"
import { place } from "./place.ts"

const free = (command: string, given: Partial<ShellPlace>): boolean => isFree(command, { ...place, ...given })

describe("a pattern", () => {
  const list = (names: readonly string[]): Partial<ShellPlace> => ({
    list: (folder) => (folder === place.cwd ? names : []),
  })

  test("that would become a flag is not let pass, and one that cannot is", () => {
    const names = list(["-R", "a.txt", "b.md"])
    expect(free("grep x *", names)).toBe(false)
    expect(free("grep x -*", names)).toBe(false)
    expect(free("grep x ./*", names)).toBe(true)
    expect(free("grep x *.txt", names)).toBe(true)
    expect(free("wc -l *", list(["a.txt"]))).toBe(true)
  })

  test("may stand for the folder above, as older shells read it", () => {
    const names = list([".env", "a.txt"])
    expect(free("cat .*", names)).toBe(false)
    expect(free("cat .?/x", names)).toBe(false)
    expect(free("cat .e*", names)).toBe(true)
  })
})

describe("find", () => {
  const out = `${place.cwd}/out`
  const given: Partial<ShellPlace> = {
    everything: () => [
      { path: "out", isLink: true },
      { path: "a.ts", isLink: false },
    ],
    realPath: (path) => (path === out ? "/etc/passwd" : place.realPath(path)),
  }

  test.each([
    ["find . -exec cat {} \\;", false],
    ["find . -name 'o*' -exec cat {} \\;", false],
    ["find . -name '[o]ut' | xargs cat", false],
    ["find . ! -type f | xargs cat", false],
    ["find . -type f -o -type l | xargs cat", false],
    ['find . | while read f; do cat "$f"; done', false],
    ["find . -type f -exec cat {} \\;", true],
    ["find . -name '*.ts' -not -path './x/*' | xargs cat", true],
    ["find . -name 'o*'", true],
  ])("%s", (command, expected) => {
    expect(free(command, given)).toBe(expected)
  })
})

test.each([
  "find . -type f | xargs cat <<< /etc/passwd",
  "find . -type f | xargs cat < list",
  "find . -type f | head -n 1 < list | xargs cat",
  "find . -type f |& xargs cat",
  "cd $(pwd > /dev/null) && cat .ssh/id_rsa",
])("what a redirection changes is not taken for what was found: %s", (command) => {
  expect(free(command, {})).toBe(false)
})
