import { describe, expect, test } from "bun:test"
import { existsSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { systemIds } from "#lib/ids.ts"
import { bytesHeld, countProcesses, openTestShell, textOf, until } from "./open-test-shell.ts"

/** A number of seconds to sleep that no other process has in its command line. */
const unusual = (): string => `${3000 + Math.floor(systemIds.random() * 1e6)}.${Math.floor(systemIds.random() * 1e9)}`

test("output and errors come in the order they were written", async () => {
  await using t = openTestShell()
  const { output } = await t.run("for i in 1 2 3; do echo out $i; echo err $i >&2; done; echo last > /dev/stderr")
  expect(output.text).toBe("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nlast\n")
})

test("exit codes and signals are told", async () => {
  await using t = openTestShell()
  expect(await t.run("exit 3")).toMatchObject({ exitCode: 3, signal: null, end: "exited" })
  expect(await t.run("kill -9 $$")).toMatchObject({ exitCode: 137, signal: "SIGKILL", end: "exited" })
})

test("stdin is empty and there is no terminal", async () => {
  await using t = openTestShell()
  const { output } = await t.run("cat; read x || echo no input; (: > /dev/tty) 2>/dev/null || echo no terminal")
  expect(output.text).toBe("no input\nno terminal\n")
})

test("a command that ignores the polite signal is killed with its children, and what it printed is kept", async () => {
  await using t = openTestShell()
  const seconds = unusual()
  const ran = await t.run(`trap '' TERM; echo before; (trap '' TERM; sleep ${seconds}) & sleep ${seconds}`, {
    timeoutMs: 200,
  })
  expect(ran).toMatchObject({ end: "timed_out", signal: "SIGKILL", output: { text: "before\n" } })
  await until(() => countProcesses(seconds) === 0)
})

test("a command that heeds the polite signal may still say something", async () => {
  await using t = openTestShell({ graceMs: 20_000 })
  const ran = await t.run("trap 'echo bye; exit 0' TERM; echo hi; while :; do sleep 0.05; done", { timeoutMs: 200 })
  expect(ran).toMatchObject({ end: "timed_out", exitCode: 0 })
  expect(ran.output.text).toEndWith("bye\n")
})

describe("the polite signal", () => {
  // Bash may sit in `read` or `wait` with a signal that came just before; between two commands it looks for one.
  const idle = "echo on; while :; do :; done"

  async function stopped(command: string) {
    await using t = openTestShell({ graceMs: 1_000_000 })
    const abort = new AbortController()
    const { exitCode, output } = await t.run(command, { signal: abort.signal, onOutput: () => abort.abort() })
    return { exitCode, text: output.text }
  }

  test("is sent again to what misses it", async () => {
    // The child misses the signal, as one does that is just being started: it ignores it until it was sent.
    const late = `trap '' TERM; touch deaf; until [ -e told ]; do sleep 0.01; done; trap - TERM; exec sleep ${unusual()}`
    const begun = "until [ -e deaf ]; do sleep 0.01; done"
    const misses = `(${late}) & ${begun}; trap 'touch told; wait; exit 7' TERM; ${idle}`
    expect(await stopped(misses)).toEqual({ exitCode: 7, text: "on\n" })
  })

  test("is sent again to what was there, but not seen", async () => {
    // As one that is started while we look: in the group only after the look.
    const joins = "setpgrp; open F, '>away'; until (-e 'told') { select undef, undef, undef, 0.01 } setpgrp 0, shift; "
    const unseen = `perl -e "${joins} open F, '>joined'; sleep ${unusual()}" $$ &`
    const told = "touch told; until [ -e joined ]; do sleep 0.01; done; wait; exit 7"
    const begun = "until [ -e away ]; do sleep 0.01; done"
    expect(await stopped(`${unseen} ${begun}; trap '${told}' TERM; ${idle}`)).toEqual({ exitCode: 7, text: "on\n" })
  })

  test("is sent once to what handles it, and what that starts to clean up is left alone", async () => {
    const handles = `trap 'echo told; sleep 0.5; echo clean; exit 7' TERM; ${idle}`
    expect(await stopped(handles)).toEqual({ exitCode: 7, text: "on\ntold\nclean\n" })
  })
})

test("an abort ends the command in the middle", async () => {
  await using t = openTestShell()
  const abort = new AbortController()
  const seconds = unusual()
  const ran = await t.run(`echo started; sleep ${seconds}`, { signal: abort.signal, onOutput: () => abort.abort() })
  expect(ran).toMatchObject({ end: "aborted", output: { text: "started\n" } })
  await until(() => countProcesses(seconds) === 0)
  const before = await t.shell.run({
    command: "touch made",
    cwd: t.folder,
    timeoutMs: 1000,
    signal: abort.signal,
    limits: { characters: 10, fileBytes: 10 },
  })
  expect(before).toEqual({ ok: false, failure: { kind: "aborted" } })
  expect(existsSync(join(t.folder, "made"))).toBe(false)
})

test("what a command leaves in the background ends with it and does not hold it up", async () => {
  await using t = openTestShell()
  const seconds = unusual()
  expect(await t.run(`sleep ${seconds} & echo done`)).toMatchObject({ leftBehind: "ended", output: { text: "done\n" } })
  expect(await t.run(`sleep ${seconds} > /dev/null 2>&1 & echo done`)).toMatchObject({ leftBehind: "ended" })
  expect(await t.run("echo through > >(sleep 0.01; cat)")).toMatchObject({
    leftBehind: "nothing",
    output: { text: "through\n" },
  })
  await until(() => countProcesses(seconds) === 0)
})

test("a daemon that leaves its group does not hold the command up, and ends when the workspace closes", async () => {
  const seconds = unusual()
  {
    await using t = openTestShell()
    const ran = await t.run(`setsid sleep ${seconds} & echo started`)
    expect(ran).toMatchObject({ end: "exited", leftBehind: "detached", output: { text: "started\n" } })
    await until(() => countProcesses(seconds) === 1)
    // What the daemon holds is not handed to the next command.
    expect((await t.run("echo next")).output.text).toBe("next\n")
  }
  await until(() => countProcesses(seconds) === 0)
})

test("200 MB of output are kept whole in a file, by their ends in memory", async () => {
  await using t = openTestShell()
  const before = bytesHeld()
  const { output } = await t.run("echo first; head -c 200000000 /dev/zero | tr '\\0' x; echo; echo last")
  expect(output.bytes).toBe(200_000_012)
  expect(output.text.length).toBeLessThan(31_000)
  expect(output.text).toStartWith("first\nxxx")
  expect(output.text).toEndWith("xxx\nlast\n")
  expect(output.text).toContain(
    `[Cut here: 200,000,012 bytes in all. All of it is in ${output.file}; Read or Grep it there.]`,
  )
  expect(Bun.file(output.file ?? "").size).toBe(200_000_012)
  await until(() => bytesHeld() - before < 20_000_000)
})

test("the file of a flood has an end", async () => {
  await using t = openTestShell()
  const limits = { characters: 100, fileBytes: 5000 }
  const { output } = await t.run("seq 1 100000", { limits })
  const kept = await Bun.file(output.file ?? "").text()
  expect(kept).toMatch(
    /^1\n2\n3\n[^[]*\n\[583,895 bytes are left out here: at most 5,000 bytes[^\]]*\]\n[^[]*\n99999\n100000\n$/,
  )
  expect(kept.replace(/\n\[.*\]\n/, "").length).toBe(5000)
  expect(output.text).toContain("Its beginning and its end are in")
  expect(output.text).toEndWith("99999\n100000\n")
})

test("output a little over the limit is cut too, and kept", async () => {
  await using t = openTestShell()
  const { output } = await t.run("seq 1 100", { limits: { characters: 200, fileBytes: 1e6 } })
  expect(textOf(output.file ?? "")).toBe(Array.from({ length: 100 }, (_, i) => `${i + 1}\n`).join(""))
  expect(output.text).toStartWith("1\n2\n")
})

test("binary output is made printable", async () => {
  await using t = openTestShell()
  const { output } = await t.run(String.raw`printf 'a\0b\x01\xff\x1b[31mred\x1b[0m\r\nprogress 1\rprogress 2\n'`)
  expect(output.text).toBe("a␀b␁\ufffdred\nprogress 1\nprogress 2\n")
})

test("commands side by side do not mix their output", async () => {
  await using t = openTestShell()
  const words = ["one", "two", "three", "four", "five"]
  const ran = await Promise.all(words.map((word) => t.run(`for i in $(seq 1 200); do echo ${word}; done`)))
  expect(ran.map(({ output }) => output.text)).toEqual(words.map((word) => `${word}\n`.repeat(200)))
})

test("a missing folder or program is a failure, not a throw", async () => {
  await using t = openTestShell()
  const options = {
    argv: [],
    env: {},
    timeoutMs: 1000,
    signal: new AbortController().signal,
    limits: { characters: 10, fileBytes: 10 },
    outputFile: "/x",
  }
  expect(await t.processes.run({ ...options, file: "/bin/sh", cwd: "/no/such/folder" })).toMatchObject({
    failure: { kind: "no_folder" },
  })
  expect(await t.processes.run({ ...options, file: "/no/such/program", cwd: "/" })).toMatchObject({
    failure: { kind: "no_program" },
  })
})

test("nothing survives kill -9 of the agent: neither children, nor background commands, nor daemons", async () => {
  const seconds = unusual()
  const agent = doom(seconds, "in the background")
  await until(() => countProcesses(seconds) >= 12)
  agent.kill("SIGKILL")
  await agent.exited
  const [scratch = ""] = (await new Response(agent.stdout).text()).split("\n")
  await until(() => countProcesses(seconds) === 0)
  await until(() => !existsSync(scratch))
  rmSync(dirname(scratch), { recursive: true })
})

test("a watchdog that someone kills is replaced, and knows what runs already", async () => {
  const seconds = unusual()
  const agent = doom(seconds, "kill the watchdog")
  await until(() => countProcesses(seconds) >= 8)
  agent.kill("SIGKILL")
  await agent.exited
  const [scratch = ""] = (await new Response(agent.stdout).text()).split("\n")
  await until(() => countProcesses(seconds) === 0)
  rmSync(dirname(scratch), { recursive: true })
})

const doom = (seconds: string, how: string) =>
  Bun.spawn([process.execPath, Bun.fileURLToPath(import.meta.resolve("./doomed-agent.ts")), seconds, how], {
    stdout: "pipe",
    stderr: "inherit",
  })
