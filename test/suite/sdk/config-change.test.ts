/** Settings that change while a conversation is open: stricter rules count at once, unless a hook objects. */

import { expect } from "bun:test"
import { join } from "node:path"
import { calls } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, type Version, withBoth } from "./drive.ts"

const isResult = ({ type }: Message): boolean => type === "result"
const touch = (name: string) => calls({ tool: "Bash", input: { command: `touch ${name}` } })

/** What a hook says to a rule that denies the second call, and whether that was carried out. */
async function changed(version: Version, answer: object) {
  await using world = await openWorld(version, {
    files: { ".claude/settings.json": "{}" },
    scenario: [touch("one"), "One.", touch("two"), "Two."],
  })
  const heard: object[] = []
  const hook = async (input: object) => {
    heard.push(input)
    return answer
  }
  const chat = openChat(world, { allowedTools: ["Bash"], hooks: { ConfigChange: [{ hooks: [hook] }] } })
  chat.stream.say("one")
  await chat.next(isResult)
  world.place.write(".claude/settings.json", JSON.stringify({ permissions: { deny: ["Bash(touch two)"] } }))
  await chat.next(({ subtype, content }) => subtype === "informational" && String(content).includes("settings"))
  chat.stream.say("two")
  await chat.next(isResult)
  await chat.end()
  return { heard, isDone: await Bun.file(join(world.place.work, "two")).exists() }
}

withBoth("hooks hear of it", async (version) => {
  const { heard, isDone } = await changed(version, {})
  expect(heard).toMatchObject([
    {
      hook_event_name: "ConfigChange",
      source: "project_settings",
      file_path: expect.stringContaining(".claude/settings.json") as string,
    },
  ])
  expect(isDone).toBe(false)
})

withBoth("and may keep it from counting", async (version) => {
  const { heard, isDone } = await changed(version, { decision: "block", reason: "not today" })
  expect(heard).toHaveLength(1)
  expect(isDone).toBe(true)
})
