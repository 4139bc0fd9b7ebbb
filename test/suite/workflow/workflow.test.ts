/**
 * Workflows: a script lets many agents work, and a run that is killed at any point repeats none of them.
 * CODEWRIGHT_WORKFLOW_KILLS says how often; by night a run of 40 calls is killed 20 times.
 */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { seededIds } from "#lib/ids.ts"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import { environmentOf, openPlace, program, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

const kills = Number(process.env["CODEWRIGHT_WORKFLOW_KILLS"] ?? 2)
const agents = kills * 2 + 4

const fanOut = `
export default async ({ agent, input, log }) => {
  log("fan out")
  const numbers = Array.from({ length: input.count }, (_, i) => i)
  const answers = await Promise.all(numbers.map((n) => agent("part " + n + ".", { label: "part " + n })))
  const sum = await agent("sum of " + answers.join(" "), { schema: { type: "object", properties: { total: { type: "number" } }, required: ["total"] } })
  return { answers, total: sum.total }
}
`

/** Each agent appends a line to a file: an effect that counts. */
function answer({ messages }: SimRequest): ScenarioReply {
  const text = JSON.stringify(messages)
  const part = /part (\d+)\./.exec(JSON.stringify(messages[0]?.content))?.[1]
  if (part === undefined) {
    if (text.includes("StructuredOutput")) return says("Done.")
    return calls(use("StructuredOutput", { total: 7 }))
  }
  return text.includes("tool_result") ? says(`answer ${part}`) : calls(bash(`echo ${part} >> effects.txt`))
}

const first = ["fan-out", "--trust", "--permission-mode", "acceptEdits", "--allowed-tools", "Bash"]

test(`${agents + 1} calls of a run that is killed ${kills} times`, async () => {
  using place = openPlace({ ".codewright/workflows/fan-out.ts": fanOut })
  // The host goes on between the runs, so they have one model.
  const simulator = await openSimulator({ scenario: answer })
  if (!simulator.ok) throw new Error(simulator.failure.message)
  const { random } = seededIds(kills)
  const start = (argv: readonly string[]) =>
    Bun.spawn([program, ...argv], {
      cwd: place.work,
      env: environmentOf(place, simulator.value.url),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
  let id: string | undefined
  const run = () =>
    start([
      "workflow",
      "run",
      ...(id === undefined ? [...first, "--input", JSON.stringify({ count: agents })] : ["--resume", id]),
      "--json",
      "--concurrency=3",
    ])
  for (let left = kills; left > 0; left--) {
    const killed = run()
    await Bun.sleep(300 + random() * 2_500)
    killed.kill("SIGKILL")
    id ??= /Run (wf-[0-9a-f]{8})/.exec(await killed.stderr.text())?.[1]
  }
  const last = run()
  const [stdout, code] = [await last.stdout.text(), await last.exited]
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    {
      ok: true,
      result: { answers: Array.from({ length: agents }, (_, i) => `answer ${i}`), total: 7 },
      calls: agents + 1,
    },
  ])
  const lines = readFileSync(join(place.work, "effects.txt"), "utf8").trim().split("\n").map(Number)
  expect(lines.toSorted((a, b) => a - b)).toEqual(Array.from({ length: agents }, (_, i) => i))
  const hostLock = join(place.state, "background/host.lock")
  while (existsSync(hostLock)) await Bun.sleep(50)
  expect(new Bun.Glob("*.json").scanSync(join(place.state, "background")).next().done).toBe(true)
  await simulator.value.close()
})

const script = (body: string) => `export default async ({ agent, input }) => { ${body} }\n`

test("what a script gets wrong is said, by name, and it can catch what fails", async () => {
  using place = openPlace({
    ".codewright/workflows/options.ts": script(`return agent("x", { modle: "y" })`),
    ".codewright/workflows/throws.js": script(`throw new Error("no such folder")`),
    ".codewright/workflows/empty.mjs": `export const a = 1\n`,
    ".codewright/workflows/exits.js": script(`process.exit(3)`),
    ".codewright/workflows/large.js": script(`return "x".repeat(4_000_000)`),
    ".codewright/workflows/catches.js": script(`try { await agent("") } catch (e) { return e.message }`),
  })
  const run = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await runCodewright({ place, argv: ["workflow", ...argv] })
    return { code, stdout, said: stderr.split("\n").filter((line) => line.startsWith("error: ")) }
  }
  expect(await run("run", "options", "--trust")).toMatchObject({
    code: 1,
    said: [
      "error: agent has no option modle. Its options: label, agent, model, effort, mode, schema, worktree, budgetUsd.",
    ],
  })
  expect(await run("run", "throws", "--trust")).toMatchObject({ code: 1, said: ["error: no such folder"] })
  expect(await run("run", "empty", "--trust")).toMatchObject({
    code: 1,
    said: ["error: The script has no default export that is a function."],
  })
  expect(await run("run", "exits", "--trust")).toMatchObject({
    code: 1,
    said: ["error: The script ended with 3 before it returned."],
  })
  expect(await run("run", "catches", "--trust")).toMatchObject({
    code: 0,
    stdout: "agent takes a prompt and an object of options.\n",
  })
  expect((await run("run", "large", "--trust")).stdout).toHaveLength(4_000_001)
  // Whoever names a script has decided to run it.
  expect(await run("run", "catches")).toMatchObject({ code: 0, said: [] })
  expect(await run("run", "catch", "--trust")).toMatchObject({
    said: ["error: No workflow named catch. Did you mean catches?"],
  })
  expect(await run("run", "catches", "--input", "{", "--trust")).toMatchObject({
    said: [expect.stringContaining("--input takes JSON")],
  })
  expect(await run("run", "--resume", "wf-../../x", "--trust")).toMatchObject({
    said: ["error: No run wf-../../x. codewright workflow runs shows all."],
  })
  expect((await run("list")).stdout).toContain("options")
  expect((await run("runs")).stdout).toContain("failed: no such folder")
})

test("a budget starts no agent once it is spent, and the run says so", async () => {
  using place = openPlace({
    ".codewright/workflows/many.ts": script(
      `const all = []; for (let i = 0; i < 5; i++) all.push(await agent("part " + i + ".")); return all`,
    ),
  })
  const run = await runCodewright({
    place,
    argv: ["workflow", "run", "many", "--trust", "--max-budget-usd", "0.0001", "--json", "--allowed-tools", "Bash"],
    scenario: (request: SimRequest) => answer(request),
  })
  expect([run.code, JSON.parse(run.stdout)]).toMatchObject([1, { ok: false }])
  expect(existsSync(join(place.work, "effects.txt"))).toBe(false)
})
