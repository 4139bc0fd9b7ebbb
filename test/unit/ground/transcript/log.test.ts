import { describe, expect, test } from "bun:test"
import { dlopen } from "bun:ffi"
import { appendFileSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import { decodeEntry, encodeEntry, type Origin } from "#ground/transcript/line.ts"
import { entryKinds } from "#ground/transcript/entry-kinds.ts"
import { unsealed } from "#ground/transcript/seal.ts"
import { loadLog } from "#ground/transcript/load.ts"
import { openLog } from "#ground/transcript/log.ts"
import { openSessionLogs } from "#ground/transcript/session-logs.ts"
import { takeLock } from "#ground/transcript/lock.ts"
import { everyKind } from "../../../kit/every-kind.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const origin: Origin = { sessionId: "s", cwd: "/w", version: "0", gitBranch: "main", entrypoint: "cli" }
/** Of every kind one, and some in another of their shapes. */
const bodies: readonly EntryBody[] = [
  { kind: "prompt", content: [{ type: "text", text: "hé\n\u2028" }], promptId: "p1" },
  {
    kind: "prompt",
    content: [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
    promptId: "p2",
  },
  { kind: "queued", content: [{ type: "text", text: "q" }], promptId: "p3", when: "steer" },
  { kind: "attachment", name: "note", text: "n" },
  {
    kind: "reply",
    messageId: "m",
    model: "x",
    block: { type: "tool_use", id: "c", name: "Read", input: { a: 1 } },
    usage: noUsage,
  },
  { kind: "result", callId: "c", tool: "Read", content: "text", isError: true, durationMs: 2 },
  { kind: "result", callId: "d", tool: "Bash", content: "", isError: false, durationMs: 2 },
  ...Object.values(everyKind),
]
const entries = bodies.map((body, i): Entry => ({
  ...body,
  uuid: `u${i}`,
  parentUuid: i === 0 ? null : `u${i - 1}`,
  at: 1_700_000_000_000 + i,
}))

function written(path: string): void {
  const log = openLog(path, { sessionId: "s", version: "0", cwd: "/w", isNew: true })
  if (!log.ok) throw new Error(log.failure.message)
  for (const entry of entries) expect(log.value.append(entry, origin).ok).toBe(true)
  log.value.close()
}

/** The part of a write that fits is written. */
function withLargestFile<T>(bytes: number, work: () => T): T {
  const libc = dlopen("libc.so.6", { setrlimit: { args: ["i32", "ptr"], returns: "i32" } })
  const fileSize = 1
  const unlimited = 2n ** 64n - 1n
  const set = (soft: bigint): number => libc.symbols.setrlimit(fileSize, new BigUint64Array([soft, unlimited]))
  // Without a listener it would end the process.
  const ignored = (): void => undefined
  process.on("SIGXFSZ", ignored)
  try {
    if (set(BigInt(bytes)) !== 0) throw new Error("the size of files cannot be limited here")
    return work()
  } finally {
    set(unlimited)
    process.off("SIGXFSZ", ignored)
  }
}

describe("the log", () => {
  test("every kind of entry comes back as it went in", () => {
    using folder = temporaryFolder()
    written(folder.join("a/b.jsonl"))
    const loaded = loadLog(folder.join("a/b.jsonl"))
    expect(loaded).toEqual({ ok: true, value: { entries, notes: [] } })
    expect(statSync(folder.join("a/b.jsonl")).mode & 0o777).toBe(0o600)
  })

  test("no kind is left out of what is tried here", () => {
    expect(Object.keys(everyKind).sort()).toEqual([...entryKinds].sort())
    for (const [kind, body] of Object.entries(everyKind)) expect(body.kind).toBe(kind as EntryBody["kind"])
  })

  test("cut at any byte, what was whole before the cut is there, and the rest is appended cleanly", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.jsonl")
    written(path)
    const bytes = readFileSync(path)
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (cut) => {
        writeFileSync(path, bytes.subarray(0, cut))
        // A line without its newline is whole.
        const lacksNewline = bytes[cut] === 0x0a
        const whole = bytes.subarray(0, cut).toString("utf8").split("\n").length - 2 + (lacksNewline ? 1 : 0)
        const loaded = loadLog(path)
        expect(loaded.ok && loaded.value.entries).toEqual(entries.slice(0, Math.max(0, whole)))
        const torn = cut > 0 && bytes[cut - 1] !== 0x0a && !lacksNewline
        expect(loaded.ok && loaded.value.notes.length).toBe(torn ? 1 : 0)
        const again = openLog(path, { sessionId: "s", version: "0", cwd: "/w", isNew: false })
        if (again.ok) again.value.append(entries[0] as Entry, origin)
        if (again.ok) again.value.close()
        const lines = readFileSync(path, "utf8").split("\n").slice(0, -1)
        expect(lines.every((line) => unsealed(line) !== undefined)).toBe(true)
        expect(lines).toHaveLength(Math.max(0, whole + 1) + 1)
      }),
      { numRuns: 150 },
    )
  })

  test("a damaged line in the middle is skipped, reported, and the gap is named", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.jsonl")
    written(path)
    const lines = readFileSync(path, "utf8").split("\n")
    lines[3] = (lines[3] as string).replace("steer", "stear")
    writeFileSync(path, lines.join("\n"))
    const loaded = loadLog(path)
    expect(loaded.ok && loaded.value.entries).toEqual(entries.filter((_, i) => i !== 2))
    expect(loaded.ok && loaded.value.notes).toEqual([
      "Line 4 of the session is damaged and was skipped.",
      "Entries are missing before line 5 of the session. The conversation continues after them.",
    ])
  })

  test("lines of other programs and of another format are left alone", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.jsonl")
    written(path)
    appendFileSync(path, '{"type":"queue-operation","operation":"x"}\n')
    expect(loadLog(path)).toMatchObject({ ok: true, value: { notes: [] } })
    writeFileSync(path, '{"type":"header","format":99}\n')
    expect(loadLog(path)).toEqual({ ok: false, failure: { kind: "newer", path, format: 99 } })
  })

  test("a folder that cannot be written is a failure with a reason", () => {
    using folder = temporaryFolder()
    writeFileSync(folder.join("file"), "")
    const log = openLog(folder.join("file/x.jsonl"), { sessionId: "s", version: "0", cwd: "/w", isNew: true })
    expect(log).toMatchObject({ ok: false, failure: { kind: "unwritable" } })
  })

  test("a new log is never written over one that is there", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.jsonl")
    written(path)
    const before = readFileSync(path)
    const log = openLog(path, { sessionId: "other", version: "0", cwd: "/", isNew: true })
    expect(log).toMatchObject({
      ok: false,
      failure: { kind: "unwritable", path, message: "a session with this id exists already" },
    })
    expect(readFileSync(path)).toEqual(before)
  })

  test("a disk without space is a failure with a reason", () => {
    const log = openLog("/dev/full", { sessionId: "s", version: "0", cwd: "/w", isNew: false })
    if (!log.ok) throw new Error("expected /dev/full to open")
    const appended = log.value.append(entries[0] as Entry, origin)
    expect(appended).toMatchObject({ ok: false, failure: { message: "there is no space left on the disk" } })
    log.value.close()
  })

  test("of a line that fits only in part nothing is left, and the next one is whole", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.jsonl")
    const log = openLog(path, { sessionId: "s", version: "0", cwd: "/w", isNew: true })
    if (!log.ok) throw new Error(log.failure.message)
    const [first, second] = entries as [Entry, Entry]
    log.value.append(first, origin)
    const before = readFileSync(path)
    const appended = withLargestFile(before.length + 100, () => log.value.append(second, origin))
    expect(appended).toMatchObject({ ok: false, failure: { kind: "unwritable" } })
    expect(readFileSync(path)).toEqual(before)
    expect(log.value.append(second, origin).ok).toBe(true)
    expect(loadLog(path)).toEqual({ ok: true, value: { entries: [first, second], notes: [] } })
    log.value.close()
  })

  test("arbitrary JSON never breaks the decoder", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("type", "message", "uuid", "timestamp", "subtype", "codewright", "attachment"),
          fc.jsonValue(),
        ),
        (line) => {
          decodeEntry(line as never)
        },
      ),
      { numRuns: 500 },
    )
  })

  test("clients of the ecosystem find their fields", () => {
    const line = JSON.parse(encodeEntry(entries[4] as Entry, origin))
    expect(line).toMatchObject({
      type: "assistant",
      uuid: "u4",
      parentUuid: "u3",
      sessionId: "s",
      cwd: "/w",
      version: "0",
      gitBranch: "main",
      isSidechain: false,
      userType: "external",
      entrypoint: "cli",
      timestamp: "2023-11-14T22:13:20.004Z",
      message: { role: "assistant", id: "m", content: [{ type: "tool_use" }] },
    })
  })
})

test("the shelf finds the newest session of a folder and any session by id", () => {
  using folder = temporaryFolder()
  const id = (n: number): string => `0000000${n}-0000-4000-8000-000000000000`
  const here = openSessionLogs({ projects: folder.path, slug: "-w" })
  const there = openSessionLogs({ projects: folder.path, slug: "-x" })
  expect(here.newest("/w")).toBeUndefined()
  written(here.logPath(id(1)))
  written(there.logPath(id(2)))
  expect(here.newest("/w")).toBe(id(1))
  expect(here.newest("-w")).toBeUndefined()
  expect(here.find(id(2))).toBe(there.logPath(id(2)))
  expect(here.find(id(3))).toBeUndefined()
  expect(here.find("../../etc/passwd")).toBeUndefined()
})

test("a lock is held by one living process, and taken over from a dead one", () => {
  using folder = temporaryFolder()
  const path = folder.join("s.lock")
  writeFileSync(path, String(process.ppid))
  expect(takeLock(path, process.pid)).toEqual({ ok: false, failure: { kind: "held", pid: process.ppid } })
  writeFileSync(path, "4194304")
  const taken = takeLock(path, process.pid)
  expect(taken.ok).toBe(true)
  expect(readdirSync(path)).toEqual([expect.stringMatching(new RegExp(`^${process.pid} \\d+$`))])
  if (taken.ok) taken.value()
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
})

test("in an agent's log messages are joined for clients, also after it is opened again; our own parents stay", () => {
  using folder = temporaryFolder()
  const path = folder.join("agent-1.jsonl")
  const half = Math.floor(entries.length / 2)
  for (const [part, isNew] of [
    [entries.slice(0, half), true],
    [entries.slice(half), false],
  ] as const) {
    const log = openLog(path, { sessionId: "s", version: "0", cwd: "/w", isNew })
    if (!log.ok) throw new Error(log.failure.message)
    for (const entry of part) log.value.append(entry, { ...origin, agentId: "1" })
    log.value.close()
  }
  const loaded = loadLog(path)
  if (!loaded.ok) throw new Error("It cannot be loaded.")
  expect(loaded.value.entries.map(({ parentUuid }) => parentUuid)).toEqual(entries.map(({ parentUuid }) => parentUuid))
  const messages = readFileSync(path, "utf8")
    .split("\n")
    .map((line) => unsealedAs(line))
    .filter(({ type }) => type === "user" || type === "assistant")
  expect(messages.slice(1).map(({ parentUuid }) => parentUuid)).toEqual(messages.slice(0, -1).map(({ uuid }) => uuid))
})

const unsealedAs = (line: string): { type?: unknown; uuid?: unknown; parentUuid?: unknown } => unsealed(line) ?? {}
