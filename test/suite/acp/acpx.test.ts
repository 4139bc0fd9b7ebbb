/** acpx, a published client for the command line, unmodified: it reads, asks, changes a file, and is refused. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { bash, calls, edit, read, says, use } from "../../kit/script.ts"
import { openWorld } from "../../kit/acp/editor.ts"
import { environmentOf, program } from "../../kit/run-codewright.ts"
import { until } from "../../kit/until.ts"

const acpx = Bun.resolveSync("acpx", import.meta.dir)

test.each([
  ["--approve-all", "two\n", "Done."],
  ["--deny-all", "one\n", ""],
])("%s", async (policy, content, words) => {
  await using world = await openWorld(
    [calls({ text: "I look." }, read("a.txt")), calls(edit("a.txt", "one", "two")), says("Done.")],
    { "a.txt": "one\n" },
  )
  const child = Bun.spawn(
    [process.execPath, acpx, "--agent", `${program} acp`, policy, "--format", "json", "exec", "change it"],
    {
      cwd: world.place.work,
      env: environmentOf(world.place, world.simulator.url),
      stdout: "pipe",
      stderr: "pipe",
    },
  )
  const [stdout] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect(await world.place.read("a.txt")).toBe(content)
  for (const text of ["session/new", "tool_call_update", " look.", words]) expect(stdout).toContain(text)
})

test("a whole session: a list of work, a diff, a command, a choice, modes, a cancel, a kill with a question open, one answer", async () => {
  const todos = [{ content: "Look", status: "in_progress", activeForm: "Looking" }]
  const questions = [
    {
      question: "Which color?",
      header: "Color",
      multiSelect: false,
      options: [
        { label: "Red", description: "" },
        { label: "Blue", description: "" },
      ],
    },
  ]
  await using world = await openWorld(
    [
      calls(use("TodoWrite", { todos }), read("a.txt")),
      calls(edit("a.txt", "one", "two")),
      calls(bash("echo out of the shell")),
      calls(use("AskUserQuestion", { questions })),
      says("Done."),
      calls(bash("sleep 4321")),
      calls(bash("sleep 2")),
      calls(bash(`sh -c "echo x >> log.txt"`)),
      says("Written."),
      says("Again."),
    ],
    { "a.txt": "one\n" },
  )
  const env = environmentOf(world.place, world.simulator.url)
  const command = (argv: readonly string[]) => [
    process.execPath,
    acpx,
    "--agent",
    `${program} acp`,
    "--ttl",
    "5",
    ...argv,
  ]
  const spawn = (argv: readonly string[]) =>
    Bun.spawn(command(argv), { cwd: world.place.work, env, stdout: "pipe", stderr: "pipe" })
  const run = async (...argv: readonly string[]): Promise<string> => {
    const child = spawn(argv)
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return stdout + stderr
  }

  await run("sessions", "new")
  expect(await run("set-mode", "acceptEdits")).toContain("mode set: acceptEdits")
  const done = await run("--approve-all", "prompt", "go")
  for (const text of ["[plan]", "Look", "Edit a.txt", "out of the shell", "Done."]) expect(done).toContain(text)
  expect(await world.place.read("a.txt")).toBe("two\n")
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("Red")

  const sleeping = spawn(["--approve-all", "prompt", "sleep"])
  while (world.requests().length < 6) await Bun.sleep(50)
  for (let said = ""; !said.includes("cancel requested"); said = await run("cancel")) await Bun.sleep(100)
  expect(await sleeping.stdout.text()).toContain("cancelled")

  // The client is stopped before it can answer the second question. Then it and the agent are killed.
  const asking = spawn(["--approve-all", "prompt", "write"])
  const log = async (): Promise<string> => Bun.file(await logIn(world.place.state)).text()
  await until(async () => (await log()).includes(`"command":"sleep 2"`))
  const agent = await holderIn(world.place.state)
  const client = ownerOf(agent)
  process.kill(client, "SIGSTOP")
  const asked = async (): Promise<readonly string[]> =>
    [...(await log()).matchAll(/"subtype":"question".*?"id":"(\w+)"/g)].flatMap(([line, id = ""]) =>
      line.includes("sleep") ? [] : [id],
    )
  const before = (await asked()).length
  await until(async () => (await asked()).length !== before)
  for (const pid of [agent, client, asking.pid]) process.kill(pid, "SIGKILL")
  await asking.exited
  const all = await run("--approve-all", "prompt", "again")
  for (const text of ["Written.", "Again."]) expect(all).toContain(text)
  expect(await world.place.read("log.txt")).toBe("x\n")
  expect(await asked()).toHaveLength(before + 1)
  await run("sessions", "close")
})

const logIn = async (state: string): Promise<string> => {
  for await (const path of new Bun.Glob("projects/*/*.jsonl").scan({ cwd: state, absolute: true })) return path
  throw new Error("there is no log")
}

/** The process that has the only session open. */
async function holderIn(state: string): Promise<number> {
  for await (const path of new Bun.Glob("projects/*/*.lock/*").scan({ cwd: state }))
    return Number(/(\d+)[^/]*$/.exec(path)?.[1])
  throw new Error("no process has it open")
}

/** The client's process that has started it, perhaps through others. */
function ownerOf(pid: number): number {
  if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("__queue-owner")) return pid
  return ownerOf(
    Number(
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")[1],
    ),
  )
}
