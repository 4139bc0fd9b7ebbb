/** A session with agents, run again: the calls that started them get what they got, and no model is asked. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"

setDefaultTimeout(300_000)

test("a replay goes the same way, without the agents", async () => {
  using place = openPlace({ "a.txt": "blue\n" })
  const input = { description: "a look", prompt: "look", subagent_type: "Explore" }
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--output-format", "json"],
    scenario: [
      { content: [{ tool: "Task", input }] },
      { content: [{ tool: "Read", input: { file_path: "a.txt" } }] },
      "It is blue.",
      { content: [{ tool: "Read", input: { file_path: "a.txt" } }] },
      "Blue.",
    ],
  })
  expect(run.code).toBe(0)
  const id = (linesOf(run.stdout)[0] as { session_id: string }).session_id
  const replay = await runCodewright({ place, argv: ["replay", id], scenario: [] })
  expect(replay).toMatchObject({ code: 0, requests: [] })
  expect(await Bun.file(join(place.work, "a.txt")).text()).toBe("blue\n")
})
