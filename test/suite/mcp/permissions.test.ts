import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import type { Answer, Question } from "#agent/words/question.ts"
import { openTestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { servers, wayward } from "../../kit/mcp/servers.ts"
import { calls, says, use } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const wayOf = (notes: string, ...wrongs: string[]): TestSessionOptions["mcp"] =>
  servers([wayward("wayward", `notes=${notes}`, ...wrongs)])
const callsIn = (notes: string): readonly string[] =>
  existsSync(notes)
    ? readFileSync(notes, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("call "))
    : []

test("without a rule and without anybody to ask, a tool is not called", async () => {
  using folder = temporaryFolder()
  const notes = folder.join("notes")
  await using t = await openTestSession({
    script: [calls(use("mcp__wayward__say", { text: "hello" })), says("Understood.")],
    mcp: wayOf(notes),
  })
  await t.prompt("go")
  expect(t.results()[0]?.denied).toBeDefined()
  expect(t.results()[0]?.content).toContain("allow it with the rule mcp__wayward__say in permissions.allow")
  expect(callsIn(notes)).toEqual([])
})

test("the question names the server, what it says is at risk, and the rule that would spare it", async () => {
  const seen: Question["ask"][] = []
  await using t = await openTestSession({
    script: [calls(use("mcp__wayward__wreck", {})), says("Done.")],
    mcp: servers([wayward("wayward")]),
    answers({ ask }) {
      seen.push(ask)
      return { kind: "allow" }
    },
  })
  await t.prompt("go")
  expect(seen).toMatchObject([
    {
      kind: "permission",
      tool: "mcp__wayward__wreck",
      title: "wayward: wreck",
      risks: [
        "wayward says that this may be destructive, and cannot be undone",
        "wayward says that this reaches other systems than its own",
      ],
      suggestedRule: "mcp__wayward__wreck",
    },
  ])
  expect(t.results()[0]?.content).toBe("wreck: {}")
})

test("a denied server is not even offered", async () => {
  await using t = await openTestSession({
    script: [says("Done.")],
    mcp: servers([wayward("wayward"), wayward("denied")]),
    deny: ["mcp__denied"],
  })
  await t.prompt("go")
  expect((await t.ask({ type: "tools" })).filter((name) => name.startsWith("mcp__"))).toEqual([
    "mcp__wayward__look",
    "mcp__wayward__say",
    "mcp__wayward__wreck",
  ])
})

test("a tool that has become another one is asked about again, whatever rules say, until the person says yes", async () => {
  const script = [
    calls(use("mcp__wayward__say", { text: "one" })),
    says("First."),
    calls(use("mcp__wayward__say", { text: "two" })),
    says("Second."),
    calls(use("mcp__wayward__say", { text: "three" })),
    says("Third."),
    calls(use("mcp__wayward__say", { text: "four" })),
    says("Fourth."),
  ]
  await using first = await openTestSession({ script, mcp: servers([wayward("wayward")]), allow: ["mcp__wayward"] })
  await first.prompt("go")
  expect(first.results().at(-1)?.content).toBe('say: {"text":"one"}')

  // Nobody is there to say yes: the rule that held before does not hold.
  const changed = servers([wayward("wayward", "changed-definition")])
  await using second = await first.reopen({ mcp: changed })
  await second.prompt("go")
  expect(second.results().at(-1)).toMatchObject({
    isError: true,
    content: expect.stringMatching(/^Not permitted\. .*nobody can be asked.*has changed since it was allowed/),
  })

  const messages: string[] = []
  const answers = ({ ask }: Question): Answer => {
    if (ask.kind === "permission") messages.push(ask.decision.message)
    return { kind: "allow" }
  }
  await using third = await second.reopen({ mcp: changed, answers })
  await third.prompt("go")
  expect(third.results().at(-1)?.content).toBe('say: {"text":"three"}')
  expect(messages).toEqual([expect.stringContaining("has changed since it was allowed")])

  // After that yes the rule holds again.
  await using fourth = await third.reopen({ mcp: changed, answers })
  await fourth.prompt("go")
  expect(fourth.results().at(-1)?.content).toBe('say: {"text":"four"}')
  expect(messages).toHaveLength(1)
})

const held = (notes: string): TestSessionOptions["mcp"] =>
  servers([{ ...wayward("wayward", `notes=${notes}`), source: "project", held: "needs_approval", fingerprint: "f1" }])

const answering =
  (label: string): TestSessionOptions["answers"] =>
  ({ ask }) =>
    ask.kind === "choice"
      ? { kind: "choices", answers: { [ask.questions[0]?.question ?? ""]: label } }
      : { kind: "allow" }

test("a server of the project starts once the person has said yes, and what they said is kept", async () => {
  using folder = temporaryFolder()
  const notes = folder.join("notes")
  await using t = await openTestSession({
    script: [calls(use("mcp__wayward__say", { text: "x" })), says("Done.")],
    mcp: held(notes),
    allow: ["mcp__wayward"],
    answers: answering("Start it"),
  })
  expect(existsSync(notes)).toBe(false)
  await t.prompt("go")
  expect(t.results()[0]?.content).toBe('say: {"text":"x"}')
  const question = t.entries().find((entry) => entry.kind === "question")
  expect(JSON.stringify(question)).toContain("This project wants to start the MCP server wayward: it runs")
  const kept: unknown = JSON.parse(readFileSync(t.path("../state/mcp-approvals.json"), "utf8"))
  expect(kept).toMatchObject({
    projects: { [t.root]: { servers: { wayward: { fingerprint: "f1", approved: true } } } },
  })
})

for (const [label, approved] of [
  ["Not now", undefined],
  ["Never here", false],
] as const)
  test(`a server of the project does not start when the answer is ${label}`, async () => {
    using folder = temporaryFolder()
    const notes = folder.join("notes")
    await using t = await openTestSession({
      script: [says("Hello."), says("Hello again.")],
      mcp: held(notes),
      answers: answering(label),
    })
    await t.prompt("go")
    await t.prompt("again")
    expect(existsSync(notes)).toBe(false)
    // Asked once in a session.
    expect(t.entries().filter(({ kind }) => kind === "question")).toHaveLength(1)
    const file = t.path("../state/mcp-approvals.json")
    expect(existsSync(file) ? readFileSync(file, "utf8") : "").toContain(approved === false ? '"approved": false' : "")
  })

test("in a folder that is not trusted nobody is asked, and nothing starts, not even by name", async () => {
  using folder = temporaryFolder()
  const notes = folder.join("notes")
  await using t = await openTestSession({
    script: [says("Hello.")],
    mcp: servers([
      { ...wayward("wayward", `notes=${notes}`), source: "project", held: "untrusted", fingerprint: "f1" },
    ]),
    answers: answering("Start it"),
  })
  await t.prompt("go")
  expect(await t.session.submit({ type: "server", name: "wayward", act: "enable" })).toEqual({
    ok: false,
    failure: { kind: "server", message: expect.stringContaining("not trusted") },
  })
  expect(existsSync(notes)).toBe(false)
  expect(t.entries().some(({ kind }) => kind === "question")).toBe(false)
})

test("where nobody can be asked, a server of the project does not start", async () => {
  using folder = temporaryFolder()
  const notes = folder.join("notes")
  await using t = await openTestSession({ script: [says("Hello.")], mcp: held(notes) })
  await t.prompt("go")
  expect(existsSync(notes)).toBe(false)
  expect(await t.ask({ type: "servers" })).toMatchObject([{ status: "needs_approval" }])
})

test("servers can be turned off and on, and reached anew, while the session runs", async () => {
  await using t = await openTestSession({ script: [says("Hello.")], mcp: servers([wayward("wayward")]) })
  await t.prompt("go")
  const doing = (act: "reconnect" | "enable" | "disable", name = "wayward") =>
    t.session.submit({ type: "server", name, act })
  const mine = async (): Promise<number> =>
    (await t.ask({ type: "tools" })).filter((name) => name.startsWith("mcp__")).length
  let changes = 0
  const { events } = t.session
  void (async () => {
    for await (const { type } of events("now")) if (type === "servers_change") changes++
  })()
  expect(await mine()).toBe(3)
  await doing("disable")
  expect([await mine(), (await t.ask({ type: "servers" }))[0]?.status]).toEqual([0, "disabled"])
  expect(await doing("enable")).toEqual({ ok: true, value: undefined })
  expect(await mine()).toBe(3)
  expect(await doing("reconnect")).toEqual({ ok: true, value: undefined })
  expect(await doing("reconnect", "nobody")).toEqual({
    ok: false,
    failure: { kind: "server", message: "There is no MCP server nobody." },
  })
  expect(changes).toBeGreaterThan(2)
})
