/** The index of a log: what it knows comes to the same as reading everything, whatever the log went through. */

import { describe, expect, test } from "bun:test"
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { fetchEntries, fetchNow } from "#ground/transcript/fetch.ts"
import { scanLine } from "#ground/transcript/scan-line.ts"
import { encodeEntry, type Origin } from "#ground/transcript/line.ts"
import { sealed } from "#ground/transcript/seal.ts"
import { loadLog } from "#ground/transcript/load.ts"
import { openLog } from "#ground/transcript/log.ts"
import { openIndex } from "#ground/transcript/log-index.ts"
import { type Branch, branches, branchesIn, pathOf } from "#ground/transcript/path.ts"
import { walkTo } from "#ground/transcript/tree.ts"
import { everyKind } from "../../../kit/every-kind.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { answered, called, entriesOf, paid, saidBy, writeLog } from "../../../kit/write-log.ts"

const origin: Origin = { sessionId: "s", cwd: "/w", version: "0", gitBranch: "main", entrypoint: "cli" }

const result = (callId: string, content: string): EntryBody => ({
  kind: "result",
  callId,
  tool: "Read",
  content,
  isError: false,
  durationMs: 1,
})

/** Words that look like fields of a line. */
const tricky = '"type":"system","subtype":"head","uuid":"x","timestamp":"y","sum":"00000000"}'

const worked = entriesOf([
  saidBy("one"),
  answered("a"),
  called("c1", "Read", { file_path: tricky }),
  result("c1", `${tricky}\n${"é".repeat(3000)}`),
  paid(1),
  saidBy("two"),
  answered(tricky),
  { kind: "head", to: "u4", why: "rewind" },
  saidBy("three"),
  answered("c"),
  { kind: "notice", level: "info", text: tricky },
])

/** Everything that can be asked of an index, by reading entries through it. */
async function seen(path: string) {
  const rows = await openIndex(path, { isNew: false }).whole()
  const all = Array.from({ length: rows.count() }, (_, place) => place)
  const entries = await fetchEntries(path, rows, all)
  const byPlace = new Map(entries.map((entry) => [rows.placeOf(entry.uuid), entry]))
  return {
    entries: entries.map(unlinked),
    path: (await fetchEntries(path, rows, walkTo(rows, rows.tip()))).map(({ uuid }) => uuid),
    branches: branchesIn(rows, (place) => byPlace.get(place)).map(withoutLink),
  }
}

function read(path: string) {
  const loaded = loadLog(path, { torn: "leave" })
  if (!loaded.ok) throw new Error(loaded.failure.kind)
  const { entries } = loaded.value
  return {
    entries: entries.map(unlinked),
    path: pathOf(entries).map(({ uuid }) => uuid),
    branches: branches(entries).map(withoutLink),
  }
}

/** What an entry follows is compared as the path; over a line that is no entry, reading everything joins its neighbours. */
const unlinked = ({ parentUuid: _, ...entry }: Entry) => entry

const withoutLink = ({ prompt, ...branch }: Branch) => ({ ...branch, prompt: prompt && unlinked(prompt) })

describe("an index", () => {
  test("knows entries, path and branches as who reads everything does", async () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.join("s.jsonl"), worked)
    expect(await seen(path)).toEqual(read(path) as never)
    expect((await seen(path)).path).toEqual(["u0", "u1", "u2", "u3", "u4", "u8", "u9", "u10"])
  })

  test("sees each kind in a line without parsing it, and no damage as whole", () => {
    for (const entry of [...worked, ...entriesOf(Object.values(everyKind))]) {
      const line = Buffer.from(encodeEntry(entry, origin))
      const glance = scanLine(line)
      expect(glance).toEqual({
        uuid: entry.uuid,
        parentUuid: entry.parentUuid,
        kind: entry.kind,
        ...(entry.kind === "head" && { to: entry.to }),
      })
      const at = line.indexOf("cli")
      line[at] = (line[at] ?? 0) ^ 1
      expect(scanLine(line)).toBeUndefined()
    }
    expect(scanLine(Buffer.from(sealed({ type: "header", format: 1 })))).toBe("other")
    const later = encodeEntry(worked[0] as Entry, origin, { forkedFrom: { sessionId: "o", messageUuid: "m" } })
    expect(scanLine(Buffer.from(later))).toEqual({ uuid: "u0", parentUuid: null, kind: "prompt" })
  })

  test("grows with what is appended, before and after it was made", async () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.join("s.jsonl"), worked.slice(0, 6))
    const log = openLog(path, { ...origin, isNew: false })
    if (!log.ok) throw new Error(log.failure.message)
    const { append, index } = log.value
    append(worked[6] as Entry, origin)
    expect(index.known().count()).toBe(1)
    const making = index.whole()
    append(worked[7] as Entry, origin)
    append(worked[8] as Entry, origin)
    // Those of the scan are others, and must have it all the same.
    expect(index.known().count()).toBe(3)
    const rows = await making
    expect(rows.count()).toBe(9)
    append(worked[9] as Entry, origin)
    expect(index.known().count()).toBe(10)
    const path9 = walkTo(rows, rows.tip())
    expect(fetchNow(path, rows, path9).map(({ uuid }) => uuid)).toEqual(["u0", "u1", "u2", "u3", "u4", "u8", "u9"])
    expect(index.known()).toBe(rows)
    log.value.close()
  })

  test("of a new log needs no reading", async () => {
    using folder = temporaryFolder()
    const path = folder.join("s.jsonl")
    const log = openLog(path, { ...origin, isNew: true })
    if (!log.ok) throw new Error(log.failure.message)
    for (const entry of worked) log.value.append(entry, origin)
    const rows = log.value.index.known()
    expect(await log.value.index.whole()).toBe(rows)
    expect(fetchNow(path, rows, [3, 0, 9])).toEqual([3, 0, 9].map((place) => worked[place] as Entry))
    log.value.close()
  })

  test("a log that is gone is a rejection, and can be asked for again", async () => {
    using folder = temporaryFolder()
    const path = folder.join("s.jsonl")
    const index = openIndex(path, { isNew: false })
    await expect(index.whole()).rejects.toThrow()
    expect(() => index.wholeNow()).toThrow()
    writeLog(path, worked)
    expect((await index.whole()).count()).toBe(worked.length)
  })

  test.each(["u6", "u10"])("line %s that lost its checksum and its time is a link, not an entry", async (uuid) => {
    using folder = temporaryFolder()
    const path = writeLog(folder.join("s.jsonl"), worked)
    const lost = new RegExp(`("uuid":"${uuid}"),"timestamp":"[^"]*","sum":"[^"]*"`)
    writeFileSync(path, readFileSync(path, "utf8").replace(lost, "$1"))
    expect(await seen(path)).toEqual(read(path) as never)
    expect((await seen(path)).entries.map((entry) => entry.uuid)).not.toContain(uuid)
  })

  test("whatever happens to the bytes, it comes to the same as reading everything", async () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.join("s.jsonl"), worked)
    const bytes = readFileSync(path)
    const change = fc.oneof(
      fc.record({ at: fc.nat(bytes.length - 1), byte: fc.constantFrom(0x0a, 0x00, 0x7b, 0x22, 0x41) }),
      fc.record({ at: fc.nat(bytes.length - 1), gone: fc.integer({ min: 1, max: 900 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        let damaged = Buffer.from(bytes)
        for (const one of changes)
          if ("gone" in one) damaged = Buffer.concat([damaged.subarray(0, one.at), damaged.subarray(one.at + one.gone)])
          else if (one.at < damaged.length) damaged[one.at] = one.byte
        writeFileSync(path, damaged)
        expect(await seen(path)).toEqual(read(path) as never)
      }),
      { numRuns: 300 },
    )
  })

  test("lines longer than what is read at once, carriage returns and copies", async () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.join("s.jsonl"), worked)
    const large = entriesOf([result("c9", "é".repeat(1_200_000)), saidBy("after")]).map((entry, n): Entry => ({
      ...entry,
      uuid: `l${n}`,
      parentUuid: n === 0 ? "u10" : "l0",
    }))
    for (const entry of large) appendFileSync(path, `${encodeEntry(entry, origin)}\n`)
    appendFileSync(path, `${encodeEntry(worked[2] as Entry, origin)}\n`)
    expect(await seen(path)).toEqual(read(path) as never)
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("\n", "\r\n"))
    expect(await seen(path)).toEqual(read(path) as never)
    expect(statSync(path).size).toBeGreaterThan(2_000_000)
  })
})
