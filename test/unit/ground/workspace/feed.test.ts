/** Programs that get their input at once and answer on two streams, as hooks are: real processes, and everything that can go wrong with them. */

import { expect, test } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import type { FedEnd, Feeding } from "#ground/workspace/processes/feed.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { isRunning } from "../../../kit/is-running.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { until } from "./open-test-shell.ts"

function openFeeder() {
  const folder = temporaryFolder()
  const scratch = folder.join("scratch")
  const processes = openProcesses({ clock: systemClock, ids: systemIds, scratch, graceMs: 500, drainMs: 100 })
  const start = (command: string, more: Partial<Feeding> = {}) =>
    processes.feed({
      file: "/bin/sh",
      argv: ["-c", command],
      cwd: folder.path,
      env: { PATH: "/usr/bin:/bin" },
      input: "",
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      mostBytes: 1_000_000,
      ...more,
    })
  async function run(command: string, more: Partial<Feeding> = {}): Promise<FedEnd> {
    const fed = start(command, more)
    if (!fed.ok) throw new Error(fed.failure.kind)
    return fed.value.ended
  }
  return {
    scratch,
    processes,
    start,
    run,
    async [Symbol.asyncDispose]() {
      await processes.close()
      folder[Symbol.dispose]()
    },
  }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8")

test("the input is read from the stream and from /dev/stdin, and the two outputs are kept apart", async () => {
  await using t = openFeeder()
  const input = `{"long":"${"x".repeat(300_000)}"}`
  const ended = await t.run("cat; echo to the person > /dev/stderr; echo more >&2; exit 2", { input })
  expect({ ...ended, stdout: text(ended.stdout) === input, stderr: text(ended.stderr) }).toEqual({
    exitCode: 2,
    signal: null,
    end: "exited",
    stdout: true,
    stderr: "to the person\nmore\n",
    isCut: false,
  })
  expect(text((await t.run("cat /dev/stdin", { input: "again" })).stdout)).toBe("again")
  expect(existsSync(`${t.scratch}/inputs`) ? readdirSync(`${t.scratch}/inputs`) : []).toEqual([])
})

test("a program that reads nothing leaves nobody waiting, and several run side by side", async () => {
  await using t = openFeeder()
  const ends = await Promise.all(
    Array.from({ length: 8 }, (_, i) => t.run(`echo ${i}; exit ${i}`, { input: "x".repeat(1_000_000) })),
  )
  expect(ends.map(({ exitCode, stdout }) => [exitCode, text(stdout)])).toEqual(
    Array.from({ length: 8 }, (_, i) => [i, `${i}\n`]),
  )
})

test("of 100 MB the first is kept, the rest is read and dropped, and its exit code is told", async () => {
  await using t = openFeeder()
  const ended = await t.run("head -c 100000000 /dev/zero | tr '\\0' x; exit 3", { mostBytes: 1000 })
  expect([ended.exitCode, ended.stdout.length, ended.isCut]).toEqual([3, 1000, true])
})

test("one that hangs is ended when its time is over, with its children, however deaf it is", async () => {
  await using t = openFeeder()
  const ended = await t.run("trap '' TERM; echo $$; sleep 9731 & echo $!; wait; sleep 9731", { timeoutMs: 200 })
  expect([ended.end, ended.exitCode, ended.signal]).toEqual(["timed_out", null, "SIGKILL"])
  const pids = text(ended.stdout).trim().split("\n").map(Number)
  expect(pids).toHaveLength(2)
  await until(() => pids.every((pid) => !isRunning(pid)))
})

test("an abort ends it, and after one nothing starts", async () => {
  await using t = openFeeder()
  const abort = new AbortController()
  const running = t.start("echo $$; sleep 9732", { signal: abort.signal })
  if (!running.ok) throw new Error("not started")
  const pid = Number(await running.value.firstLine)
  abort.abort()
  expect((await running.value.ended).end).toBe("aborted")
  await until(() => !isRunning(pid))
  expect(t.start("true", { signal: abort.signal })).toEqual({ ok: false, failure: { kind: "aborted" } })
})

test("what it leaves running is ended and not waited for", async () => {
  await using t = openFeeder()
  const ended = await t.run("sleep 9733 & echo $!")
  expect([ended.exitCode, ended.end]).toEqual([0, "exited"])
  const pid = Number(text(ended.stdout))
  await until(() => !isRunning(pid))
})

test("a signal is no exit code; a missing program and a missing folder are told before anything runs", async () => {
  await using t = openFeeder()
  expect(await t.run("kill -SEGV $$")).toMatchObject({ exitCode: null, signal: "SIGSEGV", end: "exited" })
  const none = t.start("", { file: "/nowhere/program", argv: [] })
  expect(none).toEqual({ ok: false, failure: { kind: "no_program", file: "/nowhere/program" } })
  expect(t.start("true", { cwd: "/nowhere" })).toEqual({ ok: false, failure: { kind: "no_folder", path: "/nowhere" } })
})

test("one that is let go outlives its signal, has another time, and ends with the processes", async () => {
  await using t = openFeeder()
  const [turn, session] = [new AbortController(), new AbortController()]
  const running = t.start("echo first; read line < /dev/stdin; sleep 0.3; echo last", {
    signal: turn.signal,
    input: "x",
  })
  if (!running.ok) throw new Error("not started")
  expect(await running.value.firstLine).toBe("first")
  running.value.letGo(20_000, session.signal)
  turn.abort()
  expect(await running.value.ended).toMatchObject({ end: "exited", exitCode: 0 })
  const other = t.start("echo $$; exec sleep 9734")
  if (!other.ok) throw new Error("not started")
  const pid = Number(await other.value.firstLine)
  await t.processes.close()
  await until(() => !isRunning(pid))
})
