/** Agents use the servers of whoever started them, and what is decided about a tool there is decided. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import type { Question } from "#agent/words/question.ts"
import { servers, wayward } from "../../kit/mcp/servers.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { cast, resultsOf, task } from "../subagents/cast.ts"

const tool = "mcp__wayward__say"

test("a yes to a changed tool inside an agent is kept: it is not asked about there again, nor outside", async () => {
  const asked: string[] = []
  const answers = ({ ask, agent }: Question): { readonly kind: "allow" } => {
    asked.push(`${agent?.type ?? "main"} ${ask.kind === "permission" ? ask.tool : ask.kind}`)
    return { kind: "allow" }
  }
  await using first = await openTestSession({
    script: cast({
      main: [
        calls(task("alpha")),
        says("First."),
        calls(task("beta")),
        calls(use(tool, { text: "here" })),
        says("Done."),
      ],
      alpha: [calls(use(tool, { text: "one" })), says("Said.")],
      beta: [calls(use(tool, { text: "two" })), calls(use(tool, { text: "three" })), says("Said.")],
    }),
    mcp: servers([wayward("wayward")]),
    allow: ["mcp__wayward"],
    answers,
  })
  await first.prompt("go")
  // A rule allowed it in the agent: what it was then is kept.
  expect(asked).toEqual([])
  const kept = (): string =>
    JSON.parse(readFileSync(first.path("../state/mcp-approvals.json"), "utf8")).projects[first.root].tools[tool]
  const before = kept()
  expect(before).toMatch(/^[0-9a-f]{32}$/)

  await using second = await first.reopen({ mcp: servers([wayward("wayward", "changed-definition")]) })
  await second.prompt("go on")
  expect(asked).toEqual([`general-purpose ${tool}`])
  expect(kept()).not.toBe(before)
  expect(resultsOf(second, tool)).toEqual([`say: {"text":"here"}`])
})
