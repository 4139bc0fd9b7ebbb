/** New skills, commands and agents: the model is told where this repository has such files. */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { textOf } from "#agent/words/message.ts"
import { ownFolder } from "#session/slash/new-text.ts"
import { calls, says, write } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { starting } from "./start.ts"

const { start } = starting()

test("they are written where the repository already has such files", () => {
  using folder = temporaryFolder()
  const at = (path: string) => mkdirSync(folder.join(path), { recursive: true })
  at("repo/.git")
  at("repo/sub")
  writeFileSync(folder.join("repo/.git/HEAD"), "ref: refs/heads/main\n")
  const where = (kind: string) => ownFolder(folder.join("repo/sub"), kind)
  expect(where("skills")).toBe(folder.join("repo/.codewright/skills"))
  at("repo/.claude")
  expect(where("skills")).toBe(folder.join("repo/.claude/skills"))
  at("repo/.codewright/agents")
  expect(where("agents")).toBe(folder.join("repo/.codewright/agents"))
  at("repo/.claude/skills")
  expect(where("skills")).toBe(folder.join("repo/.claude/skills"))
})

test("/skills new asks the model, whose file is a command at once", async () => {
  const t = await start({
    mode: "acceptEdits",
    files: { ".claude/commands/old.md": "Old." },
    answers: () => ({ kind: "allow" }),
    script: [
      calls(write(".claude/commands/greet.md", "---\ndescription: Greets\n---\nGreet $ARGUMENTS.")),
      says("Start it with /greet."),
      says("Hello, Ada."),
    ],
  })
  await t.prompt("/skills new a command that greets people")
  const first = textOf(t.requests()[0]?.findLast(({ role }) => role === "user")?.content ?? [])
  expect(first).toContain("a command that greets people")
  expect(first).toContain(`a command ${t.path(".claude/commands")}/<name>.md`)
  await t.settled()
  await t.prompt("/greet Ada")
  expect(JSON.stringify(t.requests().at(-1))).toContain("Greet Ada.")
})

test("/agents new does the same, and without new they are lists", async () => {
  const t = await start({ script: [says("What is it for?")], answers: () => ({ kind: "allow" }) })
  expect(await t.ask({ type: "command", name: "agents", args: "new" })).toMatchObject({
    text: "",
    ops: [{ type: "prompt", origin: { kind: "made" } }],
  })
  expect(await t.ask({ type: "command", name: "agents", args: "newest" })).not.toHaveProperty("ops")
})
