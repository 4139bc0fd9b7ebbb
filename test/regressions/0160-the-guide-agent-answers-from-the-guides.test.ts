/** The guide agent had only what its prompt said: it could not read the guides that the executable carries. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { openTestSession } from "../kit/open-test-session.ts"
import { calls, says, use } from "../kit/script.ts"
import { cast, logOf, task, toolsOf } from "../suite/subagents/cast.ts"

setDefaultTimeout(60_000)

test("the guide agent searches and reads the guides without asking, and nobody else has the tool", async () => {
  await using t = await openTestSession({
    allow: [],
    mode: "default",
    script: cast({
      main: [calls(task("alpha", { subagent_type: "guide" }), task("beta", { subagent_type: "Explore" })), says("ok")],
      alpha: [
        calls(use("Docs", {}), use("Docs", { search: "rewind what covers" }), use("Docs", { page: "undo" })),
        calls(use("Docs", { page: "nosuch" }), use("Docs", { search: "nosuchword" })),
        says("done"),
      ],
      beta: [says("done")],
    }),
  })
  await t.prompt("go")
  expect(toolsOf(t, "alpha")).toContain("Docs")
  expect(toolsOf(t, "beta")).not.toContain("Docs")
  expect(toolsOf(t, "main")).not.toContain("Docs")
  const results = (await logOf(t, "alpha")).flatMap((entry) => (entry.kind === "result" ? [JSON.stringify(entry)] : []))
  const [list = "", found = "", page = "", missing = "", nothing = ""] = results
  expect(list).toContain("undo: Undo")
  expect(found).toContain("[undo]")
  expect(page).toContain("# Undo")
  expect(missing).toContain("There is no page named nosuch")
  expect(nothing).toContain("No section has all of these words")
})
