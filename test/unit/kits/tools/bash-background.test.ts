import { expect, test } from "bun:test"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { isSafe, touchesNothing } from "#agent/words/footprint.ts"
import type { JsonObject } from "#lib/json.ts"
import { openTools, type TestTools } from "./open-tools.ts"
import { until } from "../../../kit/until.ts"

const background = (t: TestTools, command: string) => t.call("Bash", { command, run_in_background: true })
const wait = (t: TestTools, id: string) => t.workspace.background.wait(id, 60_000, new AbortController().signal)

test("a command starts in the background and is answered with its id at once", async () => {
  await using t = openTools()
  const outcome = await background(t, "echo one; sleep 1000")
  const { file } = t.workspace.background.find("bash_1") ?? {}
  expect(outcome).toEqual({
    content: `Started in the background as bash_1. BashOutput gives what it prints, KillShell ends it; you will be told when it ends.\nAll of its output goes to ${file}.`,
    isError: false,
    display: {
      kind: "terminal",
      command: "echo one; sleep 1000",
      output: "(runs in the background as bash_1)",
      exitCode: null,
    },
    data: {
      stdout: "",
      stderr: "",
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
      sandbox: { by: "none", because: "nothing is confined here" },
      backgroundTaskId: "bash_1",
    },
  })
  expect(await t.call("Bash", { command: "true", run_in_background: "true" })).toMatchObject({
    data: { backgroundTaskId: "bash_2" },
  })
})

test("BashOutput gives what is new, the status and the exit code", async () => {
  await using t = openTools()
  await background(t, "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 3")
  await until(async () => (await t.say("BashOutput", { bash_id: "bash_1" })).includes("one"))
  expect(await t.say("BashOutput", { bash_id: "bash_1" })).toMatch(
    /^bash_1 is running, for [\d.]+ s so far\.\nIt printed nothing new\.$/,
  )
  t.put("go", "")
  const last = await t.call("BashOutput", { bash_id: "bash_1", block: true })
  expect(last).toMatchObject({
    isError: false,
    content: expect.stringMatching(/^bash_1 failed with exit code 3 after [\d.]+ s\.\ntwo$/),
    data: { shellId: "bash_1", status: "failed", exitCode: 3, stdout: "two", stderr: "" },
    display: { kind: "terminal", output: "two", exitCode: 3 },
  })
  expect(await t.say("BashOutput", { bash_id: "bash_1" })).toEndWith("It printed nothing new.")
})

test("a filter shows only the lines that fit; a wrong one is said and skips nothing", async () => {
  await using t = openTools()
  await background(t, "seq 1 20")
  await wait(t, "bash_1")
  const wrong = await t.call("BashOutput", { bash_id: "bash_1", filter: "[" })
  expect(wrong.isError).toBe(true)
  expect(wrong.content).toStartWith("The filter cannot be used as a regular expression; nothing was skipped.")
  expect(wrong.content).toContain("unclosed character class")
  const right = await t.call("BashOutput", { bash_id: "bash_1", filter: "^1.$|^2$" })
  expect(right.data).toMatchObject({ stdout: "2\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19", filterPattern: "^1.$|^2$" })
  expect(await t.say("BashOutput", { bash_id: "bash_1" })).toEndWith("It printed nothing new.")
  await background(t, "echo a")
  await wait(t, "bash_2")
  expect(await t.say("BashOutput", { bash_id: "bash_2", filter: "b" })).toEndWith(
    "None of the new lines fits the filter.",
  )
})

test("waiting for the end has its limit, and ends with an abort", async () => {
  await using t = openTools()
  await background(t, "echo up; sleep 1000")
  expect(await t.say("BashOutput", { bash_id: "bash_1", block: true, timeout: 300 })).toMatch(/is running.*\nup$/)
  const abort = new AbortController()
  const waiting = t.call("BashOutput", { bash_id: "bash_1", block: true, timeout: 600_000 }, abort.signal)
  abort.abort()
  expect(await waiting).toMatchObject({ isError: true, content: "Interrupted before it was done." })
})

test("what a background command left running is told, and binary output is made printable", async () => {
  await using t = openTools()
  await background(t, String.raw`printf 'a\0\xff\033[1mb\n'; sleep 1000 &`)
  expect(await t.say("BashOutput", { bash_id: "bash_1", block: true })).toMatch(
    /^bash_1 completed with exit code 0 after [\d.]+ s\.\na␀\ufffdb\n\[Processes that the command left running were ended with it\.\]$/,
  )
})

test("KillShell ends it, and what it printed can still be read", async () => {
  await using t = openTools()
  await background(t, "echo up; sleep 1000")
  while (!t.workspace.background.find("bash_1")?.recent) await Bun.sleep(10)
  expect(await t.call("KillShell", { shell_id: "bash_1" })).toMatchObject({
    isError: false,
    content: expect.stringMatching(/^bash_1 was killed after [\d.]+ s\. What it printed last/),
    data: { shellId: "bash_1", status: "killed" },
  })
  expect(await t.call("BashOutput", { bash_id: "bash_1" })).toMatchObject({ data: { status: "killed", stdout: "up" } })
  expect(await t.call("KillShell", { shell_id: "bash_1" })).toMatchObject({ isError: false })
})

test("the fields of the other names are taken too", async () => {
  await using t = openTools()
  await background(t, "true")
  await wait(t, "bash_1")
  const inputs: readonly [string, JsonObject][] = [
    ["BashOutput", { task_id: "bash_1", block: "true", timeout: "1000" }],
    ["BashOutput", { shell_id: "bash_1" }],
    ["KillShell", { task_id: "bash_1" }],
    ["KillShell", { bash_id: "bash_1" }],
  ]
  for (const [tool, input] of inputs) expect(await t.call(tool, input)).toMatchObject({ isError: false })
  expect(await t.say("BashOutput", { task_id: "bash_1", bash_id: "bash_1" })).toContain("Unknown field `task_id`")
  expect(await t.say("BashOutput", {})).toContain("`bash_id`")
})

test("an id that is not there is answered with those that are", async () => {
  await using t = openTools()
  expect(await t.call("BashOutput", { bash_id: "bash_1" })).toMatchObject({
    isError: true,
    content:
      "There is no background command bash_1. There is none at all. Those of before the session was resumed have ended.",
  })
  await background(t, "sleep 1000")
  expect(await t.say("KillShell", { shell_id: "bash_2" })).toContain("There are bash_1 (running).")
})

test("a running call moved to the background is answered with what was printed so far", async () => {
  await using t = openTools()
  const running = t.call("Bash", { command: "echo so far; touch begun; sleep 1000", timeout: 60_000 })
  while (!existsSync(t.path("begun"))) await Bun.sleep(10)
  expect(t.workspace.shell.moveToBackground()).toBe(true)
  expect(await running).toMatchObject({
    isError: false,
    content: expect.stringMatching(/^The user moved this command to the background, where it continues as bash_1\./),
    data: { stdout: "so far", backgroundTaskId: "bash_1", interrupted: false },
    display: { kind: "terminal", output: "so far\n(continues in the background as bash_1)", exitCode: null },
  })
  expect(await t.say("BashOutput", { bash_id: "bash_1" })).toMatch(/^bash_1 is running/)
})

test("a folder that is gone is said in the background too", async () => {
  await using t = openTools()
  mkdirSync(t.path("sub"))
  t.workspace.setCwd(t.path("sub"))
  rmSync(t.path("sub"), { recursive: true })
  expect(await background(t, "true")).toMatchObject({ isError: true, change: { kind: "cwd", path: t.root } })
})

test("a profile that fails is told of once", async () => {
  await using t = openTools({ snapshot: { file: "/bin/bash", env: () => ({ PATH: "/usr/bin:/bin" }) } })
  writeFileSync(`${t.root}/../.bashrc`, "exit 1\n")
  expect(await t.say("Bash", { command: "echo a" })).toStartWith("a\n[The profile of /bin/bash was left out: ")
  expect(await t.say("Bash", { command: "echo a" })).toBe("a")
})

test("reading runs beside other readers, killing runs alone; neither touches anything", async () => {
  await using t = openTools()
  const footprints = ["BashOutput", "KillShell"].map((name) => {
    const tool = t.tools.find((one) => one.name === name)
    const parsed = tool?.parse({ bash_id: "bash_1" })
    if (!tool || !parsed?.ok) throw new Error(name)
    return tool.footprint(parsed.value)
  })
  expect(footprints).toEqual([touchesNothing(), { ...touchesNothing(), alone: true }])
  expect(footprints.map(isSafe)).toEqual([true, false])
})

test("what the model reads about them stays within its budget", async () => {
  await using t = openTools()
  const size = (wanted: string): number => {
    const { name, description, schema } = t.tools.find((tool) => tool.name === wanted) ?? {}
    return `${name}${description}${JSON.stringify(schema)}`.length / 4
  }
  expect(size("BashOutput") + size("KillShell")).toBeLessThan(450)
  expect(size("Bash")).toBeLessThan(800)
})
