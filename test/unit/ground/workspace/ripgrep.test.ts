import { expect, test } from "bun:test"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openRipgrep } from "#ground/workspace/search/ripgrep.ts"
import { systemClock } from "#lib/clock.ts"
import { openTestShell, type TestShell } from "./open-test-shell.ts"

/** A program in ripgrep's place. */
function standIn({ folder, processes }: TestShell, body: string) {
  const file = join(folder, "rg")
  writeFileSync(file, `#!/bin/sh\n${body}\n`)
  chmodSync(file, 0o755)
  return openRipgrep({ find: async () => file, processes, clock: systemClock })
}

const query = { argv: [], cwd: "/", timeoutMs: 20_000, mostBytes: 1000, signal: new AbortController().signal }

test("a search that takes too long is ended, with what it found or a failure", async () => {
  await using t = openTestShell()
  expect(await standIn(t, "sleep 1000")({ ...query, timeoutMs: 100 })).toEqual({
    ok: false,
    failure: { kind: "timed_out", seconds: 0.1 },
  })
  expect(await standIn(t, "echo found; sleep 1000")({ ...query, timeoutMs: 500 })).toEqual({
    ok: true,
    value: { text: "found\n", cut: "time" },
  })
})

test("a search that finds too much is ended at a whole line", async () => {
  await using t = openTestShell()
  const found = await standIn(t, "yes line")(query)
  if (!found.ok) throw new Error("failed")
  expect(found.value.cut).toBe("size")
  expect(found.value.text.replaceAll("line\n", "")).toBe("")
})

test("an abort ends it, and words on stderr with code 2 are a failure", async () => {
  await using t = openTestShell()
  const abort = new AbortController()
  const running = standIn(t, "sleep 1000")({ ...query, signal: abort.signal })
  abort.abort()
  expect(await running).toEqual({ ok: false, failure: { kind: "aborted" } })
  expect(await standIn(t, "echo bad >&2; exit 2")(query)).toEqual({
    ok: false,
    failure: { kind: "bad_query", message: "bad" },
  })
  expect(await standIn(t, "echo found; exit 2")(query)).toMatchObject({ ok: true, value: { text: "found\n" } })
})

test("a missing program is a failure", async () => {
  await using t = openTestShell()
  const ripgrep = openRipgrep({ find: async () => "/no/such/rg", processes: t.processes, clock: systemClock })
  expect(await ripgrep(query)).toMatchObject({ ok: false, failure: { kind: "unavailable" } })
})

test("a program that cannot be unpacked is a failure, and is asked for again by the next search", async () => {
  await using t = openTestShell()
  const found = [Promise.reject(new Error("the disk is full")), Promise.resolve("/bin/true")]
  const ripgrep = openRipgrep({
    find: () => found.shift() ?? Promise.reject(new Error("asked too often")),
    processes: t.processes,
    clock: systemClock,
  })
  expect(await ripgrep(query)).toEqual({
    ok: false,
    failure: { kind: "unavailable", message: "ripgrep could not be unpacked: the disk is full" },
  })
  expect(await ripgrep(query)).toEqual({ ok: true, value: { text: "", cut: "no" } })
})

test("a program that was killed or crashed is a failure, not an empty answer", async () => {
  await using t = openTestShell()
  expect(await standIn(t, "echo panic >&2; exit 101")(query)).toEqual({
    ok: false,
    failure: { kind: "broken", exitCode: 101, message: "panic" },
  })
  expect(await standIn(t, "kill -9 $$")(query)).toMatchObject({ ok: false, failure: { kind: "broken" } })
})

test("records are handed on whole as they come, and the last one only if it is whole", async () => {
  await using t = openTestShell()
  const taken: string[] = []
  const ripgrep = standIn(t, "printf 'on'; sleep 0.1; printf 'e\\0tw'; sleep 0.1; printf 'o\\0half'")
  expect(await ripgrep({ ...query, onRecords: (records) => void taken.push(records.toString()) })).toEqual({
    ok: true,
    value: { text: "", cut: "no" },
  })
  expect(taken.join("")).toBe("one\0two\0")
})
