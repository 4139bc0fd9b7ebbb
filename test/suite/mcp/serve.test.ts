/** `codewright mcp serve`, driven by the official clients of both revisions of the protocol. */

import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import type { JsonObject } from "#lib/json.ts"
import { openWorld } from "../../kit/acp/editor.ts"
import { openServed, revisions } from "../../kit/mcp/served.ts"
import { program, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

const yes = (): JsonObject => ({ action: "accept", content: { decision: "Yes" } })

describe.each(revisions)("a client of %s", (revision) => {
  test("reads, edits after a question, and runs a command", async () => {
    await using world = await openWorld([], { "a.txt": "one\n" })
    const asked: JsonObject[] = []
    await using client = await openServed(world, {
      revision,
      answer: (form) => {
        asked.push(form)
        return yes()
      },
    })
    const file = `${world.place.work}/a.txt`
    expect(client.revision).toBe(revision)
    expect(await client.tools()).toContain("agent")
    expect(await client.call("Read", { file_path: file })).toMatchObject({ text: "1\tone", isError: false })
    const edited = await client.call("Edit", { file_path: file, old_string: "one", new_string: "two" })
    expect(edited.isError).toBe(false)
    expect(readFileSync(file, "utf8")).toBe("two\n")
    const seen: string[] = []
    const ran = await client.call("Bash", { command: "cat a.txt; touch b.txt" }, { onProgress: (it) => seen.push(it) })
    expect(ran).toMatchObject({ text: "two", isError: false })
    // The newer client drops what comes right before a result.
    if (revision === "2025-11-25") expect(seen[0]).toContain("cat a.txt; touch b.txt")
    expect(asked.map(({ message }) => String(message).split("\n")[0])).toEqual([
      "Apply this edit to a.txt?",
      "Run this command?",
    ])
    expect(String(asked[0]?.message)).toContain("-one\n    +two")
    // Nothing was said to a model.
    expect(world.requests()).toEqual([])
  })

  test("is told which rule is missing if it has no forms, and the rule helps", async () => {
    await using world = await openWorld([], { "a.txt": "one\n" })
    const path = `${world.place.work}/new.txt`
    {
      await using client = await openServed(world, { revision })
      const refused = await client.call("Write", { file_path: path, content: "x\n" })
      expect(refused.isError).toBe(true)
      expect(refused.text).toContain("the MCP client has no elicitation")
      expect(refused.text).toContain("the rule Edit(./new.txt) in permissions.allow")
      expect(existsSync(path)).toBe(false)
    }
    await using client = await openServed(world, { revision, argv: ["--allowed-tools", "Edit(./new.txt)"] })
    expect((await client.call("Write", { file_path: path, content: "x\n" })).isError).toBe(false)
    expect(readFileSync(path, "utf8")).toBe("x\n")
  })

  test("is told what its user says instead of a yes", async () => {
    await using world = await openWorld([])
    const answers = [
      { action: "accept", content: { decision: "No", instructions: "use the other file" } },
      { action: "decline" },
      { action: "cancel" },
      { action: "accept", content: { decision: "Something else" } },
      { action: "accept" },
    ]
    await using client = await openServed(world, { revision, answer: () => answers.shift() ?? {} })
    const texts: string[] = []
    for (let i = 0; i < 5; i++) {
      const came = await client.call("Bash", { command: `touch b${i}` })
      expect(came.isError).toBe(true)
      expect(existsSync(`${world.place.work}/b${i}`)).toBe(false)
      texts.push(came.text)
    }
    expect(texts[0]).toContain("use the other file")
    expect(texts[1]).toContain("The user declined this call")
    expect(texts[3]).toContain("sent no answer that was offered")
  })

  test("is told what its user adds to a yes, and so is an agent", async () => {
    await using world = await openWorld([calls(bash("touch made")), says("Made it.")])
    const said = { decision: "Yes", instructions: "only once, please" }
    await using client = await openServed(world, { revision, answer: () => ({ action: "accept", content: said }) })
    const came = await client.call("Bash", { command: "touch c1" })
    expect(came).toMatchObject({ isError: false, text: expect.stringContaining("The user adds: only once, please") })
    expect(existsSync(`${world.place.work}/c1`)).toBe(true)
    expect((await client.call("agent", { prompt: "make it" })).data).toMatchObject({ text: "Made it." })
    expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("only once, please")
  })

  test("gives a task to an agent, which asks through it, and continues the conversation", async () => {
    await using world = await openWorld([calls(bash("touch made.txt")), says("Made it."), says("Twice.")])
    const asked: string[] = []
    await using client = await openServed(world, {
      revision,
      answer: ({ message }) => {
        asked.push(String(message))
        return yes()
      },
    })
    const seen: string[] = []
    const first = await client.call("agent", { prompt: "/clear @a.txt make it" }, { onProgress: (it) => seen.push(it) })
    expect(first).toMatchObject({ isError: false, data: { text: "Made it.", end: "completed" } })
    expect(asked[0]).toContain("touch made.txt")
    if (revision === "2025-11-25") expect(seen[0]).toContain("touch made.txt")
    expect(existsSync(`${world.place.work}/made.txt`)).toBe(true)
    expect(JSON.stringify(world.requests()[0]?.body)).toContain("/clear @a.txt make it")
    const second = await client.call("agent", { prompt: "again", session: first.data.session ?? "" })
    expect(second.data).toMatchObject({ text: "Twice.", session: first.data.session ?? "" })
    expect(second.data.cost_usd).toBeGreaterThan(0)
    expect((await client.call("agent", { prompt: "x", folder: ".." })).text).toContain("outside the workspace")
    expect((await client.call("agent", { prompt: "x", session: "../x" })).text).toContain("No session has the id")
  })

  test("cancels a call: the command stops, and the next call runs", async () => {
    await using world = await openWorld([], { "a.txt": "one\n" })
    await using client = await openServed(world, { revision, argv: ["--allowed-tools", "Bash"] })
    const cancel = new AbortController()
    const mark = `${world.place.work}/started`
    const canceled = client
      .call("Bash", { command: `touch ${mark}; sleep 1000; touch ${mark}-late` }, { signal: cancel.signal })
      .catch((error: unknown) => error)
    const queued = client.call("Read", { file_path: `${world.place.work}/a.txt` })
    while (!existsSync(mark)) await Bun.sleep(10)
    cancel.abort()
    expect(await canceled).toBeInstanceOf(Error)
    expect((await queued).text).toBe("1\tone")
    expect(existsSync(`${mark}-late`)).toBe(false)
  })
})

test("a server that is killed leaves a log that can be read, and no process", async () => {
  await using world = await openWorld([])
  const client = await openServed(world, { revision: "2025-11-25", argv: ["--allowed-tools", "Bash"] })
  const pidFile = `${world.place.work}/pid`
  const lost = client.call("Bash", { command: `echo $$ > ${pidFile}; exec sleep 1000` }).catch(() => "lost")
  while (!existsSync(pidFile) || readFileSync(pidFile, "utf8").trim() === "") await Bun.sleep(10)
  const { stdout: listed } = await runCodewright({ argv: ["sessions", "list"], place: world.place })
  expect(listed).toContain("Calls of an MCP client")
  process.kill(client.pid, "SIGKILL")
  expect(await lost).toBe("lost")
  const running = Bun.spawnSync(["pgrep", "-f", "sleep 1000"]).stdout.toString()
  for (const pid of running.split("\n").filter((line) => line !== ""))
    while (environmentAt(pid).includes(world.place.home)) await Bun.sleep(20)
  const id = /[0-9a-f]{8}/.exec(listed)?.[0] ?? ""
  const shown = await runCodewright({ argv: ["sessions", "show", id], place: world.place })
  expect(shown.code).toBe(0)
  expect(shown.stdout).toContain("sleep 1000")
  await client[Symbol.asyncDispose]()
})

test("our own client uses it as Claude Code configures servers", async () => {
  await using world = await openWorld([], { "a.txt": "one\n" })
  const config = { mcpServers: { codewright: { command: program, args: ["mcp", "serve"] } } }
  world.place.write(".mcp.json", JSON.stringify(config))
  const argv = ["-p", "read it", "--mcp-config", ".mcp.json", "--allowed-tools", "mcp__codewright__Read"]
  const run = await runCodewright({
    argv: [...argv, "--output-format", "stream-json", "--verbose"],
    place: world.place,
    scenario: [calls(use("mcp__codewright__Read", { file_path: `${world.place.work}/a.txt` })), says("Read.")],
  })
  expect(run.code).toBe(0)
  expect(run.stdout).toContain("1\\tone")
})

/** Of a process; empty if it is gone. */
function environmentAt(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8")
  } catch {
    return ""
  }
}
