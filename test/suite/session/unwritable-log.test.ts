/** A log that cannot be written: the turn ends with a clear error, and nothing happens until it can be written again. */

import { expect, test } from "bun:test"
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { textOf } from "#agent/words/message.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { fillDiskUnder } from "../../kit/fill-disk.ts"
import { isEntry, openTestSession } from "../../kit/open-test-session.ts"
import { environmentOf, openPlace, program } from "../../kit/run-codewright.ts"
import { bash, calls, read, says, write } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const waits = bash("touch begun; until [ -e go ]; do sleep 0.01; done")
const endsUnsaved = {
  reason: "error",
  cause: "log",
  message: expect.stringMatching(/^The session could not be saved: there is no space left on the disk \(.*\.jsonl\)\./),
} as const

test("a disk that fills up during a call: no further call is run, and no further request is made", async () => {
  await using t = await openTestSession({
    script: [calls(waits, write("late.txt", "x"), read("late.txt")), says("never")],
  })
  const ended = t.prompt("work")
  await t.until(isEntry("intent"))
  const before = readFileSync(t.logPath, "utf8")
  fillDiskUnder(t.logPath)
  writeFileSync(t.path("go"), "")
  expect(await ended).toEqual(endsUnsaved as never)
  expect(existsSync(t.path("late.txt"))).toBe(false)
  expect(t.simulator.requests).toHaveLength(1)
  expect(readFileSync(t.logPath, "utf8")).toBe(before)
})

test("a disk that is full before a call: its intent cannot be written, so it is not run", async () => {
  await using t = await openTestSession({
    script: [calls({ text: "I will write." }, write("a.txt", "x")), says("never")],
    mode: "default",
    answers: () => {
      fillDiskUnder(t.logPath)
      return { kind: "allow" }
    },
  })
  expect(await t.prompt("work")).toEqual(endsUnsaved as never)
  expect(existsSync(t.path("a.txt"))).toBe(false)
})

test("later prompts do not run either: what was queued, and what is said afterwards", async () => {
  await using t = await openTestSession({ script: [calls(waits), says("never")] })
  const ended = t.prompt("work")
  await t.until(isEntry("intent"))
  t.say("queued")
  fillDiskUnder(t.logPath)
  writeFileSync(t.path("go"), "")
  expect(await ended).toEqual(endsUnsaved as never)
  expect(await t.prompt("and now?")).toEqual(endsUnsaved as never)
  expect(t.simulator.requests).toHaveLength(1)
  // Whoever waits for the end of a prompt gets it.
  await t.session.close()
  const ends: string[] = []
  for await (const event of t.session.events("beginning"))
    if (event.type === "entry" && event.entry.kind === "turn_end") ends.push(event.entry.reason)
  expect(ends).toEqual(["error", "error", "error"])
})

test("what was written before is whole, and goes on when there is room again", async () => {
  await using t = await openTestSession({ script: [calls(waits), says("Back again.")] })
  const ended = t.prompt("work")
  await t.until(isEntry("intent"))
  fillDiskUnder(t.logPath)
  t.say("lost with the disk")
  writeFileSync(t.path("go"), "")
  await ended
  await using again = await t.reopen()
  expect((await again.ask({ type: "about" })).notes).toEqual([])
  expect(await again.prompt("go on")).toEqual({ reason: "completed" })
  expect(again.results()[0]?.content).toStartWith("Interrupted: the program ended while this was running.")
  expect(again.simulator.stats().refusals).toBe(0)
})

test("the session continues once there is room again, and the log has all that happened meanwhile", async () => {
  await using t = await openTestSession({
    script: [calls(waits, write("late.txt", "x")), calls(write("now.txt", "y")), says("Done."), says("Again.")],
  })
  const ended = t.prompt("work")
  await t.until(isEntry("intent"))
  const free = fillDiskUnder(t.logPath)
  writeFileSync(t.path("go"), "")
  expect(await ended).toEqual(endsUnsaved as never)
  expect(await t.prompt("still full?")).toEqual(endsUnsaved as never)
  expect((await t.session.submit({ type: "rename", title: "meanwhile" })).ok).toBe(true)
  expect(t.simulator.requests).toHaveLength(1)

  free()
  expect(await t.prompt("and now?")).toEqual({ reason: "completed" })
  expect(existsSync(t.path("late.txt"))).toBe(false)
  expect(t.read("now.txt")).toBe("y")

  // What was told is what is in the log, in the same order.
  const told: string[] = []
  await t.session.close()
  for await (const event of t.session.events("beginning")) if (event.type === "entry") told.push(event.entry.uuid)
  expect(t.entries().map(({ uuid }) => uuid)).toEqual(told)
  expect(pathOf(t.entries())).toHaveLength(told.length)
  await using again = await t.reopen()
  expect((await again.ask({ type: "about" })).notes).toEqual([])
  expect(await again.prompt("go on")).toEqual({ reason: "completed" })
  expect(again.simulator.stats().refusals).toBe(0)
})

test("nothing is done between turns either: no file goes back, and a command of the program gives no answer", async () => {
  await using t = await openTestSession({
    script: [calls(write("a.txt", "x")), says("Done.")],
    extensions: { claudeFolder: "/nonexistent", bundled: false },
  })
  await t.prompt("write it")
  const [point] = t.entries().flatMap((entry) => (entry.kind === "prompt" ? [entry.promptId] : []))
  const free = fillDiskUnder(t.logPath)
  expect(await t.prompt("full?")).toEqual(endsUnsaved as never)
  await t.session.submit({ type: "rewind", promptId: point ?? "", what: "files" })
  await t.settled()
  expect(t.read("a.txt")).toBe("x")
  expect(await t.prompt("/permissions")).toEqual(endsUnsaved as never)

  free()
  await t.session.submit({ type: "rewind", promptId: point ?? "", what: "files" })
  await t.settled()
  expect(existsSync(t.path("a.txt"))).toBe(false)
  expect(t.entries().at(-1)).toMatchObject({ kind: "head", why: "rewind" })
})

test("what waited in the queue is said once there is room again", async () => {
  await using t = await openTestSession({ script: [calls(waits), says("First."), says("Second.")] })
  const ended = t.prompt("work")
  await t.until(isEntry("intent"))
  const free = fillDiskUnder(t.logPath)
  void t.session.submit({ type: "interrupt" })
  t.say("one")
  await ended
  free()
  expect(await t.prompt("two")).toEqual({ reason: "completed" })
  const prompts = t.entries().flatMap((entry) => (entry.kind === "prompt" ? [textOf(entry.content)] : []))
  expect(prompts).toEqual(["work", "one", "two"])
})

test("a disk that is really full, and is freed", async () => {
  using folder = temporaryFolder()
  const script = join(import.meta.dir, "../../kit/on-a-small-disk.ts")
  const child = Bun.spawn(
    ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--size", String(48 * 1024 * 1024)].concat([
      "--tmpfs",
      folder.path,
      process.execPath,
      script,
    ]),
    {
      cwd: join(import.meta.dir, "../../.."),
      env: { ...process.env, TMPDIR: folder.path },
      stdout: "pipe",
      stderr: "pipe",
    },
  )
  const [printed, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect({ printed, errors }).toEqual({
    printed: `${JSON.stringify({
      full: "The session could not be saved: there is no space left on the disk",
      requestsWhenFull: 1,
      freed: { reason: "completed" },
      written: "y",
      damaged: [],
      gaps: 0,
      isAllThere: true,
    })}\n`,
    errors: "",
  })
})

test("a session whose end cannot be repaired is not opened, and not left locked", async () => {
  await using t = await openTestSession({ script: [says("never")] })
  const project = openPlace()
  await t.session.close()
  // A log that ends within a turn needs one more line, and this process may not make the file any larger.
  appendFileSync(t.logPath, openTurn)
  const log = join(project.state, "projects", "x", `${t.id}.jsonl`)
  mkdirSync(dirname(log), { recursive: true })
  copyFileSync(t.logPath, log)
  const child = Bun.spawn(
    ["/bin/sh", "-c", `trap '' XFSZ; ulimit -f 1; exec "$0" "$@"`, program, "--resume", t.id, "-p", "go on"],
    { cwd: project.work, env: environmentOf(project, t.simulator.url), stdout: "pipe", stderr: "pipe" },
  )
  expect(await child.stderr.text()).toContain("error: The session cannot be saved: ")
  expect(await child.exited).toBe(1)
  expect(existsSync(`${log}.lock`)).toBe(false)
  expect(readFileSync(log, "utf8")).toBe(readFileSync(t.logPath, "utf8"))
  expect(t.simulator.requests).toHaveLength(0)
  project[Symbol.dispose]()
})

const openTurn = `{"type":"system","subtype":"turn_start","codewright":{"turnId":"t"},"uuid":"u","parentUuid":null,"timestamp":"2026-01-01T00:00:00.000Z","filler":"${"x".repeat(1_000)}"}\n`
