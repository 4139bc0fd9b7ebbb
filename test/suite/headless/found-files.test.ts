/** The files of a project count where people start the program, and under the names that they gave them. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openScreenRun } from "../../kit/open-screen.ts"
import { linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { promptOf } from "../../kit/sent.ts"

const stream = ["--trust", "--output-format", "stream-json", "--verbose"]

test("servers and agents of the repository's top count when it is started in a subfolder", async () => {
  using place = openPlace({
    ".mcp.json": JSON.stringify({ mcpServers: { ours: { command: "true" } } }),
    ".claude/agents/review/careful.md": "---\nname: careful\ndescription: Reviews.\n---\nYou review.",
    "apps/web/index.ts": "",
  })
  Bun.spawnSync(["git", "init", "-q"], { cwd: place.work })
  const cwd = join(place.work, "apps/web")
  const run = await runCodewright({ place, cwd, argv: ["-p", "hello", ...stream], scenario: ["Hi."] })
  expect(run.code).toBe(0)
  const init = linesOf(run.stdout).find((line) => (line as { subtype?: string }).subtype === "init") as {
    agents: string[]
    mcp_servers: { name: string }[]
  }
  expect(init.mcp_servers.map(({ name }) => name)).toEqual(["ours"])
  expect(init.agents).toContain("careful")
})

const names = ["übersetze", "翻訳", "проверка", "café-résumé"]

test.concurrent.each(names)("a command named %s is found in a script", async (name) => {
  using place = openPlace({ [`.claude/commands/${name}.md`]: "Translate: $ARGUMENTS" })
  const run = await runCodewright({ place, argv: ["-p", `/${name} good day`, "--trust"], scenario: ["Done."] })
  expect([run.code, run.stderr]).toEqual([0, ""])
  expect(promptOf(run.requests[0])).toContain("Translate: good day")
})

test("on the screen such a command is completed and run, also if its letters are written in two characters", async () => {
  using place = openPlace({ ".claude/commands/café-résumé.md": "Translate: $ARGUMENTS" })
  await using run = await openScreenRun({ place, argv: ["--trust"], scenario: ["Done.", "Again."] })
  await run.shows("Ask anything")
  run.type("/caf")
  await run.shows("/café-résumé")
  run.type("\t")
  run.type("good day\r")
  await run.shows("Done.")
  expect(promptOf(run.requests[0])).toContain("Translate: good day")
  run.type(`${"/café-résumé".normalize("NFD")} again\r`)
  await run.shows("Again.")
  expect(promptOf(run.requests[1])).toContain("Translate: again")
})
