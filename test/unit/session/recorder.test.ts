import { describe, expect, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import type { Log, LogFailure } from "#ground/transcript/log.ts"
import { systemClock } from "#lib/clock.ts"
import { seededIds } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openRecorder } from "#session/journal/recorder.ts"
import { openFeed } from "#session/journal/feed.ts"

const full: LogFailure = { kind: "unwritable", path: "/log", message: "full" }

function open(
  options: { failsFrom?: number; failsUntil?: number; failsSync?: boolean; why?: LogFailure; waits?: boolean } = {},
) {
  const happened: string[] = []
  const written: Entry[] = []
  let appended = 0
  const write = (): Result<void, LogFailure> => {
    appended++
    const { failsFrom = Infinity, failsUntil = Infinity } = options
    return appended >= failsFrom && appended < failsUntil ? failed(options.why ?? full) : ok(undefined)
  }
  const log: Pick<Log, "append" | "sync"> = {
    append(entry) {
      happened.push(`written ${entry.kind}`)
      written.push(entry)
      return write()
    },
    sync: async () => (options.failsSync ? failed(full) : ok(undefined)),
  }
  const feed = openFeed()
  const recorder = openRecorder({
    log,
    origin: () => ({ sessionId: "s", cwd: "/", version: "0", gitBranch: "", entrypoint: "test" }),
    feed: { ...feed, publishEntry: (entry) => void happened.push(`told ${entry.kind}`) },
    clock: systemClock,
    ids: seededIds(1),
    fold: (entry) => void happened.push(`folded ${entry.kind}`),
    onFailure: ({ message }) => void happened.push(`failed: ${message}`),
  })
  if (!options.waits) recorder.begin()
  return { recorder, happened, written }
}

describe("the recorder", () => {
  test("writes, then folds, then tells", () => {
    const { recorder, happened } = open()
    recorder.record({ kind: "turn_start", turnId: "t" })
    expect(happened).toEqual(["written turn_start", "folded turn_start", "told turn_start"])
  })

  test("what was in the log already is folded and told, not written again", () => {
    const { recorder, happened } = open()
    recorder.replay({ kind: "turn_start", turnId: "t", uuid: "u", parentUuid: null, at: 0 })
    expect(happened).toEqual(["folded turn_start", "told turn_start"])
  })

  test("each entry names the one before it, across a resume too", () => {
    const { recorder } = open()
    recorder.replay({ kind: "turn_start", turnId: "t", uuid: "before", parentUuid: null, at: 0 })
    const first: Entry = recorder.record({ kind: "mode", mode: "plan" })
    const second = recorder.record({ kind: "mode", mode: "default" })
    expect(first.parentUuid).toBe("before")
    expect(second.parentUuid).toBe(first.uuid)
  })

  test("after a failure nothing more is written, but what happened is still told", async () => {
    const { recorder, happened } = open({ failsFrom: 2 })
    recorder.record({ kind: "turn_start", turnId: "t" })
    expect(recorder.failure()).toBeUndefined()
    recorder.record({ kind: "mode", mode: "plan" })
    recorder.record({ kind: "cwd", path: "/" })
    expect(happened.slice(3)).toEqual([
      "written mode",
      "failed: full",
      "folded mode",
      "told mode",
      "folded cwd",
      "told cwd",
    ])
    expect(recorder.failure()).toEqual(full)
    expect(await recorder.sync()).toEqual({ ok: false, failure: full })
  })

  test("what could not be written is written in its order before anything else, once it can be", () => {
    const { recorder, happened } = open({ failsFrom: 1, failsUntil: 4 })
    recorder.record({ kind: "turn_start", turnId: "t" })
    recorder.record({ kind: "mode", mode: "plan" })
    recorder.recover()
    recorder.recover()
    expect(recorder.failure()).toEqual(full)
    happened.length = 0
    recorder.recover()
    expect(recorder.failure()).toBeUndefined()
    recorder.record({ kind: "cwd", path: "/" })
    expect(happened).toEqual(["written turn_start", "written mode", "written cwd", "folded cwd", "told cwd"])
  })

  test("says why it cannot be written now, also when the reason is another one", () => {
    const options: { failsFrom: number; why?: LogFailure } = { failsFrom: 1 }
    const { recorder } = open(options)
    recorder.record({ kind: "turn_start", turnId: "t" })
    options.why = { ...full, message: "permission is denied" }
    recorder.recover()
    expect(recorder.failure()).toEqual(options.why)
  })

  test("what ends only because the session closes is told, and not written", () => {
    const { recorder, happened } = open()
    recorder.seal()
    recorder.record({ kind: "turn_end", turnId: "t", reason: "aborted" })
    expect(happened).toEqual(["folded turn_end", "told turn_end"])
  })

  test("what is recorded while the log is read comes after the log", () => {
    const { recorder, written } = open({ waits: true })
    recorder.record({ kind: "mode", mode: "plan" })
    recorder.replay({ kind: "turn_start", turnId: "t", uuid: "last", parentUuid: null, at: 0 })
    expect(written).toEqual([])
    recorder.begin()
    expect(written).toMatchObject([{ kind: "mode", parentUuid: "last" }])
  })

  test("after a head the conversation grows from where it points", () => {
    const { recorder } = open()
    recorder.record({ kind: "mode", mode: "plan" })
    recorder.record({ kind: "head", to: "earlier", why: "rewind" })
    expect(recorder.record({ kind: "mode", mode: "default" }).parentUuid).toBe("earlier")
  })

  test("a second failure is told like the first", () => {
    const options = { failsFrom: 1, failsUntil: 2 }
    const { recorder, happened } = open(options)
    recorder.record({ kind: "turn_start", turnId: "t" })
    recorder.recover()
    expect(recorder.failure()).toBeUndefined()
    options.failsUntil = Infinity
    recorder.record({ kind: "mode", mode: "plan" })
    expect(happened.filter((what) => what.startsWith("failed"))).toHaveLength(2)
  })

  test("a sync that fails is a failure like any other", async () => {
    const { recorder, happened } = open({ failsSync: true })
    expect(await recorder.sync()).toEqual({ ok: false, failure: full })
    expect(happened).toEqual(["failed: full"])
    recorder.record({ kind: "turn_start", turnId: "t" })
    expect(happened).not.toContain("written turn_start")
  })
})
