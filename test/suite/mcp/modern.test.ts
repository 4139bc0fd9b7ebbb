/** A server that speaks only the revision of 2026-07-28, as a program and over HTTP, in whole sessions. */

import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { isObject } from "#lib/json.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import { openModernHttp } from "../../kit/mcp/modern-server.ts"
import { modern, remote, servers } from "../../kit/mcp/servers.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { until } from "../../kit/until.ts"

const named = (name: string): Answer => ({ kind: "elicited", action: "accept", content: { name } })
/** Forms get these names, one after the other; everything else is allowed. */
function naming(...names: readonly string[]): (question: Question) => Answer {
  let next = 0
  return ({ ask }) => (ask.kind === "elicitation" ? named(names[next++] ?? "?") : { kind: "allow" })
}

async function eachWay(run: (server: McpServer, folder: string) => Promise<void>): Promise<{
  readonly requests: readonly { readonly method?: string }[]
  readonly headers: readonly unknown[]
}> {
  {
    using folder = temporaryFolder()
    await run(modern(folder.path), folder.path)
  }
  using folder = temporaryFolder()
  await using far = openModernHttp(folder.path)
  await run(remote("modern", far.url), folder.path)
  return { requests: far.requests, headers: far.headersSeen }
}

test("tools are listed and called, forms are answered, and the call is repeated with the answers", async () => {
  const { requests, headers } = await eachWay(async (server, folder) => {
    await using t = await openTestSession({
      script: [
        calls(use("mcp__modern__echo", { text: "hello" })),
        calls(use("mcp__modern__enrol", {})),
        calls(use("mcp__modern__twice", {})),
        calls(use("mcp__modern__sample", {})),
        says("Done."),
      ],
      mcp: servers([server]),
      allow: ["mcp__modern"],
      answers: naming("Ada", "Bo", "Cy"),
    })
    expect((await t.prompt("go")).reason).toBe("completed")
    expect(t.results().map(({ content }) => content)).toEqual([
      "hello",
      "Hello Ada.",
      "Bo and Cy",
      "sample failed. The server asked for sampling/createMessage, which this client does not offer.",
    ])
    expect(readFileSync(`${folder}/told`, "utf8")).toBe("enrol Ada\ntwice Bo Cy\n")
  })
  // Nothing of the older revisions was tried, and nobody holds a session.
  expect(requests.map(({ method }) => method)).not.toContain("initialize")
  expect(
    headers.filter(
      (seen) => isObject(seen) && ("mcp-session-id" in seen || seen["mcp-protocol-version"] !== "2026-07-28"),
    ),
  ).toEqual([])
})

test("a long call runs as a task, which may ask, too", async () => {
  await eachWay(async (server, folder) => {
    writeFileSync(`${folder}/go`, "")
    await using t = await openTestSession({
      script: [calls(use("mcp__modern__build", {})), calls(use("mcp__modern__review", {})), says("Done.")],
      mcp: servers([server]),
      allow: ["mcp__modern"],
      answers: naming("Ada"),
    })
    const progress = t.until((event) => event.type === "tool_progress")
    await t.prompt("go")
    expect(await progress).toMatchObject({ progress: { output: "At work\n" } })
    expect(t.results().map(({ content }) => content)).toEqual(["Done by itself.", "Done by Ada."])
    expect(readFileSync(`${folder}/told`, "utf8")).toBe("begin build\nfinish build\nbegin review\nfinish review\n")
  })
})

test("a task is canceled at the server when the user interrupts", async () => {
  await eachWay(async (server, folder) => {
    await using t = await openTestSession({
      script: [calls(use("mcp__modern__build", {})), says("Done.")],
      mcp: servers([server]),
      allow: ["mcp__modern"],
    })
    const begun = t.until((event) => event.type === "tool_progress")
    const done = t.prompt("go")
    await begun
    await t.session.submit({ type: "interrupt" })
    await done
    while (!readFileSync(`${folder}/told`, "utf8").includes("cancel build")) await Bun.sleep(20)
  })
})

test("changed tools are told on a stream, and marked arguments go along as headers", async () => {
  const { requests } = await eachWay(async (server) => {
    await using t = await openTestSession({
      script: [
        calls(use("mcp__modern__seen", {})),
        calls(use("mcp__modern__routed", { region: "zürich" })),
        calls(use("mcp__modern__grow", {})),
        says("Done."),
      ],
      mcp: servers([server]),
      allow: ["mcp__modern"],
    })
    await t.prompt("go")
    const [seen, routed] = t.results().map(({ content }) => String(content))
    expect(JSON.parse(seen ?? "")).toMatchObject({
      client: { name: "codewright" },
      capabilities: { elicitation: { form: {}, url: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } },
    })
    const isHttp = server.config.ok && server.config.value.kind === "http"
    expect(routed).toBe(isHttp ? `header =?base64?${Buffer.from("zürich").toString("base64")}?=` : "header undefined")
    const tools = async (): Promise<readonly string[]> =>
      (await t.session.ask({ type: "servers" })).flatMap((one) => one.tools.map(({ name }) => name))
    await until(async () => (await tools()).includes("grown"))
    // A bad mark makes a tool unusable where headers exist.
    expect((await tools()).includes("misrouted")).toBe(!isHttp)
  })
  expect(requests.some(({ method }) => method === "subscriptions/listen")).toBe(true)
})

test("a resource is kept as long as the server says, and the model is told when it changes", async () => {
  using folder = temporaryFolder()
  await using far = openModernHttp(folder.path)
  const read = use("ReadMcpResource", { server: "modern", uri: "note://one" })
  await using t = await openTestSession({
    script: [calls(read), calls(read), ...Array.from({ length: 200 }, () => says("Nothing."))],
    mcp: servers([remote("modern", far.url)]),
    allow: ["mcp__modern"],
  })
  const isTold = (): boolean => JSON.stringify(t.requests().at(-1)).includes("- note://one of modern")
  await t.prompt("go")
  while (!far.requests.some(({ params }) => params?.notifications?.resourceSubscriptions?.includes("note://one")))
    await Bun.sleep(10)
  expect(readFileSync(`${folder.path}/told`, "utf8")).toBe("read note://one\n")
  expect(isTold()).toBe(false)
  far.write("new")
  // The news travels on a stream of its own.
  while (!isTold()) await t.prompt("go on")
  const now = await t.session.ask({ type: "resource", server: "modern", uri: "note://one" })
  expect(now).toMatchObject({ ok: true, value: [{ text: "new" }] })
})

test("prompts may ask first, and their arguments are completed", async () => {
  await eachWay(async (server) => {
    await using t = await openTestSession({
      script: [says("Hail.")],
      mcp: servers([server]),
      answers: naming("Ada"),
      extensions: { claudeFolder: "/nonexistent", bundled: false },
    })
    await t.prompt("/mcp__modern__hail oslo")
    expect(JSON.stringify(t.requests()[0])).toContain("Ada hails oslo.")
    const complete = (words: string) =>
      t.session.ask({ type: "complete_argument", command: "mcp__modern__hail", words })
    expect([await complete("p"), await complete("x"), await complete("")]).toEqual([
      ["paris", "prague"],
      [],
      ["paris", "prague", "oslo"],
    ])
  })
})
