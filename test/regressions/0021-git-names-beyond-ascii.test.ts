/** Names beyond ASCII that git lists were judged in quotes, which it does not print with -z: a link with such a name led outside unasked. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { realPath } from "#ground/workspace/paths.ts"
import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { temporaryFolder } from "../kit/tmp.ts"
import { decidedBy } from "../unit/ground/workspace/shell/decided.ts"

const analyzer = await openCommandAnalyzer().load()

/** In a repository with a tracked file, and another one of this name. */
function decided(command: string, name: string, make: (path: string) => void) {
  using top = temporaryFolder()
  const root = top.join("project")
  mkdirSync(root)
  writeFileSync(top.join("project/b.ts"), "one\n")
  make(top.join("project", name))
  for (const argv of [
    ["init", "-q"],
    ["add", "-A"],
  ])
    Bun.spawnSync(["git", ...argv], { cwd: root })
  return decidedBy(command, { cwd: root, home: top.join("home"), roots: [root], realPath, analyzer })
}

test.each(["git ls-files -z | xargs -0 wc -l", "git grep -lz one | xargs -0 wc -l"])(
  "%s is free, unless one of the names leads outside",
  (command) => {
    for (const name of ["a", "ä", "\n"]) {
      expect(decided(command, name, (path) => writeFileSync(path, "one\n"))).toBe("allow")
      expect(decided(command, name, (path) => symlinkSync("/etc/passwd", path))).toBe("ask")
    }
  },
)
