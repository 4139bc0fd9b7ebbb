import { expect, test } from "bun:test"
import { asChoices } from "#agent/words/elicitation.ts"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { everything, filesystem, memory, ofPackage, servers } from "../../kit/mcp/servers.ts"
import { calls, says, use } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { until } from "../../kit/until.ts"

const allow: Answer = { kind: "allow" }
const contents = (results: readonly (Entry & { kind: "result" })[]): unknown[] => results.map(({ content }) => content)

test.concurrent(
  "the everything server: text, sums, structure, images, resources that are listed and read, links, roots, progress",
  async () => {
    await using t = await openTestSession({
      script: [
        calls(use("mcp__everything__echo", { message: "hello" })),
        calls(use("mcp__everything__get-sum", { a: 2, b: 40 })),
        calls(use("mcp__everything__get-structured-content", { location: "New York" })),
        calls(use("mcp__everything__get-tiny-image", {})),
        calls(use("mcp__everything__get-resource-reference", { resourceType: "Text", resourceId: 1 })),
        calls(use("mcp__everything__get-resource-links", { count: 1 })),
        calls(use("mcp__everything__get-roots-list", {})),
        calls(use("mcp__everything__trigger-long-running-operation", { duration: 0.2, steps: 2 })),
        calls(use("ListMcpResources", { server: "everything" })),
        calls(use("ReadMcpResource", { server: "everything", uri: "demo://resource/static/document/features.md" })),
        calls(use("ReadMcpResource", { server: "nobody", uri: "x://y" })),
        calls(use("ReadMcpResource", { server: "everything", uri: "nothing://there" })),
        says("Done."),
      ],
      mcp: servers([everything()]),
      allow: ["mcp__everything"],
    })
    const progress = t.until((event) => event.type === "tool_progress")
    expect((await t.prompt("go")).reason).toBe("completed")
    const [echo, sum, structured, image, resource, links, roots, long, list, read, nobody] = t.results()
    expect([echo?.content, sum?.content]).toEqual(["Echo: hello", "The sum of 2 and 40 is 42."])
    expect(structured?.data).toMatchObject({ temperature: expect.any(Number), conditions: expect.any(String) })
    // The server says the structure as text, too, so it is not said twice.
    expect(JSON.parse(String(structured?.content))).toEqual(structured?.data)
    expect(image?.content).toContainEqual({
      type: "image",
      source: { type: "base64", media_type: "image/png", data: expect.any(String) },
    })
    expect(String(resource?.content)).toContain(
      "[demo://resource/dynamic/text/1]\nResource 1: This is a plaintext resource",
    )
    expect(String(links?.content)).toContain("ReadMcpResource reads it.]")
    expect(String(roots?.content)).toContain(`file://${t.root}`)
    expect(t.results().map(({ isError }) => isError === true)).toEqual([...Array<boolean>(10).fill(false), true, true])
    expect(await progress).toMatchObject({ progress: { output: "1/2\n" } })
    expect(long?.content).toBe("Long running operation completed. Duration: 0.2 seconds, Steps: 2.")
    expect(String(list?.content)).toContain(
      "- demo://resource/static/document/features.md (features.md, text/markdown)",
    )
    expect(String(list?.content)).toContain("fill in what is in braces")
    expect(String(read?.content)).toStartWith("[demo://resource/static/document/features.md]\n# Everything Server")
    expect([nobody?.content, nobody?.isError]).toEqual(["There is no MCP server nobody. There are: everything.", true])
  },
)

test.concurrent("a server that knows the folders asks for them again when an answer adds one", async () => {
  const roots = use("mcp__everything__get-roots-list", {})
  let asked = 0
  await using t = await openTestSession({
    // The server asks again when it comes to it: a call right after may still have the old ones.
    script({ messages }) {
      asked += 1
      if (asked === 2) return calls(use("Read", { file_path: "../beside/a.txt" }))
      return asked > 3 && JSON.stringify(messages.at(-1)).includes("/beside") ? says("Done.") : calls(roots)
    },
    mcp: servers([everything()]),
    mode: "default",
    allow: ["mcp__everything"],
    answers: () => ({ kind: "allow", folders: [t.path("../beside")] }),
  })
  mkdirSync(t.path("../beside"))
  writeFileSync(t.path("../beside/a.txt"), "a\n")
  await t.prompt("go")
  const results = t.results().map(({ content }) => String(content))
  expect(results[0]).not.toContain("/beside")
  expect(results.at(-1)).toContain(`file://${t.path("../beside")}`)
})

// By itself: what a mention needs longer than a second for is left out, and nine servers at once may need that.
test("a mention of a resource is shown with the prompt", async () => {
  await using t = await openTestSession({
    script: [says("I see.")],
    mcp: servers([everything()]),
  })
  await t.prompt("Look at @everything:demo://resource/static/document/features.md please")
  const sent = JSON.stringify(t.requests()[0])
  expect(sent).toContain("The user mentioned the resource everything:demo://resource/static/document/features.md")
  expect(sent).toContain("# Everything Server")
})

test.concurrent("a question of the server reaches the person, and the answers reach the server", async () => {
  const seen: Question["ask"][] = []
  await using t = await openTestSession({
    script: [calls(use("mcp__everything__trigger-elicitation-request", {})), says("Done.")],
    mcp: servers([everything()]),
    allow: ["mcp__everything"],
    answers({ ask }) {
      seen.push(ask)
      const choices = ask.kind === "elicitation" ? asChoices(ask) : undefined
      if (!choices) return allow
      const answers = choices.questions.map(({ question, options }): [string, string] => [
        question,
        question.includes("(name)") ? "Ada" : (options.at(-1)?.label ?? ""),
      ])
      return { kind: "choices", answers: Object.fromEntries(answers) }
    },
  })
  await t.prompt("go")
  expect(seen.map(({ kind }) => kind)).toEqual(["elicitation"])
  expect(seen).toMatchObject([{ server: "everything", schema: { properties: { name: { type: "string" } } } }])
  const text = String(t.results()[0]?.content)
  expect(text).toContain("Ada")
})

test.concurrent(
  "without anybody to ask, the server's question is cancelled and the turn goes on; its prompt can be had with arguments",
  async () => {
    await using t = await openTestSession({
      script: [calls(use("mcp__everything__trigger-elicitation-request", {})), says("Done.")],
      mcp: servers([everything()]),
      allow: ["mcp__everything"],
    })
    expect((await t.prompt("go")).reason).toBe("completed")
    expect(String(t.results()[0]?.content)).toMatch(/cancel/i)
    const input = { city: "Paris", state: "France" }
    const got = await t.ask({ type: "server_prompt", server: "everything", name: "args-prompt", input })
    expect(JSON.stringify(got)).toContain("What's weather in Paris, France?")
  },
)

test.concurrent("the filesystem server works in the folders of the session, which we name as roots", async () => {
  using elsewhere = temporaryFolder()
  writeFileSync(elsewhere.join("secret.txt"), "not for you")
  await using t = await openTestSession({
    files: { "notes.txt": "inside" },
    script: Array.from({ length: 100 }).flatMap(() => [
      calls(
        use("mcp__files__list_allowed_directories", {}),
        use("mcp__files__read_text_file", { path: "notes.txt" }),
        use("mcp__files__read_text_file", { path: elsewhere.join("secret.txt") }),
      ),
      says("Done."),
    ]),
    mcp: servers([filesystem(elsewhere.path)]),
    allow: ["mcp__files"],
  })
  // The server asks for roots when it likes; from then on the folder that it was started with is replaced by ours.
  do await t.prompt("go")
  while (!String(t.results().at(-3)?.content).includes(t.root))
  expect(String(t.results().at(-3)?.content)).not.toContain(elsewhere.path)
  expect(t.results().at(-2)?.content).toBe("inside")
  expect(t.results().at(-1)?.isError).toBe(true)
})

test.concurrent("the memory server keeps what it is told between calls, in its file", async () => {
  using folder = temporaryFolder()
  mkdirSync(folder.path, { recursive: true })
  const file = folder.join("memory.jsonl")
  await using t = await openTestSession({
    script: [
      calls(
        use("mcp__memory__create_entities", {
          entities: [{ name: "Ada", entityType: "person", observations: ["likes tests"] }],
        }),
      ),
      calls(use("mcp__memory__search_nodes", { query: "tests" })),
      says("Done."),
    ],
    mcp: servers([memory(file)]),
    allow: ["mcp__memory"],
  })
  await t.prompt("go")
  expect(contents(t.results()).map(String).join()).toContain("likes tests")
  expect(readFileSync(file, "utf8")).toContain("Ada")
})

test.concurrent(
  "three servers at once give all their tools, sorted; being of the older package they speak the older revision with us",
  async () => {
    using folder = temporaryFolder()
    await using t = await openTestSession({
      script: [says("Hi.")],
      mcp: servers([memory(folder.join("m")), everything(), filesystem(folder.path)]),
    })
    await t.prompt("hello")
    const names = (await t.ask({ type: "tools" })).filter((name) => name.startsWith("mcp__"))
    expect(names).toEqual(names.toSorted())
    expect(new Set(names.map((name) => name.split("__")[1]))).toEqual(new Set(["everything", "files", "memory"]))
    const all = await t.session.ask({ type: "servers" })
    expect(all.map(({ status, revision }) => `${status} ${revision}`)).toEqual(Array(3).fill("connected 2025-11-25"))
  },
)

test.concurrent.each(["both", "modern"] as const)(
  "a server of the official package of 2026 that speaks %s: tools, a form, and a tool that comes later",
  async (speaks) => {
    await using t = await openTestSession({
      script: [
        calls(use("mcp__official__say", { text: "hello" })),
        calls(use("mcp__official__enrol", {})),
        calls(use("mcp__official__grow", {})),
        says("Done."),
      ],
      mcp: servers([ofPackage(speaks)]),
      allow: ["mcp__official"],
      answers: () => ({ kind: "elicited", action: "accept", content: { name: "Ada" } }),
    })
    await t.prompt("go")
    expect(contents(t.results())).toEqual(['{"text":"hello"}', "Hello Ada.", "Grown."])
    const server = async () => (await t.session.ask({ type: "servers" }))[0]
    await until(async () => (await server())?.tools.some(({ name }) => name === "grown"))
    expect((await server())?.revision).toBe("2026-07-28")
  },
)
