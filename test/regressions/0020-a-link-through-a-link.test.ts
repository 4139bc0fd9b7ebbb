/** The target of a link was simplified before it was followed, `link/..` to nothing: one place was judged, another was read or changed. */

import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { openRealPaths, realPath } from "#ground/workspace/paths.ts"
import type { ScenarioBlock } from "#sim/scenario.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, edit, read, says, write } from "../kit/script.ts"

const ways: readonly (readonly [string, ScenarioBlock])[] = [
  ["cat", bash("cat around")],
  ["cp", bash("cp around inside.txt")],
  ["echo", bash("echo changed > around")],
  ["Read", read("around")],
  ["Edit", edit("around", "words", "changed")],
  ["Write", write("around", "changed")],
]

test.each(ways)("%s is judged by where it leads", async (_, block) => {
  await using t = await openTestSession({
    script: [calls(block), says("Understood.")],
    files: { "inside.txt": "nothing" },
    allow: ["Bash(cat:*)", "Bash(cp:*)", "Bash(echo:*)"],
    deny: ["Read(../outside.txt)", "Edit(../outside.txt)"],
    mode: "acceptEdits",
  })
  writeFileSync(t.path("../outside.txt"), "secret words")
  mkdirSync(t.path("../deep"))
  symlinkSync("../deep", t.path("elsewhere"))
  // Simplified, it would lead to outside.txt in the workspace.
  symlinkSync("elsewhere/../outside.txt", t.path("around"))
  for (const follow of [realPath, openRealPaths()])
    expect(follow(t.path("around"))).toBe(realpathSync.native(t.path("around")))
  await t.prompt("go")
  expect(t.results()[0]).toMatchObject({ isError: true, denied: {} })
  expect(JSON.stringify(t.results())).not.toContain("secret")
  expect(readFileSync(t.path("../outside.txt"), "utf8")).toBe("secret words")
  expect(readFileSync(t.path("inside.txt"), "utf8")).toBe("nothing")
})
