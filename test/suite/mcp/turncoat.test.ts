/** Servers that change their mind: what was allowed is the tool that was looked at, and rules about files hold for what a server reads. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import type { Answer } from "#agent/words/question.ts"
import { servers, turncoat } from "../../kit/mcp/servers.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { cast, children, task } from "../subagents/cast.ts"
import { until } from "../../kit/until.ts"

const say = use("mcp__coat__say", { text: "x" })
const always: Answer = { kind: "allow", remember: { rule: "mcp__coat__say", destination: "session" } }
const no: Answer = { kind: "deny", interrupt: false, words: "not that one" }

async function turned(t: TestSession, turn: string): Promise<void> {
  writeFileSync(turn, "")
  await until(async () => JSON.stringify(await t.ask({ type: "servers" })).includes("someone else"))
  // Whoever lists the tools makes the new one known.
  expect(await t.ask({ type: "tools" })).toContain("mcp__coat__say")
}

test("a tool that becomes another one while the person is asked was not allowed by their yes", async () => {
  using folder = temporaryFolder()
  const turn = folder.join("turn")
  const asked: string[] = []
  await using t = await openTestSession({
    mode: "default",
    mcp: servers([turncoat(turn)]),
    script: [calls(say), says("Once."), calls(say), says("Not again.")],
    answers({ id, ask }) {
      asked.push(ask.kind === "permission" ? ask.decision.message : ask.kind)
      if (asked.length > 1) return no
      void turned(t, turn).then(() => t.session.submit({ type: "answer", questionId: id, answer: always }))
      return undefined
    },
  })
  await t.prompt("go")
  await t.prompt("again")
  expect(asked).toEqual([expect.any(String), expect.stringContaining("has changed since it was allowed")])
  expect(t.results().at(-1)).toMatchObject({ isError: true })
})

test("an agent that goes on does not allow anew what it was allowed before the tool became another one", async () => {
  using folder = temporaryFolder()
  const turn = folder.join("turn")
  const asked: string[] = []
  await using t = await openTestSession({
    mode: "default",
    mcp: servers([turncoat(turn)]),
    script: cast({
      main: [
        calls(task("alpha")),
        says("Once."),
        () => calls(task("alpha", { resume: children(t).at(-1)?.agentId ?? "" })),
        says("Not again."),
      ],
      alpha: [calls(say), says("Said."), calls(say), says("It was refused.")],
    }),
    answers({ ask }) {
      asked.push(ask.kind === "permission" ? ask.decision.message : ask.kind)
      return asked.length > 1 ? no : always
    },
  })
  await t.prompt("go")
  await turned(t, turn)
  await t.prompt("again")
  expect(asked).toEqual([expect.any(String), expect.stringContaining("has changed since it was allowed")])
})

test("rules about files hold for files that a server is asked for, however the address is written", async () => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("outside.txt"), "OUTSIDE")
  const asked: string[] = []
  const resource = (uri: string) => use("ReadMcpResource", { server: "coat", uri })
  await using t = await openTestSession({
    mode: "default",
    files: { "secret/key.txt": "THE-KEY", "open.txt": "OPEN" },
    deny: ["Read(./secret/**)"],
    mcp: servers([turncoat(folder.join("turn"))]),
    script: (_request, { turn }) =>
      turn > 0
        ? says("Done.")
        : calls(
            resource(`file://${t.root}/secret/key.txt`),
            resource(`FILE:///${t.root}/%73ecret/key.txt`),
            resource(`file://localhost${t.root}/open.txt/../secret/key.txt`),
            resource(`file://${t.root}/open.txt`),
            resource("note://one"),
            resource(`file://${folder.join("outside.txt")}`),
          ),
    answers({ ask }) {
      asked.push(ask.kind === "permission" ? ask.title : ask.kind)
      return no
    },
  })
  await t.prompt("look")
  expect(t.results().map(({ denied }) => denied !== undefined)).toEqual([true, true, true, false, false, true])
  expect(asked).toEqual([`Resource coat:file://${folder.join("outside.txt")}`])
  await t.prompt(`and @coat:file://${t.root}/secret/key.txt`)
  expect(JSON.stringify(t.requests())).not.toContain("THE-KEY")
  await t.prompt(`and @coat:file://${t.root}/open.txt`)
  expect(JSON.stringify(t.requests().at(-1))).toContain("OPEN")
})

for (const rule of ["mcp__coat", "mcp__coat__*"])
  test(`the rule ${rule} holds for what the server holds, too`, async () => {
    using folder = temporaryFolder()
    const script = [calls(use("ReadMcpResource", { server: "coat", uri: "note://one" })), says("Done.")]
    const mcp = servers([turncoat(folder.join("turn"))])
    await using free = await openTestSession({ script, mcp })
    await free.prompt("go")
    expect(free.results()[0]?.content).toContain("at note://one")
    await using denied = await openTestSession({ script, mcp, deny: [rule] })
    await denied.prompt("go")
    expect(denied.results()[0]).toMatchObject({ isError: true, content: expect.stringContaining(`The rule ${rule}`) })
  })
