/**
 * A question that is open when the first process is killed, answered by a second one while nobody has the session open, and
 * used by a third: what was allowed runs once, hooks fire once, nobody is asked again. Real processes, a real kill -9.
 */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject, type JsonObject } from "#lib/json.ts"
import { loadLog } from "#ground/transcript/load.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import type { SimRequest } from "#sim/request.ts"
import type { Scenario, ScenarioReply } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import { helper } from "../../kit/helper.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"
import { environmentOf, openPlace, type Place, program } from "../../kit/run-codewright.ts"
import { cast, task } from "../subagents/cast.ts"

const worker = join(import.meta.dir, "../../kit/waiting-session.ts")
const server = join(import.meta.dir, "../../kit/mcp/asking-server.ts")

interface Row {
  readonly script: readonly ScenarioReply[] | Scenario
  readonly argv?: readonly string[]
  readonly settings?: JsonObject
  /** With the server that asks: a program more in each process. */
  readonly hasServer?: true
  /** How the second process answers. */
  readonly answer: readonly string[]
  /** What programs are shown of the question. */
  readonly shown: object
  /** The tools whose hooks fire, in order. */
  readonly hooked: readonly string[]
  /** Tools that are called a number of times that nobody knows. */
  readonly unmentioned?: readonly string[]
  /** What must be so in the end. */
  readonly holds: (place: Place, results: readonly JsonObject[]) => void
}

const append = bash("echo x >> count.txt")
const choose = use("AskUserQuestion", {
  questions: [
    {
      question: "Which?",
      header: "Which",
      options: [
        { label: "A", description: "a" },
        { label: "B", description: "b" },
      ],
      multiSelect: false,
    },
  ],
})
const count = (place: Place): string =>
  existsSync(join(place.work, "count.txt")) ? readFileSync(join(place.work, "count.txt"), "utf8") : ""
/** The plan file, as the model is told of it. */
const planFile = ({ messages }: SimRequest): string =>
  /[^\s"\\`]*\/plans\/[\w-]+\.md/.exec(JSON.stringify(messages))?.[0] ?? ""
const withServer = (place: Place): readonly string[] => {
  const asking = { command: process.execPath, args: [server, join(place.path, "told")] }
  return ["--mcp-config", JSON.stringify({ mcpServers: { asking } }), "--allowedTools", "mcp__asking"]
}

/** Calls a tool of the server once that is connected and the tool loaded; at a terminal nobody waits for servers. */
const afterConnected =
  (tool: string): Scenario =>
  ({ messages }) => {
    const [last, all] = [JSON.stringify(messages.at(-1)), JSON.stringify(messages)]
    if (all.includes('"name":"CallTool"')) return says("Done.")
    if (last.includes("CallTool")) return calls(use("CallTool", { name: `mcp__asking__${tool}`, input: {} }))
    if (all.includes("MCP server asking is connected")) return calls(use("ToolSearch", { query: `select:${tool}` }))
    return calls(bash(`sleep 0.1; echo ${messages.length}`))
  }

const rows: { readonly [name: string]: Row } = {
  permission: {
    script: [calls(append), says("Done.")],
    answer: ["--allow"],
    shown: { kind: "tool", action: { tool: "Bash", input: { command: "echo x >> count.txt" } }, state: "open" },
    hooked: ["Bash"],
    holds: (place) => expect(count(place)).toBe("x\n"),
  },
  "permission, denied": {
    script: [calls(append), says("Understood.")],
    answer: ["--deny", "--message", "Leave it."],
    shown: { kind: "tool" },
    hooked: ["Bash"],
    holds(place, results) {
      expect(count(place)).toBe("")
      expect(JSON.stringify(results)).toContain("Leave it.")
    },
  },
  choice: {
    script: [calls(choose), says("Done.")],
    answer: ["--choose", "Which?=B"],
    shown: { kind: "question", title: "Which" },
    hooked: ["AskUserQuestion"],
    holds: (_place, results) => expect(JSON.stringify(results)).toContain("Which? B"),
  },
  plan: {
    script: (request, { turn }) =>
      [
        () => calls(write(planFile(request), "# Plan\n\nAppend.\n")),
        () => calls(use("ExitPlanMode", {})),
        () => calls(write("b.txt", "new\n")),
        () => says("Done."),
      ][turn]?.() ?? says("Nothing."),
    argv: ["--permission-mode", "plan"],
    answer: ["--approve", "--mode", "acceptEdits"],
    shown: { kind: "plan", action: { input: { plan: "# Plan\n\nAppend.\n" } } },
    hooked: ["Write", "ExitPlanMode", "Write"],
    holds: (place) => expect(readFileSync(join(place.work, "b.txt"), "utf8")).toBe("new\n"),
  },
  "elicitation of a server that the person marked as read-only": {
    settings: { readOnlyMcpServers: ["asking"] },
    hasServer: true,
    script: afterConnected("greet"),
    answer: ["--accept", '{"name":"Ada"}'],
    shown: { kind: "elicitation", title: "asking", action: { input: { message: "What is your name?" } } },
    hooked: ["mcp__asking__greet"],
    unmentioned: ["Bash", "ToolSearch"],
    holds(place, results) {
      expect(readFileSync(join(place.path, "told"), "utf8")).toBe("greet Ada\n")
      expect(JSON.stringify(results)).toContain("Hello Ada.")
    },
  },
  "a new file that is reviewed": {
    script: [calls(write("b.txt", "new\n")), says("Done.")],
    argv: ["--gates", "files", "--permission-mode", "acceptEdits"],
    answer: ["--allow"],
    shown: { kind: "tool", action: { tool: "Write", input: { file_path: "b.txt", content: "new\n" } }, state: "open" },
    hooked: ["Write"],
    holds: (place) => expect(readFileSync(join(place.work, "b.txt"), "utf8")).toBe("new\n"),
  },
  "a new file that is rejected": {
    script: [calls(write("b.txt", "new\n")), says("Done.")],
    argv: ["--gates", "files", "--permission-mode", "acceptEdits"],
    answer: ["--deny", "--message", "No such file."],
    shown: { kind: "tool" },
    hooked: ["Write"],
    holds(place, results) {
      expect(existsSync(join(place.work, "b.txt"))).toBe(false)
      expect(JSON.stringify(results)).toContain("No such file.")
    },
  },
  "a git operation that a rule allows": {
    script: [calls(bash("git init -q . && echo x >> count.txt")), says("Done.")],
    argv: ["--gates", "git", "--allowedTools", "Bash"],
    answer: ["--allow"],
    shown: { kind: "tool", risks: ["Changes the git repository"] },
    hooked: ["Bash"],
    holds: (place) => expect(count(place)).toBe("x\n"),
  },
  "what is unclear": {
    script: [
      calls(choose),
      calls(use("ConfirmTask", { task: "Take B." })),
      calls(write("b.txt", "B\n")),
      says("Done."),
    ],
    argv: ["--gates", "clarify", "--permission-mode", "acceptEdits"],
    answer: ["--choose", "Which?=B"],
    shown: { kind: "question", title: "Which" },
    hooked: ["AskUserQuestion", "ConfirmTask", "Write"],
    holds: (place) => expect(readFileSync(join(place.work, "b.txt"), "utf8")).toBe("B\n"),
  },
  "permission of an agent": {
    script: cast({ main: [calls(task("alpha")), says("Done.")], alpha: [calls(append), says("Alpha is done.")] }),
    // One that works beside the conversation is not waited for.
    settings: { backgroundAgents: false },
    answer: ["--allow"],
    shown: { kind: "tool", details: { agent: { type: "general-purpose" } } },
    hooked: ["Task", "Bash"],
    holds(place, results) {
      expect(count(place)).toBe("x\n")
      expect(JSON.stringify(results)).toContain("Alpha is done.")
    },
  },
}

for (const [name, row] of Object.entries(rows))
  test(`${name}: answered while nobody ran`, async () => {
    using place = openPlace()
    await using sim = await simulated(row.script)
    place.write(join(place.state, "settings.json"), JSON.stringify({ hooks: hooks(place), ...row.settings }))
    const argv = [...(row.argv ?? []), ...(row.hasServer ? withServer(place) : [])]

    const first = start(place, sim.url, { argv, prompt: "go" })
    const [question = ""] = await first.says("asked ")
    const [session = ""] = await first.says("session ")
    first.child.kill("SIGKILL")
    await first.child.exited

    const [shown] = JSON.parse(
      (await codewright(place, sim.url, ["questions", session, "--json"])).stdout,
    ) as ShownApproval[]
    expect(shown).toMatchObject({ id: question, sessionId: session, ...row.shown })
    const stale = await codewright(place, sim.url, ["answer", session, question, ...row.answer, "--digest", "other"])
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining("has changed")])
    const answered = await codewright(place, sim.url, [
      "answer",
      session,
      question,
      ...row.answer,
      "--digest",
      shown?.digest ?? "",
    ])
    expect([answered.code, answered.stderr]).toEqual([0, ""])
    const again = await codewright(place, sim.url, ["answer", session, question, ...row.answer])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is already answered")])

    const third = start(place, sim.url, { argv: [...argv, "--resume", session] })
    await third.says("settled")
    await third.child.exited
    expect(third.lines().filter((line) => line.startsWith("asked "))).toEqual([])
    const results = resultsIn(place)
    row.holds(place, results)
    const hooked = hookedTools(place, "PreToolUse").filter((tool) => !row.unmentioned?.includes(tool))
    expect(hooked).toEqual([...row.hooked])
  })

// The tool greet says of itself that it only reads.
test.each(["enrol", "greet"])(
  "what the tool %s was asked went with its process: the call is not made again, and an answer is refused",
  async (tool) => {
    using place = openPlace()
    await using sim = await simulated(afterConnected(tool))
    const argv = withServer(place)
    const first = start(place, sim.url, { argv, prompt: "go" })
    const [question = ""] = await first.says("asked ")
    const [session = ""] = await first.says("session ")
    first.child.kill("SIGKILL")
    await first.child.exited
    expect((await codewright(place, sim.url, ["questions", session, "--json"])).stdout).toBe("[]\n")
    const refused = await codewright(place, sim.url, ["answer", session, question, "--accept", '{"name":"Ada"}'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("There is no open question")])
    const third = start(place, sim.url, { argv: [...argv, "--resume", session] })
    await third.says("settled")
    await third.child.exited
    expect(existsSync(join(place.path, "told"))).toBe(false)
    expect(JSON.stringify(resultsIn(place))).toContain("It may have taken effect")
  },
)

test("a session that someone has open is not answered behind their back, and bad answers are refused in words", async () => {
  using place = openPlace()
  await using sim = await simulated([calls(append), says("Done.")])
  const first = start(place, sim.url, { argv: [], prompt: "go" })
  const [question = ""] = await first.says("asked ")
  const [session = ""] = await first.says("session ")
  const held = await codewright(place, sim.url, ["answer", session, question, "--allow"])
  expect([held.code, held.stderr]).toEqual([3, expect.stringContaining(`in process ${first.child.pid}`)])
  first.child.kill("SIGKILL")
  await first.child.exited
  for (const [words, why] of [
    [["--allow", "--deny"], "Answer with --allow or --deny."],
    [[], "Answer with --allow or --deny."],
    [["--allow", "--wish", "x"], "--wish cannot be combined with --allow"],
    [["--choose", "a=b"], "A permission is allowed or denied."],
    [["--allow", "--input", "[1]"], "--input takes a JSON object"],
    [["--allow", "--mode", "quick"], "is not one of"],
  ] as const) {
    const refused = await codewright(place, sim.url, ["answer", session, ...words])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(why)])
  }
  // Without an answer, it shows what is asked.
  const shown = await codewright(place, sim.url, ["answer", session])
  expect(shown.stdout).toBe((await codewright(place, sim.url, ["questions", session])).stdout)
  expect(shown.stdout).toContain("echo x >> count.txt")
  const unknown = await codewright(place, sim.url, ["answer", session, "q_none", "--allow"])
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("There is no open question q_none")])
  expect(count(place)).toBe("")
})

async function simulated(script: Row["script"]) {
  const scenario = Array.isArray(script) ? { replies: script as readonly ScenarioReply[] } : (script as Scenario)
  const opened = await openSimulator({ scenario })
  if (!opened.ok) throw new Error(opened.failure.message)
  return { url: opened.value.url, [Symbol.asyncDispose]: () => opened.value.close() }
}

/** Each hook leaves a line with what it was told. */
const hooks = (place: Place): JsonObject =>
  Object.fromEntries(
    ["PreToolUse", "PermissionRequest"].map((event) => [
      event,
      [{ matcher: "", hooks: [{ type: "command", command: `{ cat; echo; } >> ${join(place.path, event)}` }] }],
    ]),
  )

function hookedTools(place: Place, event: string): readonly string[] {
  return readFileSync(join(place.path, event), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const input: unknown = JSON.parse(line)
      return isObject(input) ? String(input.tool_name) : ""
    })
}

function start(place: Place, url: string, what: { readonly argv: readonly string[]; readonly prompt?: string }) {
  const child = Bun.spawn([...helper(worker), JSON.stringify(what)], {
    cwd: place.work,
    // Tools of servers are listed at once, so that the model need not search for them.
    env: environmentOf(place, url, { CODEWRIGHT_TOOL_SEARCH: "0" }),
    stdio: ["ignore", "pipe", "inherit"],
  })
  let text = ""
  let more = Promise.withResolvers<void>()
  let isOver = false
  void (async () => {
    for await (const chunk of child.stdout) {
      text += new TextDecoder().decode(chunk)
      more.resolve()
      more = Promise.withResolvers()
    }
    isOver = true
    more.resolve()
  })()
  const lines = (): readonly string[] => text.split("\n")
  return {
    child,
    lines,
    /** What follows the word in each line that begins with it, once there is one. */
    async says(word: string): Promise<readonly string[]> {
      for (;;) {
        const found = lines().filter((line) => line.startsWith(word))
        if (found.length > 0) return found.map((line) => line.slice(word.length))
        if (isOver) throw new Error(`it ended without saying ${word}: ${text}`)
        await more.promise
      }
    },
  }
}

async function codewright(place: Place, url: string, words: readonly string[]) {
  const child = Bun.spawn([program, "sessions", ...words], {
    cwd: place.work,
    env: environmentOf(place, url),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, code }
}

function resultsIn(place: Place): readonly JsonObject[] {
  const [path = ""] = [...new Bun.Glob("projects/*/*.jsonl").scanSync({ cwd: place.state, absolute: true })]
  const loaded = loadLog(path)
  if (!loaded.ok) throw new Error(loaded.failure.kind)
  return loaded.value.entries.flatMap((entry) => (entry.kind === "result" ? [entry as unknown as JsonObject] : []))
}
