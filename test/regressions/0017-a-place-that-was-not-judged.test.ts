/** A link that led elsewhere just while the call was decided: one place was judged, another was read or changed. */

import { expect, test } from "bun:test"
import { readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { byKind } from "#agent/words/follower.ts"
import { reads } from "#agent/words/footprint.ts"
import type { Kit } from "#agent/words/kit.ts"
import { openPaths } from "#ground/workspace/paths.ts"
import { openPlaces } from "#ground/workspace/places.ts"
import { openRuleJudge } from "#session/adapters/hook-ground.ts"
import type { ScenarioBlock } from "#sim/scenario.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { calls, edit, read, says, use, write } from "../kit/script.ts"
import { temporaryFolder } from "../kit/tmp.ts"

/** Leads from `link` to what is inside from just before the decision until just after it. */
function swapping(path: () => string): Kit {
  const lead = (target: string): void => {
    unlinkSync(path())
    symlinkSync(target, path())
  }
  return {
    name: "swapping",
    middleware(call, next) {
      lead("inside.txt")
      return next(call)
    },
    onEntry: byKind({ decision: () => lead("../outside.txt") }),
  }
}

const ways: readonly (readonly [string, ScenarioBlock])[] = [
  ["Read", read("link")],
  ["Edit", edit("link", "secret", "changed")],
  ["MultiEdit", use("MultiEdit", { file_path: "link", edits: [{ old_string: "secret", new_string: "changed" }] })],
  ["Write", write("link", "changed")],
]

test.each(ways)("%s is judged by the place that it was declared for", async (tool, block) => {
  let link = ""
  await using t = await openTestSession({
    script: [calls(read("../outside.txt")), calls(block), says("Understood.")],
    files: { "inside.txt": "secret" },
    // Reading the file itself first, which an edit needs, is allowed by name.
    allow: [`Read(../outside.txt)`],
    mode: "acceptEdits",
    kits: [swapping(() => link)],
  })
  link = t.path("link")
  writeFileSync(t.path("../outside.txt"), "secret")
  symlinkSync("../outside.txt", link)
  await t.prompt("go")
  expect(t.results()[1]).toMatchObject({ tool, isError: true, denied: {} })
  expect(readFileSync(t.path("../outside.txt"), "utf8")).toBe("secret")
})

test("a hook about a place runs for a call that was declared to lead there", async () => {
  using folder = temporaryFolder()
  const root = folder.path
  const places = openPlaces(openPaths({ cwd: () => root, home: "/" }))
  const workspace = { root, added: [], home: "/", protectedPaths: [], own: [] }
  const isAbout = openRuleJudge({ workspace, cwd: () => root, places })
  symlinkSync("secret.txt", folder.join("link"))
  const input = { file_path: "link" }
  const call = { callId: "1", tool: { name: "Read" }, input, parsed: input }
  const footprint = reads(places.declare(input, "link"))
  unlinkSync(folder.join("link"))
  symlinkSync("inside.txt", folder.join("link"))
  expect(await isAbout("Read(secret.txt)", { ...call, footprint })).toBe(true)
  expect(await isAbout("Read(secret.txt)", { ...call, parsed: {}, footprint })).toBe(false)
})
