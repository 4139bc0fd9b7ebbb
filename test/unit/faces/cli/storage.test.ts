/** What the state folder takes, what a clean-up would remove of it, and that it removes just that. */

import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { cleanStorage } from "#faces/cli/sessions/clean-storage.ts"
import { type StorageLimits, storagePlan } from "#faces/cli/sessions/storage-plan.ts"
import { bytesOf, type SessionUse, storageKinds, type StorageUse, storageUse } from "#faces/cli/sessions/storage-use.ts"
import { takeLock } from "#ground/transcript/lock.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { entriesOf, saidBy, writeLog } from "../../../kit/write-log.ts"

const pid = process.pid
const dayMs = 24 * 60 * 60 * 1000
const now = Date.now()
const id = (n: number): string => `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`
const limits = (more: Partial<StorageLimits> = {}): StorageLimits => ({ days: 30, totalBytes: 0, now, ...more })

function openState() {
  const folder = temporaryFolder()
  const logOf = (n: number): string => folder.join(`projects/-w/${id(n)}.jsonl`)
  const age = (path: string, days: number): string => {
    utimesSync(path, (now - days * dayMs) / 1000, (now - days * dayMs) / 1000)
    return path
  }
  const file = (path: string, bytes: number, days = 0): string => {
    mkdirSync(dirname(folder.join(path)), { recursive: true })
    writeFileSync(folder.join(path), "x".repeat(bytes))
    return age(folder.join(path), days)
  }
  return {
    state: folder.path,
    file,
    logOf,
    session: (n: number, days: number, said = "hello"): string =>
      age(writeLog(logOf(n), entriesOf([saidBy(said)]), { sessionId: id(n) }), days),
    output: (n: number, bytes: number, inside = "tool-results"): string =>
      file(`projects/-w/${id(n)}/${inside}/bash-1.txt`, bytes),
    use: (snapshots: ReadonlyMap<string, ReadonlySet<string>> = new Map()) =>
      storageUse(folder.path, snapshots, { pid }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

describe("what is used", () => {
  test("each file counts once, for its kind and for its session", () => {
    using t = openState()
    t.session(1, 0)
    t.session(2, 0)
    t.output(1, 1000)
    t.output(1, 500, "subagents/agent-00000000/results")
    t.file(`projects/-w/${id(1)}/subagents/agent-00000000.jsonl`, 70)
    t.file("projects/-w/memory/notes.md", 11)
    t.file("file-history/-w/a.snap", 300)
    t.file("file-history/-w/b.snap", 40)
    t.file("cache/sessions.sqlite", 20)
    t.file("logs/debug.jsonl", 5)
    t.file("settings.json", 2)
    const use = t.use(
      new Map([
        [id(1), new Set(["a", "b"])],
        [id(2), new Set(["b"])],
      ]),
    )
    const log = Bun.file(t.logOf(1)).size
    expect(use.sessions.map(({ id: of, log: l, outputs, snapshots }) => [of, l, outputs, snapshots])).toEqual([
      [id(1), log + 70, 1500, 300],
      [id(2), log, 0, 0],
    ])
    expect(Object.fromEntries(use.kinds.map(({ kind, bytes }) => [kind, bytes]))).toEqual({
      conversations: 2 * log + 70,
      outputs: 1500,
      snapshots: 340,
      caches: 20,
      logs: 5,
      other: 13,
    })
    expect(use.total).toBe(2 * log + 70 + 1500 + 340 + 20 + 5 + 13)
  })
})

describe("the clean-up", () => {
  test("removes by age what nobody needs, and nothing of schedules, named plans and open sessions", async () => {
    using t = openState()
    const lock = takeLock(`${t.session(1, 0)}.lock`, pid)
    t.session(2, 1, `see ${join(t.state, "plans/used.md")}`)
    const kept = [
      t.file("background/nightly.schedule", 10, 90),
      t.file("plans/used.md", 10, 90),
      t.file("logs/fresh.jsonl", 10, 1),
      t.file(`session-env/${id(1)}/hooks.sh`, 10, 90),
    ]
    const gone = [
      t.file("plans/forgotten.md", 10, 90),
      t.file("logs/old.jsonl", 10, 90),
      t.file("telemetry/old.jsonl", 10, 90),
      t.file("background/old.json", 10, 90),
      t.file(`session-env/${id(9)}/hooks.sh`, 10, 90),
      t.file("workflows/wf-1/run.json", 10, 90),
      t.file(`projects/-w/${id(8)}/tool-results/left.txt`, 10, 90),
    ]
    expect(storagePlan(t.use(), limits()).bytes).toBe(70)
    await cleanStorage(t.state, limits())
    expect(kept.filter((path) => !existsSync(path))).toEqual([])
    expect(gone.filter(existsSync)).toEqual([])
    expect(existsSync(join(t.state, "session-env", id(9)))).toBe(false)
    expect(storagePlan(t.use(), limits()).bytes).toBe(0)
    if (lock.ok) lock.value()
  })

  test("removes by size the outputs of the oldest that are not open, until it is enough, and never a conversation", async () => {
    using t = openState()
    for (const n of [1, 2, 3, 4]) t.session(n, 10 - n)
    const outputs = [1, 2, 3, 4].map((n) => t.output(n, 100_000))
    const lock = takeLock(`${t.logOf(1)}.lock`, pid)
    const most = limits({ totalBytes: 250_000 })
    expect(storagePlan(t.use(), most).outputs.map((session) => session.id)).toEqual([id(2), id(3)])
    await cleanStorage(t.state, most)
    expect(outputs.map(existsSync)).toEqual([true, false, false, true])
    expect([1, 2, 3, 4].every((n) => existsSync(t.logOf(n)))).toBe(true)
    await cleanStorage(t.state, limits({ totalBytes: 1 }))
    expect(outputs.map(existsSync)).toEqual([true, false, false, false])
    expect(storagePlan(t.use(), limits({ totalBytes: 1 })).over).toBeGreaterThan(100_000)
    if (lock.ok) lock.value()
  })

  test("whatever there is, no more is planned than is needed, and nothing of an open session", () => {
    const session = fc.record({
      changed: fc.integer({ min: now - 60 * dayMs, max: now }),
      isOpen: fc.boolean(),
      hasLog: fc.constant(true),
      log: fc.nat(1000),
      outputs: fc.nat(1000),
      snapshots: fc.nat(1000),
    })
    fc.assert(
      fc.property(fc.array(session, { maxLength: 12 }), fc.nat(8000), (some, totalBytes) => {
        const sessions = some.map((one, n): SessionUse => ({ ...one, id: id(n), logPath: `/${id(n)}.jsonl` }))
        const total = sessions.reduce((sum, one) => sum + bytesOf(one), 0)
        const use: StorageUse = {
          total,
          kinds: [{ kind: "conversations", bytes: total, files: 1 }],
          sessions,
          namedPlans: new Set(),
          files: Object.fromEntries(storageKinds.map((kind) => [kind, []])) as unknown as StorageUse["files"],
        }
        const plan = storagePlan(use, limits({ totalBytes }))
        const touched = [...plan.sessions, ...plan.outputs, ...plan.snapshots]
        expect(touched.some(({ isOpen }) => isOpen)).toBe(false)
        const left = total - plan.bytes
        if (totalBytes > 0) expect(left <= totalBytes || plan.over === left - totalBytes).toBe(true)
        if (totalBytes === 0) expect(plan.outputs.length + plan.snapshots.length).toBe(0)
        const last = plan.snapshots.at(-1)?.snapshots ?? plan.outputs.at(-1)?.outputs ?? 0
        if (last > 0) expect(left + last).toBeGreaterThan(totalBytes)
      }),
      { numRuns: 200 },
    )
  })
})
