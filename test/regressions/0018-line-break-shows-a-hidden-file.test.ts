/** Grep told the lines of a hidden file with a line break in its path, since only what came after the break was judged. */

import { expect, test } from "bun:test"
import { openTools } from "../unit/kits/tools/open-tools.ts"

test("a line break in a path does not show what is hidden", async () => {
  await using t = openTools({ hiddenIn: () => (path) => path.includes("/secrets/") })
  t.put("secrets/a\nb.txt", "find me")
  t.put("c.txt", "find me")
  expect(await t.say("Glob", { pattern: "**" })).toBe("c.txt")
  expect(await t.say("Grep", { pattern: "find" })).toBe("c.txt")
  expect(await t.say("Grep", { pattern: "find", output_mode: "content" })).toBe("c.txt:1:find me")
  expect(await t.say("Grep", { pattern: "find", output_mode: "count" })).toStartWith("c.txt:1")
})
