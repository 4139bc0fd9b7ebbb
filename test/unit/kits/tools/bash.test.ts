import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { type Outcome, refused } from "#agent/words/tool.ts"
import { openTools } from "./open-tools.ts"

test("a command gives what it prints, and its result as fields", async () => {
  await using t = openTools()
  expect(await t.call("Bash", { command: "echo out; echo err >&2" })).toEqual({
    content: "out\nerr",
    isError: false,
    display: { kind: "terminal", command: "echo out; echo err >&2", output: "out\nerr", exitCode: 0 },
    data: {
      stdout: "out\nerr",
      stderr: "",
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
      sandbox: { by: "none", because: "nothing is confined here" },
    },
  })
})

test("silence is said, and expected of some commands", async () => {
  await using t = openTools()
  expect(await t.call("Bash", { command: "mkdir made" })).toMatchObject({
    content: "The command succeeded and printed nothing.",
    data: { stdout: "", noOutputExpected: true },
  })
})

test("a command starts only when its call is recorded, in the foreground and in the background", async () => {
  await using t = openTools()
  for (const run_in_background of [false, true]) {
    const name = `made-${run_in_background}`
    const recorded = Promise.withResolvers<Outcome | undefined>()
    const call = t.call("Bash", { command: `: > ${name}`, run_in_background }, undefined, undefined, recorded.promise)
    // Whatever could have started has had the time of a whole command.
    await t.say("Bash", { command: "sleep 0.1" })
    expect(existsSync(t.path(name))).toBe(false)
    recorded.resolve(undefined)
    expect((await call).isError).toBe(false)
    while (!existsSync(t.path(name))) await Bun.sleep(1)
  }
})

test("a call that cannot be recorded is not run, and says why instead", async () => {
  await using t = openTools()
  const full = refused("Not run: the disk is full.")
  for (const run_in_background of [false, true]) {
    const input = { command: ": > made", run_in_background }
    expect(await t.call("Bash", input, undefined, undefined, Promise.resolve(full))).toEqual(full)
  }
  await t.say("Bash", { command: "true" })
  expect(existsSync(t.path("made"))).toBe(false)
})

test("a failing command is an error with its code", async () => {
  await using t = openTools()
  expect(await t.call("Bash", { command: "echo no; exit 3" })).toMatchObject({
    isError: true,
    content: "Exit code 3\nno",
  })
  expect(await t.call("Bash", { command: "false" })).toMatchObject({ isError: true, content: "Exit code 1" })
  expect(await t.say("Bash", { command: "kill -9 $$" })).toBe(
    "Exit code 137\nThe command was ended by SIGKILL, as the system does when memory runs out. If that may be why, do less at once before you run it again.",
  )
  expect(await t.say("Bash", { command: "if" })).toStartWith("Exit code 2\nbash: ")
})

test("the working folder changes for the calls after, inside the allowed folders only", async () => {
  await using t = openTools()
  mkdirSync(t.path("sub"))
  const moved = await t.call("Bash", { command: "cd sub && pwd" })
  expect(moved).toMatchObject({ content: t.path("sub"), change: { kind: "cwd", path: t.path("sub") } })
  t.workspace.setCwd(t.path("sub"))
  expect(await t.call("Bash", { command: "pwd" })).toMatchObject({ content: t.path("sub") })
  const outside = await t.call("Bash", { command: "cd /usr && pwd" })
  expect(outside.change).toBeUndefined()
  expect(outside.content).toBe(
    `/usr\n[The working folder is ${t.path("sub")} again: /usr is outside the folders you may work in.]`,
  )
  expect(await t.call("Bash", { command: "cd ../; rmdir sub" })).toMatchObject({ change: { path: t.root } })
  expect(await t.call("Bash", { command: "pwd" })).toMatchObject({
    isError: true,
    content: expect.stringContaining("does not exist any more"),
    change: { kind: "cwd", path: t.root },
  })
})

test("a time limit is told with what was printed", async () => {
  await using t = openTools({ graceMs: 200 })
  const outcome = await t.call("Bash", { command: "echo so far; sleep 1000", timeout: 300 })
  expect(outcome).toMatchObject({
    isError: true,
    content:
      "The command did not end within 300 ms and was ended with all its processes. Give it more time with timeout (at most 600000 ms), or do less at once.\nWhat it printed until then:\nso far",
    data: { interrupted: true, stdout: "so far" },
    display: { exitCode: null },
  })
})

test("time limits above the highest are lowered to it", async () => {
  await using t = openTools({ graceMs: 200, bash: { defaultTimeoutMs: 100, maxTimeoutMs: 200 } })
  expect(await t.say("Bash", { command: "sleep 1000" })).toContain("within 100 ms")
  expect(await t.say("Bash", { command: "sleep 1000", timeout: 5000 })).toContain(
    "within 200 ms and was ended with all its processes.\nIt printed nothing.",
  )
})

test("an abort is told with what was printed", async () => {
  await using t = openTools({ graceMs: 200 })
  const abort = new AbortController()
  const running = t.call("Bash", { command: "echo started; touch begun; sleep 1000" }, abort.signal)
  while (!(await Bun.file(t.path("begun")).exists())) await Bun.sleep(10)
  abort.abort()
  expect(await running).toMatchObject({ isError: true, data: { interrupted: true, stdout: "started" } })
})

test("long output is cut in the middle and kept whole in a file that Read can open", async () => {
  await using t = openTools()
  const outcome = await t.call("Bash", { command: "seq 1 100000" })
  const file = /in (\S+bash-\S+\.txt);/.exec(String(outcome.content))?.[1] ?? ""
  expect(outcome.content).toStartWith("1\n2\n")
  expect(outcome.content).toEndWith("99999\n100000")
  expect(String(outcome.content).length).toBeLessThan(30_500)
  expect(readFileSync(file, "utf8").split("\n")).toHaveLength(100_001)
  expect(await t.say("Read", { file_path: file, offset: 50_000, limit: 1 })).toStartWith("50000\t50000")
})

test("progress comes while the command runs, and only with what is new", async () => {
  await using t = openTools()
  await t.call("Bash", { command: "echo one; sleep 1.2; echo two; sleep 1" })
  expect(t.progress.length).toBeGreaterThanOrEqual(1)
  expect("one\ntwo\n").toStartWith(t.progress.map(({ output }) => output).join(""))
  expect(t.progress[0]?.totalBytes).toBeGreaterThanOrEqual(4)
})

test("what is left running is told", async () => {
  await using t = openTools()
  expect(await t.say("Bash", { command: "sleep 1000 & echo a" })).toBe(
    "a\n[Processes that the command left running were ended with it.]",
  )
  expect(await t.say("Bash", { command: "setsid sleep 1000 & echo a" })).toContain("left a detached process running")
})

test("input is checked", async () => {
  await using t = openTools()
  expect(await t.call("Bash", { command: "a\0b" })).toMatchObject({
    isError: true,
    content: expect.stringContaining("NUL"),
  })
  expect(await t.call("Bash", { command: "" })).toMatchObject({ isError: true })
  expect(await t.say("Bash", { command: "true", background: true })).toContain(
    "Unknown field `background`; did you mean `run_in_background`?",
  )
})
