/** A yes with words: the call is made, and the one who asked hears the words at its next step, exactly once. */

import { expect, test } from "bun:test"
import type { Answer, Question } from "#agent/words/question.ts"
import type { SimRequest } from "#sim/request.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"
import { task } from "../subagents/cast.ts"

const words = "Use tabs from now on."
const yesAnd = ({ ask }: Question): Answer =>
  ask.kind === "plan"
    ? { kind: "approve", mode: "default", wishes: [], words }
    : { kind: "allow", words: ask.kind === "permission" && ask.title.includes("init") ? words : "" }

const heard = ({ messages }: SimRequest): number => JSON.stringify(messages).split(words).length - 1

test("the words come as the user's own after the result", async () => {
  const requests: SimRequest[] = []
  await using t = await openTestSession({
    script: (request) => {
      requests.push(request)
      return requests.length === 1
        ? calls(bash("git init -q sub"))
        : requests.length === 2
          ? calls(bash("rm -rf sub"))
          : says("Done.")
    },
    mode: "default",
    allow: [],
    answers: yesAnd,
  })
  await t.prompt("go")
  expect(requests.map(heard)).toEqual([0, 1, 1])
  const last = requests[1]?.messages.at(-1)
  expect(last?.role).toBe("user")
  expect(JSON.stringify(last?.content)).toMatch(/tool_result.*Use tabs from now on\./)
  expect(t.story().filter((line) => line.startsWith("prompt"))).toHaveLength(2)
})

test("an agent that asked hears them, and not the one who started it", async () => {
  const byAgent: number[] = []
  const byMain: number[] = []
  await using t = await openTestSession({
    script: (request) => {
      const isAgents = JSON.stringify(request.messages[0]?.content).includes("ann: do it.")
      const heardBy = isAgents ? byAgent : byMain
      heardBy.push(heard(request))
      if (heardBy.length > 1) return says("Done.")
      return calls(isAgents ? bash("git init -q sub") : task("ann"))
    },
    mode: "default",
    allow: [],
    answers: yesAnd,
  })
  await t.prompt("go")
  expect([byAgent, byMain]).toEqual([
    [0, 1],
    [0, 0],
  ])
})

test("an approved plan begins with them", async () => {
  const requests: SimRequest[] = []
  await using t = await openTestSession({
    script: (request) => {
      requests.push(request)
      return requests.length === 1 ? calls(use("ExitPlanMode", { plan: "# Plan\n\nDo it." })) : says("Done.")
    },
    mode: "plan",
    answers: yesAnd,
  })
  await t.prompt("go")
  expect(requests.map(heard)).toEqual([0, 1])
})
