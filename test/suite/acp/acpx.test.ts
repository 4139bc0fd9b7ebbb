/** acpx, a published client for the command line, unmodified: it reads, asks, changes a file, and is refused. */

import { expect, test } from "bun:test"
import { calls, edit, read, says } from "../../kit/script.ts"
import { openWorld } from "../../kit/acp/editor.ts"
import { environmentOf, program } from "../../kit/run-codewright.ts"

const acpx = Bun.resolveSync("acpx", import.meta.dir)

test.each([
  ["--approve-all", "two\n", "Done."],
  ["--deny-all", "one\n", ""],
])("%s", async (policy, content, words) => {
  await using world = await openWorld(
    [calls({ text: "I look." }, read("a.txt")), calls(edit("a.txt", "one", "two")), says("Done.")],
    { "a.txt": "one\n" },
  )
  const child = Bun.spawn(
    [process.execPath, acpx, "--agent", `${program} acp`, policy, "--format", "json", "exec", "change it"],
    {
      cwd: world.place.work,
      env: environmentOf(world.place, world.simulator.url),
      stdout: "pipe",
      stderr: "pipe",
    },
  )
  const [stdout] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect(await world.place.read("a.txt")).toBe(content)
  for (const text of ["session/new", "tool_call_update", " look.", words]) expect(stdout).toContain(text)
})
