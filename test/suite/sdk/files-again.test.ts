/** Files that people extend the program with may come and change while a conversation is open. */

import { expect } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { openChat } from "./chat.ts"
import { type Message, openWorld, withBoth } from "./drive.ts"

const isResult = ({ type }: Message): boolean => type === "result"
const isInit = ({ subtype }: Message): boolean => subtype === "init"
const painter = (color: string): string => `---\nname: painter\ndescription: Knows ${color}.\n---\nYou say ${color}.`
const paint = { content: [{ tool: "Task", input: { description: "blue", prompt: "say", subagent_type: "painter" } }] }

withBoth("agents, commands and skills that come or change later are there in the next turn", async (version) => {
  await using world = await openWorld(version, {
    env: { CODEWRIGHT_TRUST: "1" },
    scenario: {
      replies: [
        { when: { system: "You say blue" }, content: "Blue." },
        { when: { system: "You say red" }, content: "Red." },
        { content: "Hello." },
        paint,
        { content: "It was blue." },
        paint,
        { content: "It was red." },
        { content: "They are gone." },
      ],
    },
  })
  const chat = openChat(world)
  const about = async (said: string): Promise<Message> => {
    chat.stream.say(said)
    const init = await chat.next(isInit)
    await chat.next(isResult)
    return init
  }
  expect((await about("hi")).agents).not.toContain("painter")

  world.place.write(".claude/agents/painter.md", painter("blue"))
  world.place.write(".claude/commands/greet.md", "Say hello.")
  world.place.write(".claude/skills/dance/SKILL.md", "---\nname: dance\ndescription: Dances.\n---\nDance.")
  const second = await about("paint")
  expect(second.agents).toContain("painter")
  expect(second.slash_commands).toContain("greet")
  expect(second.skills).toContain("dance")
  expect((await chat.query.reloadPlugins()).agents.map(({ name }) => name)).toContain("painter")
  expect(told(world.requests())).toContain("- painter: Knows blue.")

  world.place.write(".claude/agents/painter.md", painter("red, which is longer"))
  await about("paint again")
  expect(told(world.requests())).toContain("- painter: Knows red, which is longer.")

  rmSync(join(world.place.work, ".claude/agents/painter.md"))
  expect((await about("and now?")).agents).not.toContain("painter")
  expect(told(world.requests())).toContain("No longer there: painter.")
  expect((await chat.end()).thrown).toBeUndefined()
})

const told = (requests: readonly { readonly body: unknown }[]): string => JSON.stringify(requests.at(-1)?.body)
