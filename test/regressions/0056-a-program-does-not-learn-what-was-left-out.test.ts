/** The init message names what was left out because the folder is not trusted; a trusted folder has no such field. */

import { expect, test } from "bun:test"
import { linesOf, openPlace, runCodewright } from "../kit/run-codewright.ts"

const files = {
  ".claude/settings.json": JSON.stringify({
    permissions: { allow: ["Bash(make)"] },
    hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
  }),
  ".claude/agents/helper.md": "---\nname: helper\ndescription: Helps.\n---\nHelp.\n",
}
const argv = ["-p", "hi", "--output-format", "stream-json", "--verbose"]

test("settings and agents", async () => {
  using place = openPlace(files)
  const initOf = async (more: readonly string[]) => {
    const run = await runCodewright({ place, argv: [...argv, ...more], scenario: ["Hello."] })
    return linesOf(run.stdout).find(({ subtype }) => subtype === "init")
  }
  expect((await initOf([]))?.left_out).toEqual([
    expect.stringMatching(
      /^This folder is not trusted, so these settings were left out: .*permissions\.allow.*CODEWRIGHT_TRUST=1/,
    ),
    expect.stringMatching(/^Skipped the agents in .*agents: this folder is not trusted\.$/),
  ])
  expect(await initOf(["--trust"])).not.toHaveProperty("left_out")
})

test("workflows are named once, where there are any", async () => {
  using place = openPlace({ ".claude/workflows/ship.js": "", ".claude/workflows/build.js": "" })
  const run = await runCodewright({ place, argv: ["-p", "hi"], scenario: ["Hello."] })
  expect(run.stderr).toBe(`Workflows are not supported yet: ${place.work}/.claude/workflows\n`)
  using other = openPlace({ ".claude/workflows/notes.md": "" })
  expect((await runCodewright({ place: other, argv: ["-p", "hi"], scenario: ["Hello."] })).stderr).toBe("")
})
