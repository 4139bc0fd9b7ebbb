/** Branches and worktrees of members were named by an id, so nobody could tell whose they are. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { basename } from "node:path"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { bash, calls, says } from "../kit/script.ts"
import { cast } from "../suite/subagents/cast.ts"
import { create, look, member, openRepositorySession, send } from "../suite/team/crew.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(300_000)

const again = ({ messages }: SimRequest): ScenarioReply =>
  JSON.stringify(messages.at(-1)).includes("once more") ? calls(member("ann")) : says("ok")

test("they have the names of team and member, and what an earlier member left is not taken over", async () => {
  const commit = calls(bash("echo ann >> a.txt && git commit -qam ann"))
  await using t = await openRepositorySession({
    files: { "a.txt": "lead\n" },
    script: cast({
      main: [
        calls(create),
        calls(member("ann")),
        calls(send("ann", "Please leave.", { type: "shutdown_request" })),
        ...Array.from({ length: 9 }, () => again),
      ],
      ann: [
        commit,
        calls(send("lead", "Bye.", { type: "shutdown_response", approve: true, answers: 1 })),
        says("Gone."),
      ],
    }),
  })
  await t.prompt("go")
  const [, first] = await until(async () => {
    const members = (await look(t))?.members ?? []
    return members.some(({ name, state }) => name === "ann" && state === "gone") && members
  })
  expect([first?.branch, basename(first?.folder ?? "")]).toEqual(["codewright/crew-ann", "crew-ann"])

  await t.settled()
  await t.prompt("once more")
  await until(async () => (await look(t))?.members.some(({ name, state }) => name === "ann" && state !== "gone"))
  const branch = (await look(t))?.members[1]?.branch
  expect(branch).toMatch(/^codewright\/crew-ann-[0-9a-f]{8}$/)
})
