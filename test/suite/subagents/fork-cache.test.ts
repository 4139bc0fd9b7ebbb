/** A fork reads what it begins with from the cache of its parent: by the simulator's accounting, and in the ledger. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { Usage } from "#agent/words/model.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, use } from "../../kit/script.ts"

setDefaultTimeout(300_000)

test("at least 95% of a fork's first request is read from the cache", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "A line of a file that is long enough to matter.\n".repeat(400) },
    script(request) {
      const all = JSON.stringify(request.messages)
      const last = JSON.stringify(request.messages.at(-1))
      if (last.includes("Fork says done")) return says("Confirmed.")
      if (all.includes("Now you:")) return says("Fork says done.")
      if (last.includes("long enough to matter"))
        return calls(
          use("Task", { description: "the same", prompt: "Now you: how many lines?", subagent_type: "fork" }),
        )
      return calls(read("a.txt"))
    },
  })
  expect(await t.prompt("Read the file, then let a fork count its lines.")).toEqual({ reason: "completed" })
  const [agent] = await t.ask({ type: "agents" })
  const entries = (await t.ask({ type: "agent", agentId: agent?.fact.agentId ?? "" })) ?? []
  const first = entries.find((entry) => entry.kind === "reply_end")
  expect(first && share(first.usage)).toBeGreaterThanOrEqual(0.95)
  const cost = await t.ask({ type: "command", name: "cost", args: "" })
  const [, percent] = /fork \S+: .* (\d+)% of its input from the cache/.exec(cost?.text ?? "") ?? []
  expect(Number(percent)).toBeGreaterThanOrEqual(95)
})

const share = ({ input_tokens, cache_read_input_tokens, cache_creation_input_tokens }: Usage): number =>
  cache_read_input_tokens / (input_tokens + cache_read_input_tokens + cache_creation_input_tokens)
