/** What is said while the agent works. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import type { Message } from "#agent/words/message.ts"
import { isEntry, openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

/** Ends once the test has said what it wants to say. */
const waits = bash("until [ -e go ]; do sleep 0.01; done; touch gone; echo went")

const texts = (message: Message | undefined): string[] =>
  message?.content.flatMap((block) => (block.type === "text" ? [block.text] : [block.type])) ?? []

test("steering goes in after the tool results; what is queued starts the next turn", async () => {
  await using t = await openTestSession({
    script: [calls(waits), says("Both, then."), says("And that.")],
  })
  const ended = t.prompt("work")
  await t.until(isEntry("intent"))
  t.say("queued", "queue")
  t.say("steered", "steer")
  writeFileSync(t.path("go"), "")
  expect(await ended).toEqual({ reason: "completed" })

  const [, second, third] = t.requests()
  expect(texts(second?.at(-1))).toEqual(["tool_result", "steered"])
  expect(second?.flatMap(texts)).not.toContain("queued")
  expect(texts(third?.at(-1))).toEqual(["queued"])
  expect(t.story()).toEqual([
    "turn_start",
    "prompt work",
    "reply calls Bash",
    "decision allow Bash by mode",
    "intent Bash until [ -e go ]; do sleep 0.01; done; touch gone; echo went",
    "queued queued",
    "queued steered",
    "result went",
    "prompt steered",
    "reply Both, then.",
    "turn_end completed",
    "turn_start",
    "prompt queued",
    "reply And that.",
    "turn_end completed",
  ])
})

test("steering that comes with the last answer continues the turn", async () => {
  await using t = await openTestSession({
    script: [{ content: "Almost done.", timing: { tokensPerSecond: 20 } }, says("Now I am.")],
  })
  const ended = t.prompt("work")
  await t.until(({ type }) => type === "model_delta")
  t.say("one more thing", "steer")
  expect(await ended).toEqual({ reason: "completed" })
  expect(t.story().slice(2)).toEqual([
    "queued one more thing",
    "reply Almost done.",
    "prompt one more thing",
    "reply Now I am.",
    "turn_end completed",
  ])
})

test("a prompt said the moment a turn ends is not left lying", async () => {
  await using t = await openTestSession({ script: Array.from({ length: 20 }, (_, i) => says(`answer ${i}`)) })
  let said = 1
  t.say("prompt 0")
  for await (const event of t.session.events("beginning")) {
    const isEnd = event.type === "entry" && event.entry.kind === "turn_end"
    if (!isEnd && event.type !== "queue_change") continue
    if (said === 20) break
    t.say(`prompt ${said++}`)
  }
  await t.settled()
  expect(t.story().filter((line) => line.startsWith("prompt"))).toEqual(
    Array.from({ length: 20 }, (_, i) => `prompt prompt ${i}`),
  )
  expect(t.simulator.requests).toHaveLength(20)
})
