/** Imported logs had the times of their conversations, so the daily cleaning at the end of the next run removed all that were older than a month. */

import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { putFiles } from "../kit/import-sources.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

test("conversations of years ago are there after the next run", async () => {
  using place = openPlace()
  const ids = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]
  const lines = (year: number): string =>
    [
      { timestamp: `${year}-01-01T00:00:00Z`, type: "session_meta", payload: { cwd: place.work } },
      {
        timestamp: `${year}-01-01T00:00:01Z`,
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ text: `In ${year}` }] },
      },
    ]
      .map((line) => JSON.stringify(line))
      .join("\n")
  putFiles(join(place.home, ".codex/sessions"), {
    // The older one has the greater name.
    [`rollout-b-${ids[0]}.jsonl`]: lines(2021),
    [`rollout-a-${ids[1]}.jsonl`]: lines(2020),
  })
  await runCodewright({ argv: ["import", "codex", "--yes"], place })
  await runCodewright({ argv: ["-p", "Hello"], place, scenario: ["Hello."] })
  const kept = readdirSync(join(place.state, "projects"), { recursive: true }).map(String)
  for (const id of ids) expect(kept.some((path) => path.endsWith(`${id}.jsonl`))).toBe(true)
  const { stdout } = await runCodewright({ argv: ["sessions", "list"], place })
  expect(stdout.indexOf("In 2021")).toBeLessThan(stdout.indexOf("In 2020"))
})
