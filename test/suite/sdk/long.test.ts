/** Thirty prompts through the SDK: plan mode with its reminders and approvals, and three compactions that keep the user's words. */

import { expect } from "bun:test"
import type { RecordedRequest } from "#sim/ledger.ts"
import { calls, use, write } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, withBoth } from "./drive.ts"

const isResult = ({ type }: Message): boolean => type === "result"
const lastMessage = ({ body }: RecordedRequest): string =>
  JSON.stringify((body as { messages: readonly unknown[] }).messages.at(-1))

/** Words with everything that is easily lost on the way. */
const words = (n: number): string =>
  `Prompt ${n}: keep "quotes", \\backslashes\\, <tags> & umlauts äöü, 日本語, 👩‍👩‍👧, tabs\tand\n  two\n    lines; end of ${n}.`

withBoth(
  "three compactions over thirty prompts: every word of the user is still there, byte for byte",
  async (version) => {
    await using world = await openWorld(version, {
      scenario: (_, { request }) => ({ content: `Answer ${request}. ${"It goes on at length. ".repeat(400)}` }),
    })
    const chat = openChat(world)
    for (let n = 1; n <= 30; n++) {
      chat.stream.say(words(n))
      expect(await chat.next(isResult)).toMatchObject({ subtype: "success" })
      if (n % 10 !== 0) continue
      chat.stream.say("/compact")
      expect(await chat.next(({ subtype }) => subtype === "compact_boundary")).toMatchObject({
        compact_metadata: { trigger: "manual", pre_tokens: expect.any(Number), duration_ms: expect.any(Number) },
      })
      expect(await chat.next(isResult)).toMatchObject({ is_error: false })
    }
    chat.stream.say("What did I say?")
    await chat.next(isResult)
    const told = await chat.end()
    expect(told.messages.filter(({ subtype }) => subtype === "compact_boundary")).toHaveLength(3)
    const { messages } = (world.requests().at(-1) as RecordedRequest).body as unknown as {
      messages: readonly unknown[]
    }
    const sent = messages.flatMap((message) => {
      const { content } = message as { content: string | readonly { text?: string }[] }
      return typeof content === "string" ? [content] : content.map(({ text }) => text ?? "")
    })
    for (let n = 1; n <= 30; n++) expect(sent.some((text) => text.includes(words(n)))).toBe(true)
  },
)

withBoth("plan mode over thirty prompts: reminders, approval, and coming back to a plan", async (version) => {
  let plan = ""
  await using world = await openWorld(version, {
    scenario: (request) => {
      const text = JSON.stringify(request)
      plan = /Your plan file is (\S+\.md)\./.exec(text)?.[1] ?? plan
      const last = JSON.stringify(request.messages.at(-1))
      if (last.includes("write the plan")) return calls(write(plan, "# Plan\n\nDo it well.\n"))
      if (last.includes("present the plan")) return calls(use("ExitPlanMode", {}))
      if (last.includes("change a file")) return calls(write("a.txt", "x"))
      return { content: "Fine." }
    },
  })
  const plans: unknown[] = []
  const chat = openChat(world, {
    canUseTool(tool, input) {
      if (tool === "ExitPlanMode") plans.push(input["plan"])
      return Promise.resolve({ behavior: "allow", updatedInput: input })
    },
  })
  const say = async (text: string): Promise<string> => {
    const from = world.requests().length
    chat.stream.say(text)
    expect(await chat.next(isResult)).toMatchObject({ subtype: "success" })
    return lastMessage(world.requests()[from] as RecordedRequest)
  }
  for (let n = 1; n <= 5; n++) expect(await say(`question ${n}`)).not.toContain("Plan mode is")
  await chat.query.setPermissionMode("plan")
  expect(await say("think about it")).toContain("Plan mode is on.")
  await say("change a file")
  expect(await Bun.file(`${world.place.work}/a.txt`).exists()).toBe(false)
  const planning: string[] = []
  for (let n = 1; n <= 10; n++) planning.push(await say(`more ${n}`))
  expect(planning.some((text) => text.includes("Plan mode is still on"))).toBe(true)
  await say("write the plan")
  await say("present the plan")
  expect(plans).toEqual(["# Plan\n\nDo it well.\n"])
  for (let n = 1; n <= 5; n++) expect(await say(`work ${n}`)).not.toContain("Plan mode is on.")
  await say("change a file")
  expect(await world.place.read("a.txt")).toBe("x")
  await chat.query.setPermissionMode("plan")
  expect(await say("plan again")).toContain(plan)
  for (let n = 1; n <= 3; n++) await say(`again ${n}`)
  await chat.query.setPermissionMode("default")
  expect(await say("enough")).not.toContain("Plan mode is on.")
  const told = await chat.end()
  expect(told.messages.filter(isResult)).toHaveLength(30)
  const modes = told.messages.flatMap(({ subtype, permissionMode }) => (subtype === "status" ? [permissionMode] : []))
  expect(modes.filter((mode) => mode !== undefined)).toEqual(["plan", "default", "plan", "default"])
})
