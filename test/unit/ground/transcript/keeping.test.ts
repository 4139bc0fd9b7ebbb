/** What can be done with a session that is not open: fork, salvage, rename, remove; and asking who has it open to stop. */

import { describe, expect, test } from "bun:test"
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import fc from "fast-check"
import type { Entry } from "#agent/words/entry.ts"
import { forkLog } from "#ground/transcript/fork.ts"
import type { Origin } from "#ground/transcript/line.ts"
import { loadLog } from "#ground/transcript/load.ts"
import { holderOf, takeLock } from "#ground/transcript/lock.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { removeOldSessions, removeSession } from "#ground/transcript/remove.ts"
import { renameSession } from "#ground/transcript/rename.ts"
import { inspectLog, isWhole, salvageLog } from "#ground/transcript/salvage.ts"
import { askToStop } from "#ground/transcript/take-over.ts"
import { systemClock } from "#lib/clock.ts"
import { seededIds } from "#lib/ids.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { answered, entriesOf, saidBy, writeLog } from "../../../kit/write-log.ts"

const origin: Origin = { sessionId: "new", cwd: "/w", version: "0", gitBranch: "", entrypoint: "cli" }
const { pid } = process

function entriesIn(path: string): readonly Entry[] {
  const loaded = loadLog(path, { torn: "leave" })
  if (!loaded.ok) throw new Error(loaded.failure.kind)
  expect(loaded.value.notes).toEqual([])
  return loaded.value.entries
}
const names = (entries: readonly Entry[]): string => entries.map(({ uuid }) => uuid).join(" ")

const branched = entriesOf([
  saidBy("one"),
  answered("1"),
  saidBy("two"),
  { kind: "mode", mode: "plan" },
  { kind: "grant", rule: "Bash(ls)", destination: "session" },
  { kind: "head", to: "u1", why: "rewind" },
  saidBy("three"),
])

describe("a fork", () => {
  test("is the path under a new id, with what holds whatever way it went, and says where it came from", () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.join("a.jsonl"), branched)
    const before = readFileSync(path)
    appendFileSync(path, '{"torn')
    const to = folder.join("deep/b.jsonl")
    const forked = forkLog({ from: { sessionId: "s", path }, to, origin })
    expect(forked).toMatchObject({ ok: true, value: { entries: 5, notes: [expect.stringContaining("torn")] } })
    expect(readFileSync(path).subarray(0, before.length)).toEqual(before)
    const copy = entriesIn(to)
    expect(names(copy)).toBe("u0 u1 u3 u4 u6")
    expect(names(pathOf(copy))).toBe("u0 u1 u3 u4 u6")
    const [header, first] = readFileSync(to, "utf8").split("\n")
    expect(JSON.parse(header ?? "")).toMatchObject({ sessionId: "new", parentSession: "s" })
    expect(JSON.parse(first ?? "")).toMatchObject({
      sessionId: "new",
      forkedFrom: { sessionId: "s", messageUuid: "u0" },
    })
  })

  test("is never written over what is there, and needs a log", () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.join("a.jsonl"), branched)
    const from = { sessionId: "s", path }
    expect(forkLog({ from, to: path, origin })).toMatchObject({ ok: false, failure: { kind: "unwritable" } })
    expect(names(entriesIn(path))).toBe(names(branched))
    const none = { sessionId: "s", path: folder.join("none") }
    expect(forkLog({ from: none, to: folder.join("b"), origin })).toMatchObject({ failure: { kind: "unreadable" } })
  })
})

describe("salvage", () => {
  const salvaged = (text: string | Uint8Array) => {
    using folder = temporaryFolder()
    const path = folder.join("a.jsonl")
    writeFileSync(path, text)
    const to = folder.join("b.jsonl")
    const done = salvageLog({ from: { sessionId: "s", path }, to, origin, ids: seededIds(1) })
    expect(readFileSync(path)).toEqual(Buffer.from(text as string))
    if (!done.ok) return { failure: done.failure.kind, entries: [] }
    const again = inspectLog(to)
    expect(again.ok && isWhole(again.value)).toBe(true)
    return { ...done.value, entries: entriesIn(to) }
  }
  using folder = temporaryFolder()
  const text = readFileSync(writeLog(folder.join("a.jsonl"), branched), "utf8")
  const lines = text.split("\n")

  test("leaves a whole log as it is", () => {
    expect(salvaged(text)).toMatchObject({ entries: branched, found: 0 })
    using place = temporaryFolder()
    const state = inspectLog(writeLog(place.join("a.jsonl"), branched))
    expect(state).toMatchObject({ ok: true, value: { lines: 8, entries: 7, damaged: [], gaps: 0, tornBytes: 0 } })
  })

  test("says where something is lost, and joins what is left", () => {
    const broken = lines.with(2, "garbage").join("\n")
    const { entries, state } = salvaged(broken) as Extract<ReturnType<typeof salvaged>, { found: number }>
    expect(state).toMatchObject({ damaged: [3], gaps: 2, header: "there" })
    expect(entries.map(({ kind }) => kind)).toEqual([
      "prompt",
      "notice",
      "prompt",
      "mode",
      "grant",
      "head",
      "notice",
      "prompt",
    ])
    expect(pathOf(entries).map(({ uuid, kind }) => (kind === "notice" ? kind : uuid))).toEqual(["u0", "notice", "u6"])
    expect(entries.find(({ kind }) => kind === "head")).toMatchObject({ to: "u0" })
  })

  test("finds whole lines inside damaged ones; a last line that lacks only its newline is whole", () => {
    const glued = [lines[0], `${lines[1]?.slice(0, 60)}${lines[2]}`, `\0\0\0${lines[3]}${lines[4]}`, lines[5]].join(
      "\n",
    )
    const { found, entries } = salvaged(glued) as Extract<ReturnType<typeof salvaged>, { found: number }>
    expect(found).toBe(3)
    expect(entries.filter(({ kind }) => kind !== "notice").map(({ uuid }) => uuid)).toEqual(["u1", "u2", "u3", "u4"])
  })

  test("without a header, with nothing at all, or of a newer format", () => {
    expect(salvaged(lines.slice(1).join("\n"))).toMatchObject({ entries: branched, state: { header: "missing" } })
    expect(salvaged("")).toMatchObject({ entries: [] })
    expect(salvaged('{"type":"header","format":9}\n')).toEqual({ failure: "newer", entries: [] })
  })

  test("a line whose checksum lost its name is not believed", () => {
    const altered = (lines[2] ?? "").replace('"u1"', '"u8"')
    expect(altered).not.toBe(lines[2])
    for (const sum of [',"su ":"', ',"sum" "', ' "sum":"', ',"sum": '])
      expect(
        salvaged(lines.with(2, altered.replace(',"sum":"', sum)).join("\n")).entries.map(({ uuid }) => uuid),
      ).not.toContain("u8")
  })

  test("whatever happens to the bytes, the new log is whole and says nothing that was not said", () => {
    const bytes = Buffer.from(text)
    const known = new Set(branched.map(({ uuid }) => uuid))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 8 }), (changes) => {
        const damaged = Buffer.from(bytes)
        for (const [at, value] of changes) damaged[at] = value
        for (const entry of salvaged(damaged).entries)
          expect(known.has(entry.uuid) || entry.kind === "notice").toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})

describe("a title", () => {
  test("is given to a session that is not open, after its tip", async () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.join("a.jsonl"), branched)
    const parts = { pid, origin, clock: systemClock, ids: seededIds(1) }
    expect(await renameSession(path, "A name", parts)).toEqual({ ok: true, value: undefined })
    expect(entriesIn(path).at(-1)).toMatchObject({ kind: "title", text: "A name", by: "person", parentUuid: "u6" })
    const lock = takeLock(`${path}.lock`, pid)
    expect(await renameSession(path, "B", parts)).toMatchObject({ ok: false, failure: { kind: "held" } })
    if (lock.ok) lock.value()
    expect(await renameSession(folder.join("none.jsonl"), "B", parts)).toMatchObject({ ok: false })
    expect(existsSync(folder.join("none.jsonl"))).toBe(false)
  })
})

describe("removing", () => {
  const id = (n: number): string => `0000000${n}-0000-4000-8000-000000000000`
  const dayMs = 24 * 60 * 60 * 1000
  const now = Date.parse("2026-06-01T12:00:00Z")

  function aged(folder: { join: (path: string) => string }, n: number, days: number): string {
    const path = writeLog(folder.join(`projects/-w${n}/${id(n)}.jsonl`), branched)
    mkdirSync(path.replace(".jsonl", "/results"), { recursive: true })
    writeFileSync(path.replace(".jsonl", "/results/c.txt"), "long")
    const at = (now - days * dayMs) / 1000
    utimesSync(path, at, at)
    return path
  }

  test("takes the log and its folder, but never a session that is open", () => {
    using folder = temporaryFolder()
    const logPath = aged(folder, 1, 0)
    const lock = takeLock(`${logPath}.lock`, pid)
    expect(removeSession({ sessionId: id(1), logPath }, { pid })).toEqual({ ok: false, failure: { kind: "held", pid } })
    expect(existsSync(logPath)).toBe(true)
    if (lock.ok) lock.value()
    expect(removeSession({ sessionId: id(1), logPath }, { pid })).toEqual({ ok: true, value: undefined })
    expect(readdirSync(folder.join("projects/-w1"))).toEqual([])
  })

  test("leaves alone what was used since it was listed", () => {
    using folder = temporaryFolder()
    const logPath = aged(folder, 1, 31)
    const changed: number[] = []
    const unless = (at: number): boolean => changed.push(at) > 0
    expect(removeSession({ sessionId: id(1), logPath }, { pid, unless })).toEqual({
      ok: false,
      failure: { kind: "changed" },
    })
    expect(changed).toEqual([now - 31 * dayMs])
    expect([logPath, logPath.replace(".jsonl", "/results/c.txt")].map((path) => existsSync(path))).toEqual([true, true])
  })

  test("what is older than so many days goes, once a day, and the rest stays", () => {
    using folder = temporaryFolder()
    const old = aged(folder, 1, 31)
    const young = aged(folder, 2, 20)
    const open = aged(folder, 3, 90)
    const lock = takeLock(`${open}.lock`, pid)
    writeFileSync(folder.join("projects/-w1/notes.txt"), "mine")
    const clean = (days: number, at = now) =>
      removeOldSessions({ projects: folder.join("projects"), mark: folder.join("cache/mark"), days, now: at, pid })
    expect(clean(0)).toEqual([])
    expect(clean(30)).toEqual([{ sessionId: id(1), logPath: old }])
    expect([old, young, open].map((path) => existsSync(path))).toEqual([false, true, true])
    expect(readdirSync(folder.join("projects/-w1"))).toEqual(["notes.txt"])
    if (lock.ok) lock.value()
    // Not again today.
    expect(clean(30, now + dayMs / 2)).toEqual([])
    expect(clean(30, now + dayMs)).toEqual([{ sessionId: id(3), logPath: open }])
    expect(readdirSync(folder.join("projects")).toSorted()).toEqual(["-w1", "-w2"])
    // A mark from the future does not stop it for ever.
    expect(clean(1, now - dayMs)).toEqual([{ sessionId: id(2), logPath: young }])
  })
})

describe("asking the owner to stop", () => {
  const lockFile = resolve(import.meta.dir, "../../../../src/ground/transcript/lock.ts")

  /** A process that holds the lock and lets go when it is told to. */
  async function holder(path: string, onTerm: string) {
    const code = `
      const { takeLock } = await import(${JSON.stringify(lockFile)})
      const lock = takeLock(${JSON.stringify(path)}, process.pid)
      process.on("SIGTERM", () => { ${onTerm} })
      console.log(lock.ok)
      setInterval(() => {}, 1000)`
    const child = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe" })
    expect(new TextDecoder().decode((await child.stdout.getReader().read()).value)).toBe("true\n")
    return child
  }
  const ask = (path: string, signal = new AbortController().signal) =>
    askToStop(path, { pid, clock: systemClock, signal })

  test("waits until it has let go", async () => {
    using folder = temporaryFolder()
    const path = folder.join("s.lock")
    const child = await holder(path, "setTimeout(() => { lock.value(); process.exit(0) }, 150)")
    expect(holderOf(path, pid)?.pid).toBe(child.pid)
    expect(await ask(path)).toEqual({ ok: true, value: child.pid })
    expect(holderOf(path, pid)).toBeUndefined()
    expect(takeLock(path, pid).ok).toBe(true)
  })

  test("gives up, without force, when it is told to", async () => {
    using folder = temporaryFolder()
    const path = folder.join("s.lock")
    const child = await holder(path, "")
    const impatient = new AbortController()
    const asked = ask(path, impatient.signal)
    await Bun.sleep(60)
    impatient.abort()
    expect(await asked).toEqual({ ok: false, failure: { kind: "interrupted" } })
    expect(holderOf(path, pid)?.pid).toBe(child.pid)
    child.kill("SIGKILL")
    await child.exited
  })

  test("asks nobody where nobody has it, nor itself, nor a process with a dead one's pid", async () => {
    using folder = temporaryFolder()
    expect(await ask(folder.join("none.lock"))).toEqual({ ok: true, value: undefined })
    mkdirSync(folder.join("old.lock"))
    writeFileSync(folder.join(`old.lock/${process.ppid} 1`), "")
    expect(await ask(folder.join("old.lock"))).toEqual({ ok: true, value: undefined })
    takeLock(folder.join("mine.lock"), pid)
    expect(await ask(folder.join("mine.lock"))).toEqual({ ok: false, failure: { kind: "still_running", pid } })
  })
})
