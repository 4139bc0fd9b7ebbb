/** Fields that make messages useful: what is given again, what an agent was asked. */

import { expect } from "bun:test"
import type { Fault } from "#sim/faults.ts"
import { openChat } from "./chat.ts"
import { openWorld, resultOf, withBoth } from "./drive.ts"

const task = { tool: "Task", input: { description: "a look", prompt: "look around", subagent_type: "general-purpose" } }
const isAgent = { when: { system: "You carry out one task" } }

withBoth("an answer that broke off and is given again replaces what was told of it", async (version) => {
  await using world = await openWorld(version, {
    scenario: {
      replies: [
        { content: ["Hm.", { tool: "Read", input: { file_path: "a.txt" } }], fault: broken },
        { content: "It is blue." },
      ],
    },
  })
  const told = await world.run("which colour?")
  expect(resultOf(told)).toMatchObject({ result: "It is blue." })
  const said = told.messages.filter(({ type }) => type === "assistant")
  expect(said).toHaveLength(2)
  expect(said.at(-1)?.["supersedes"]).toEqual(said.slice(0, -1).map(({ uuid }) => uuid))
})

/** In the middle of the call, when the text before it is whole. */
const broken: Fault = { name: "truncated_event", afterEvents: 6 }

withBoth("what an agent was asked, and that its request is repeated", async (version) => {
  await using world = await openWorld(version, {
    env: { CODEWRIGHT_RETRY_MS: "1" },
    scenario: {
      replies: [
        { ...isAgent, content: "Blue.", fault: "overloaded" },
        { ...isAgent, content: "Blue." },
        { content: [task] },
        { content: "It is blue." },
      ],
    },
  })
  const told = await world.run("which colour?")
  const started = told.messages.find(({ subtype }) => subtype === "task_started")
  expect(started).toMatchObject({ prompt: "look around" })
  const retry = told.messages.find(({ type }) => type === "tool_progress")
  expect(retry).toMatchObject({
    tool_use_id: started?.["tool_use_id"],
    subagent_retry: { agent_id: started?.["task_id"], attempt: 1, error_status: 529, error_category: "overloaded" },
  })
})

withBoth("an agent may work without the project's memory files", async (version) => {
  const replies = [
    { when: { system: "You know nothing" }, content: "Blue." },
    { content: [{ tool: "Task", input: { ...task.input, subagent_type: "fresh" } }] },
    { content: "It is blue." },
  ]
  const asked = async (omitClaudeMd: boolean): Promise<readonly boolean[]> => {
    await using world = await openWorld(version, {
      files: { "CLAUDE.md": "The colour is plum." },
      scenario: { replies },
    })
    const fresh = { description: "Fresh.", prompt: "You know nothing", omitClaudeMd }
    const told = await world.run("which colour?", { agents: { fresh } })
    expect(resultOf(told)).toMatchObject({ result: "It is blue." })
    return world.requests().map(({ body }) => JSON.stringify(body).includes("plum"))
  }
  expect(await asked(false)).toEqual([true, true, true])
  expect(await asked(true)).toEqual([true, false, true])
})

withBoth("a compaction that would win nothing says so, and that it is over", async (version) => {
  await using world = await openWorld(version, { scenario: ["Hello.", "They greeted each other.", "Bye."] })
  const chat = openChat(world)
  chat.stream.say("hello")
  await chat.next(({ type }) => type === "result")
  chat.stream.say("/compact")
  const nothing = expect.stringMatching(/^Nothing to compact yet\.$/) as string
  expect(await chat.next(({ type }) => type === "result")).toMatchObject({ is_error: true, errors: [nothing] })
  chat.stream.say("/cost")
  await chat.next(({ type }) => type === "result")
  const { messages } = await chat.end()
  expect(messages.filter(({ subtype }) => subtype === "status")).toMatchObject([
    { status: "compacting" },
    { status: null, compact_result: "failed", compact_error: nothing },
  ])
  expect(messages.filter(({ subtype }) => subtype === "compact_boundary")).toEqual([])
})
