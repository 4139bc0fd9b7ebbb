/** Names beyond ASCII in what git lists were taken for their quoted form: a link of such a name led outside unasked. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { realPath } from "#ground/workspace/paths.ts"
import { openShellSight } from "#ground/workspace/shell-sight.ts"
import { temporaryFolder } from "../kit/tmp.ts"
import { decidedBy } from "../unit/ground/workspace/shell/decided.ts"

const readers = [
  "git ls-files -z | xargs -0 wc -l",
  'git ls-files | while IFS= read -r f; do wc -l "$f"; done',
  "git diff --name-only -z HEAD | xargs -0 wc -l",
]

test.each(readers)("%s is not free if one of the names leads outside", async (command) => {
  const sight = await openShellSight().load()
  const seen = ["ä", "\n", 'q"', "a"].map((name) => {
    using top = temporaryFolder()
    const root = top.join("project")
    mkdirSync(root)
    writeFileSync(top.join("project/b.ts"), "one\n")
    symlinkSync("/etc/passwd", top.join("project", name))
    for (const argv of [
      ["init", "-q"],
      ["add", "-A"],
    ])
      Bun.spawnSync(["git", ...argv], { cwd: root })
    return decidedBy(command, { cwd: root, home: top.join("home"), roots: [root], realPath, sight })
  })
  expect(seen).not.toContain("allow")
})
