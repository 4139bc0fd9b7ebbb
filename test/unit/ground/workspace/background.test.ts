import { expect, test } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { mostRunning } from "#ground/workspace/processes/background.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { bytesHeld, countProcesses, openTestShell, type TestShell, textOf, until } from "./open-test-shell.ts"

const { signal } = new AbortController()
const unusual = (): string => `${3000 + Math.floor(systemIds.random() * 1e6)}.${Math.floor(systemIds.random() * 1e9)}`
const limits = { characters: 1000, fileBytes: 1e9 }

async function start(t: TestShell, command: string): Promise<string> {
  const started = await t.shell.start({ command, cwd: t.folder, signal, limits })
  if (!started.ok) throw new Error(JSON.stringify(started.failure))
  return started.value.background.id
}

async function news(t: TestShell, id: string, filter?: string): Promise<string> {
  const found = await t.background.news(id, { ...(filter !== undefined && { filter }), characters: 1000, signal })
  if (!found.ok) throw new Error(JSON.stringify(found.failure))
  return found.value.output.text
}

const ended = (t: TestShell, id: string) => t.background.wait(id, 60_000, signal)

test("a command outlives the call that started it, and tells each thing once", async () => {
  await using t = openTestShell()
  const abort = new AbortController()
  const command = "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 3"
  const started = await t.shell.start({ command, cwd: t.folder, signal: abort.signal, limits })
  if (!started.ok) throw new Error("not started")
  const { id, file = "" } = started.value.background
  expect(id).toBe("bash_1")
  abort.abort()
  await until(() => textOf(file) === "one\n")
  expect(await news(t, id)).toBe("one\n")
  expect(await news(t, id)).toBe("")
  expect(t.background.find(id)).toMatchObject({ status: "running", command, isEndTold: false })
  await t.run("touch go")
  await ended(t, id)
  expect(t.background.find(id)).toMatchObject({ status: "failed", end: { exitCode: 3 }, isEndTold: false })
  expect(await news(t, id)).toBe("two\n")
  expect(await news(t, id)).toBe("")
  expect(t.background.find(id)).toMatchObject({ isEndTold: true })
  expect(textOf(file)).toBe("one\ntwo\n")
})

test("each end has its status", async () => {
  await using t = openTestShell()
  const ids = await Promise.all(["true", "kill -9 $$", "cd /nowhere 2>&1"].map((command) => start(t, command)))
  await Promise.all(ids.map((id) => ended(t, id)))
  expect(ids.map((id) => t.background.find(id)?.status)).toEqual(["completed", "failed", "failed"])
  expect(t.background.find(ids[1] ?? "")?.end).toMatchObject({ signal: "SIGKILL", exitCode: 137 })
})

test("killing ends all of a group, also what ignores the polite signal", async () => {
  await using t = openTestShell()
  const seconds = unusual()
  const id = await start(t, `trap '' TERM; echo up; (trap '' TERM; sleep ${seconds}) & sleep ${seconds}`)
  await until(() => countProcesses(seconds) >= 3)
  expect(await t.background.kill(id, signal)).toMatchObject({ ok: true, value: { status: "killed", isEndTold: true } })
  await until(() => countProcesses(seconds) === 0)
  expect(await news(t, id)).toBe("up\n")
  // It has ended, so there is nothing left to do.
  expect(await t.background.kill(id, signal)).toMatchObject({ ok: true, value: { status: "killed" } })
})

test("whoever waits can stop waiting, and the command goes on", async () => {
  await using t = openTestShell()
  const id = await start(t, "sleep 1000")
  await t.background.wait(id, 20, signal)
  const abort = new AbortController()
  const waiting = t.background.wait(id, 600_000, abort.signal)
  abort.abort()
  await waiting
  expect(t.background.find(id)?.status).toBe("running")
  expect(await t.background.news(id, { characters: 10, signal: abort.signal })).toMatchObject({
    failure: { kind: "aborted" },
  })
})

test("a running call is moved to the background: answered at once, and no longer limited", async () => {
  const timeoutMs = 12_345
  const limiting = new Set<() => void>()
  // Its time is up when the test says so.
  const after: Clock["after"] = (ms, ring) => {
    if (ms !== timeoutMs) return systemClock.after(ms, ring)
    limiting.add(ring)
    return () => limiting.delete(ring)
  }
  await using t = openTestShell({ clock: { ...systemClock, after } })
  const abort = new AbortController()
  let printed = 0
  const running = t.shell.run({
    command: "echo before; until [ -e go ]; do sleep 0.02; done; cd /usr; echo after",
    cwd: t.folder,
    timeoutMs,
    signal: abort.signal,
    limits,
    callId: "call_1",
    onOutput: (chunk) => (printed += chunk.length),
  })
  await until(() => printed > 0)
  expect(limiting.size).toBe(1)
  expect(t.shell.moveToBackground()).toBe(true)
  const moved = await running
  expect(moved).toMatchObject({ ok: true, value: { kind: "moved", background: { id: "bash_1", status: "running" } } })
  expect(moved.ok && moved.value.output.text).toBe("before\n")
  expect(t.shell.moveToBackground()).toBe(false)
  abort.abort()
  for (const ring of limiting) ring()
  expect(t.background.find("bash_1")?.status).toBe("running")
  await t.run("touch go")
  await ended(t, "bash_1")
  expect(await news(t, "bash_1")).toBe("after\n")
  expect(t.background.find("bash_1")).toMatchObject({ status: "completed" })
  expect(textOf(t.background.find("bash_1")?.file ?? "")).toBe("before\nafter\n")
  // Nothing that the command needed beside it is left.
  expect(readdirSync(join(t.folder, "scratch")).toSorted()).toEqual(["cwd", "pipes"])
})

test("a filter shows the lines that fit, of all that is new and not only of what is kept", async () => {
  await using t = openTestShell()
  const id = await start(t, String.raw`printf '\033[31merror\033[0m: red\r\nfine\n'; seq 1 200000; echo error: last`)
  await ended(t, id)
  expect(await news(t, id, "^error|^100000$")).toBe("error: red\n100000\nerror: last\n")
  expect(await news(t, id, "^error")).toBe("")
})

test("a filter that is no pattern, or an unlucky one, loses nothing and holds nothing up", async () => {
  await using t = openTestShell()
  const id = await start(t, `echo ${"a".repeat(60)}b`)
  await ended(t, id)
  const wrong = await t.background.news(id, { filter: "(", characters: 1000, signal })
  expect(wrong).toMatchObject({ ok: false, failure: { kind: "filter", failure: { kind: "bad_query" } } })
  expect(await news(t, id, "^(a+)+$")).toBe("")
})

test("an unknown id is answered with those there are", async () => {
  await using t = openTestShell()
  const id = await start(t, "true")
  const failure = { kind: "unknown", id: "bash_9", known: [{ id }] }
  expect(await t.background.news("bash_9", { characters: 10, signal })).toMatchObject({ failure })
  expect(await t.background.kill("bash_9", signal)).toMatchObject({ failure })
  expect(t.background.find("bash_9")).toBeUndefined()
})

test("ids of before a resume are not given again", async () => {
  await using t = openTestShell()
  t.background.reserve("bash_7")
  t.background.reserve("bash_3")
  t.background.reserve("something else")
  expect(await start(t, "true")).toBe("bash_8")
})

test("too many at once are refused", async () => {
  await using t = openTestShell()
  await Promise.all(Array.from({ length: mostRunning }, () => start(t, "sleep 1000")))
  const refused = await t.shell.start({ command: "touch made", cwd: t.folder, signal, limits })
  expect(refused).toEqual({ ok: false, failure: { kind: "too_many", limit: mostRunning } })
  await t.background.kill("bash_1", signal)
  expect(await start(t, "true")).toBe(`bash_${mostRunning + 1}`)
})

test("when the workspace closes nothing is left, and it does not take long", async () => {
  const seconds = unusual()
  {
    await using t = openTestShell()
    await start(t, `sleep ${seconds}`)
    await start(t, `setsid sleep ${seconds} & sleep ${seconds}`)
    await start(t, `trap '' TERM; while :; do sleep ${seconds}; done`)
    await until(() => countProcesses(seconds) >= 6)
  }
  await until(() => countProcesses(seconds) === 0)
})

test("nothing starts once the workspace is closed", async () => {
  const t = openTestShell()
  await start(t, "true")
  await t.processes.close()
  const late = await t.shell.start({ command: "touch made", cwd: t.folder, signal, limits })
  expect(late).toEqual({ ok: false, failure: { kind: "aborted" } })
  expect(existsSync(join(t.folder, "made"))).toBe(false)
  await t[Symbol.asyncDispose]()
})

test("a flood in the background is bounded in memory and whole on disk", async () => {
  await using t = openTestShell()
  const before = bytesHeld()
  const id = await start(t, "echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last")
  await ended(t, id)
  expect(Bun.file(t.background.find(id)?.file ?? "").size).toBe(100_000_012)
  const text = await news(t, id)
  expect(text).toStartWith("first\nxxx")
  expect(text).toEndWith("xxx\nlast\n")
  expect(text.length).toBeLessThan(1500)
  await until(() => bytesHeld() - before < 20_000_000)
})
