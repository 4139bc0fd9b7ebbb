import { describe, expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import { reads, runs, writes } from "#agent/words/footprint.ts"
import type { Call } from "#agent/words/middleware.ts"
import { answered } from "#agent/words/tool.ts"
import type { LogFailure } from "#ground/transcript/log.ts"
import { deferred } from "#lib/deferred.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { recordIntent } from "#session/adapters/intent.ts"

function open(footprint = writes("/a"), isSealed = false, more: object = {}) {
  const happened: string[] = []
  const synced = deferred<Result<void, LogFailure>>()
  const turn = new AbortController()
  const layer = recordIntent({
    record: (body: EntryBody) => void happened.push(body.kind === "intent" ? told(body) : body.kind),
    isSealed: () => isSealed,
    fingerprint: (path) => `before of ${path}`,
    sync: () => {
      happened.push("sync")
      return synced.promise
    },
  })
  const tool = { name: "Act", title: () => "Act a", ...more }
  const call = { callId: "c", tool, parsed: {}, footprint, signal: turn.signal } as unknown as Call
  const outcome = layer(call, async ({ recorded }) => {
    if (recorded) happened.push("prepare")
    const instead = await recorded
    if (instead) return instead
    happened.push("act")
    return answered("done")
  })
  return { happened, synced, turn, outcome }
}

const told = ({ title, files }: EntryBody & { kind: "intent" }): string =>
  [`intent ${title}`, ...files.map(({ before }) => before)].join(", ")

describe("intent before act", () => {
  test("the act waits until its intent is on the disk", async () => {
    const acts = [
      { footprint: writes("/a"), intent: "intent Act a, before of /a" },
      { footprint: runs("make"), intent: "intent Act a" },
    ]
    for (const { footprint, intent } of acts) {
      const { happened, synced, outcome } = open(footprint)
      await Bun.sleep(1)
      expect(happened).toEqual([intent, "sync"])
      synced.resolve(ok(undefined))
      expect(await outcome).toEqual(answered("done"))
      expect(happened).toEqual([intent, "sync", "act"])
    }
  })

  test("where nothing is recorded any more, nothing is done: a resume would do it a second time", async () => {
    const { happened, outcome } = open(writes("/a"), true)
    expect(await outcome).toMatchObject({ isError: true, interrupted: "before" })
    expect(happened).toEqual([])
  })

  test("an intent that cannot be put on the disk is not carried out", async () => {
    const { happened, synced, outcome } = open()
    synced.resolve(failed({ kind: "unwritable", path: "/log", message: "the disk is full" }))
    expect(await outcome).toEqual({
      content: "Not run: the session's log cannot be written (the disk is full).",
      isError: true,
    })
    expect(happened).toEqual(["intent Act a, before of /a", "sync"])
  })

  test("nor is one that was interrupted meanwhile", async () => {
    const { happened, synced, outcome, turn } = open()
    turn.abort()
    synced.resolve(ok(undefined))
    expect(await outcome).toMatchObject({ isError: true })
    expect(happened).not.toContain("act")
  })

  test("a tool that prepares is told when it is on the disk, or what hinders it", async () => {
    const good = open(runs("make"), false, { prepares: true })
    await Bun.sleep(1)
    expect(good.happened).toEqual(["intent Act a", "sync", "prepare"])
    good.synced.resolve(ok(undefined))
    expect(await good.outcome).toEqual(answered("done"))
    expect(good.happened).toEqual(["intent Act a", "sync", "prepare", "act"])
    for (const hinder of ["full", "interrupted"]) {
      const bad = open(runs("make"), false, { prepares: true })
      if (hinder === "interrupted") bad.turn.abort()
      bad.synced.resolve(
        hinder === "full" ? failed({ kind: "unwritable", path: "/log", message: "the disk is full" }) : ok(undefined),
      )
      expect(await bad.outcome).toMatchObject({ isError: true })
      expect(bad.happened).toEqual(["intent Act a", "sync", "prepare"])
    }
  })

  test("what only reads does not wait for the disk", async () => {
    const { happened, outcome } = open(reads("/a"))
    expect(await outcome).toEqual(answered("done"))
    expect(happened).toEqual(["act"])
  })
})
