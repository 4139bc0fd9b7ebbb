/** The catalogue of sessions: a cache beside the logs that is always up to date and can always be made anew. */

import { describe, expect, test } from "bun:test"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join, resolve } from "node:path"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import { type Catalog, withCatalog } from "#ground/transcript/catalog.ts"
import { encodeEntry } from "#ground/transcript/line.ts"
import { sealed } from "#ground/transcript/seal.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const id = (n: number): string => `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`
const all = { limit: 50 }

function openPlace() {
  const folder = temporaryFolder()
  const projects = folder.join("projects")
  const file = folder.join("cache/sessions.sqlite")
  let count = 0
  const path = (n: number): string => join(projects, "-w", `${id(n)}.jsonl`)
  const lines = (bodies: readonly EntryBody[], n: number, fields: object = {}): string =>
    bodies
      .map((body) => {
        const entry: Entry = { ...body, uuid: `u${count++}`, parentUuid: null, at: Date.parse("2026-03-04T12:00:00Z") }
        const origin = { sessionId: id(n), cwd: "/w", version: "0", gitBranch: "topic", entrypoint: "cli" }
        return `${sealed({ ...JSON.parse(encodeEntry(entry, origin)), sum: undefined, ...fields })}\n`
      })
      .join("")
  return {
    folder,
    projects,
    file,
    path,
    lines,
    begin(n: number, bodies: readonly EntryBody[], { cwd = "/w", fields = {} } = {}): void {
      mkdirSync(join(projects, "-w"), { recursive: true })
      writeFileSync(path(n), `${sealed({ type: "header", format: 1, cwd })}\n${lines(bodies, n, fields)}`)
    },
    append: (n: number, bodies: readonly EntryBody[]): void => appendFileSync(path(n), lines(bodies, n)),
    ask: <T>(use: (catalog: Catalog) => Promise<T>): Promise<T> => withCatalog({ file, projects }, use),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const says = (text: string): EntryBody => ({ kind: "prompt", promptId: text, content: [{ type: "text", text }] })
const calls = (input: Record<string, string>): EntryBody => ({
  kind: "reply",
  messageId: "m",
  model: "x",
  usage: noUsage,
  block: { type: "tool_use", id: "c", name: "T", input },
})
const answers = (text: string): EntryBody => ({
  kind: "reply",
  messageId: "m",
  model: "x",
  usage: noUsage,
  block: { type: "text", text },
})
const ends = (costUsd: number, model = "x"): EntryBody => ({
  kind: "reply_end",
  messageId: "m",
  model,
  stopReason: "end_turn",
  usage: { ...noUsage, input_tokens: 10, output_tokens: 5 },
  costUsd,
  durationMs: 1,
})
const result = (content: string): EntryBody => ({
  kind: "result",
  callId: "c",
  tool: "T",
  content,
  isError: false,
  durationMs: 1,
})

describe("what it knows of a session", () => {
  test("title, first prompt, folder, branch, model, counts, cost and tokens", async () => {
    using place = openPlace()
    place.begin(1, [
      says("mend the parser"),
      ends(0.25),
      says("and now?"),
      ends(0.5, "y"),
      { kind: "title", text: "Parser", by: "person" },
    ])
    place.begin(2, [{ kind: "mode", mode: "plan" }])
    expect(await place.ask((catalog) => catalog.list(all))).toEqual([
      {
        id: id(1),
        path: place.path(1),
        cwd: "/w",
        title: "Parser",
        firstPrompt: "mend the parser",
        branch: "topic",
        model: "y",
        parent: undefined,
        created: Date.parse("2026-03-04T12:00:00Z"),
        changed: Math.round(statSync(place.path(1)).mtimeMs),
        messages: 4,
        prompts: 2,
        bytes: statSync(place.path(1)).size,
        costUsd: 0.75,
        tokens: 30,
      },
    ])
    const spent = await place.ask((catalog) => catalog.spent("2026-01-01"))
    expect(spent.map(({ day, model, costUsd, requests }) => [day, model, costUsd, requests])).toEqual([
      ["2026-03-04", "x", 0.25, 1],
      ["2026-03-04", "y", 0.5, 1],
    ])
    expect(await place.ask((catalog) => catalog.spent("2026-04-01"))).toEqual([])
  })

  test("of one folder or of all, newest first, so many at most", async () => {
    using place = openPlace()
    place.begin(1, [says("one")])
    place.begin(2, [says("two")], { cwd: "/other" })
    place.begin(3, [says("three")])
    const names = (scope: { cwd?: string; limit: number }) =>
      place.ask(async (catalog) => (await catalog.list(scope)).map(({ firstPrompt }) => firstPrompt).sort())
    expect(await names(all)).toEqual(["one", "three", "two"])
    expect(await names({ cwd: "/w", limit: 50 })).toEqual(["one", "three"])
    expect(await names({ cwd: "/w", limit: 1 })).toHaveLength(1)
  })

  test("by how its id begins", async () => {
    using place = openPlace()
    place.begin(1, [says("one")])
    place.begin(12, [says("two")])
    const named = (prefix: string) =>
      place.ask(async (catalog) => (await catalog.named(prefix)).map((row) => row.id).sort())
    expect(await named("000000")).toEqual([id(1), id(12)])
    expect(await named("00000001")).toEqual([id(1)])
    expect(await named(id(12))).toEqual([id(12)])
    expect(await named("0000' or 1=1")).toEqual([])
    expect(await named("")).toEqual([])
  })

  test("what a fork copied was paid for in the session it came from", async () => {
    using place = openPlace()
    place.begin(1, [says("one"), ends(1)], { fields: { forkedFrom: { sessionId: id(9), messageUuid: "u" } } })
    place.append(1, [ends(0.5)])
    expect(await place.ask((catalog) => catalog.list(all))).toMatchObject([{ costUsd: 0.5, messages: 3 }])
  })
})

describe("search", () => {
  test("finds prompts, answers, commands, paths and titles, by all words, as they begin", async () => {
    using place = openPlace()
    place.begin(1, [says("Mend the Überparser"), answers("It lacked a semicolon."), result("zebra")])
    place.begin(2, [says("hello"), calls({ command: "npm run build --verbose" })])
    place.begin(3, [says("hello"), calls({ file_path: "/w/src/lexer/token.ts" })])
    place.begin(4, [says("hello"), { kind: "title", text: "Quiet evening", by: "model" }])
    const found = (words: string) =>
      place.ask(async (catalog) =>
        (await catalog.search(words, all)).map((row) => `${row.id.slice(7, 8)} ${row.passage.kind}`).sort(),
      )
    expect(await found("uberpars")).toEqual(["1 prompt"])
    expect(await found("lacked semi")).toEqual(["1 answer"])
    expect(await found("lacked build")).toEqual([])
    expect(await found("npm build")).toEqual(["2 command"])
    expect(await found("src/lexer")).toEqual(["3 file"])
    expect(await found('"evening quiet"')).toEqual([])
    expect(await found('"quiet evening"')).toEqual(["4 title"])
    expect(await found("hello")).toEqual(["2 prompt", "3 prompt", "4 prompt"])
    // Results are not searched.
    expect(await found("zebra")).toEqual([])
    const [row] = await place.ask((catalog) => catalog.search("semicolon", all))
    expect(row?.passage.text).toBe("It lacked a \u0001semicolon\u0002.")
  })

  test("finds words inside sentences of scripts without spaces", async () => {
    using place = openPlace()
    place.begin(1, [says("解析器中的错误需要修复")])
    place.begin(2, [says("パーサーのエラーを直す")], { cwd: "/other" })
    const found = (words: string, cwd?: string) =>
      place.ask((catalog) => catalog.search(words, { limit: 9, ...(cwd !== undefined && { cwd }) }))
    expect(await found("错误")).toMatchObject([{ id: id(1), passage: { text: "解析器中的\u0001错误\u0002需要修复" } }])
    expect(await found("エラー 直す")).toMatchObject([{ id: id(2) }])
    expect(await found("エラー", "/w")).toEqual([])
    expect(await found("错误 エラー")).toEqual([])
  })

  test("takes whatever is typed for words", async () => {
    using place = openPlace()
    place.begin(1, [says("plain words")])
    for (const odd of [
      "",
      "   ",
      '"',
      '""',
      "*",
      "NEAR(",
      "a OR",
      'x" OR "plain',
      "-",
      "col:plain",
      "\0",
      "'; drop table",
    ])
      expect(await place.ask((catalog) => catalog.search(odd, all))).toEqual([])
    expect(await place.ask((catalog) => catalog.search('"plain', all))).toHaveLength(1)
  })
})

test("it knows which snapshots of files sessions may go back to", async () => {
  using place = openPlace()
  const snapshot = (snapshotId: string): EntryBody => ({ kind: "snapshot", snapshotId, when: "prompt", uncovered: [] })
  const files = { from: "c", to: "a", written: [], removed: [], kept: [] }
  place.begin(1, [snapshot("a"), snapshot("b"), { kind: "head", to: null, why: "rewind", files }])
  place.begin(2, [snapshot("z"), says("x")])
  const known = () =>
    place.ask(async (catalog) =>
      Object.fromEntries([...(await catalog.snapshots())].map(([of, ids]) => [of, [...ids].sort()])),
    )
  expect(await known()).toEqual({ [id(1)]: ["a", "b", "c"], [id(2)]: ["z"] })
  rmSync(place.path(2))
  expect(await known()).toEqual({ [id(1)]: ["a", "b", "c"] })
})

describe("bringing it up to date", () => {
  test("reads only what was appended, and forgets what is gone", async () => {
    using place = openPlace()
    place.begin(1, [says("first"), ends(1)])
    place.begin(2, [says("second")])
    await place.ask((catalog) => catalog.list(all))
    // Were the beginning read again, this would be noticed.
    writeFileSync(place.path(1), readFileSync(place.path(1), "utf8").replaceAll("first", "forst"))
    place.append(1, [says("later"), ends(2)])
    rmSync(place.path(2))
    const list = await place.ask((catalog) => catalog.list(all))
    expect(list).toMatchObject([{ id: id(1), firstPrompt: "first", messages: 4, costUsd: 3 }])
    expect(await place.ask((catalog) => catalog.search("second", all))).toEqual([])
  })

  test("a torn line is read once it is whole", async () => {
    using place = openPlace()
    place.begin(1, [says("first")])
    const line = place.lines([says("second")], 1)
    appendFileSync(place.path(1), line.slice(0, 40))
    expect(await place.ask((catalog) => catalog.list(all))).toMatchObject([{ prompts: 1 }])
    appendFileSync(place.path(1), line.slice(40))
    expect(await place.ask((catalog) => catalog.list(all))).toMatchObject([{ prompts: 2 }])
    expect(await place.ask((catalog) => catalog.list(all))).toMatchObject([{ prompts: 2 }])
  })

  test("a log that became shorter, or another, is read anew", async () => {
    using place = openPlace()
    place.begin(1, [says("first"), says("second"), ends(1)])
    await place.ask((catalog) => catalog.list(all))
    truncateSync(place.path(1), readFileSync(place.path(1)).lastIndexOf("\n", -2) + 1)
    expect(await place.ask((catalog) => catalog.list(all))).toMatchObject([{ prompts: 2, costUsd: 0 }])
    place.begin(1, [says("quite another and a longer one"), says("b"), says("c"), says("d")])
    expect(await place.ask((catalog) => catalog.list(all))).toMatchObject([{ prompts: 4 }])
    expect(await place.ask((catalog) => catalog.search("first", all))).toEqual([])
  })

  test("damaged lines and what is no log are passed over", async () => {
    using place = openPlace()
    place.begin(1, [says("first")])
    appendFileSync(place.path(1), 'garbage\n{"type":"user"}\n\0\0\0\n[]\n')
    place.append(1, [says("second")])
    writeFileSync(join(place.projects, "-w", "notes.jsonl"), "x")
    mkdirSync(join(place.projects, "-w", `${id(7)}.jsonl`))
    writeFileSync(join(place.projects, "a file"), "x")
    expect(await place.ask((catalog) => catalog.list(all))).toMatchObject([{ id: id(1), prompts: 2 }])
  })
})

describe("only what a question needs is read", () => {
  const rowsOf = async (place: ReturnType<typeof openPlace>) => {
    const { Database } = await import("bun:sqlite")
    using database = new Database(place.file)
    return database.query("select session, prompts, size, searchable from sessions order by session").all() as {
      session: string
      prompts: number
      size: number
      searchable: number
    }[]
  }

  test("a list of the newest reads those, of newer ones elsewhere the first line, and nothing is searchable yet", async () => {
    using place = openPlace()
    for (let n = 1; n <= 9; n++) {
      place.begin(n, [says(`prompt ${n}`)], { cwd: n % 3 === 0 ? "/other" : "/w" })
      utimesSync(place.path(n), n, n)
    }
    const list = await place.ask((catalog) => catalog.list({ cwd: "/w", limit: 2 }))
    expect(list.map(({ firstPrompt }) => firstPrompt)).toEqual(["prompt 8", "prompt 7"])
    const looked = (await rowsOf(place)).map(({ session, prompts, searchable }) => [session, prompts, searchable])
    expect(looked).toEqual([
      [id(7), 1, 0],
      [id(8), 1, 0],
      [id(9), 0, 0],
    ])
    expect(await place.ask((catalog) => catalog.list({ limit: 9 }))).toHaveLength(9)
    expect(await place.ask((catalog) => catalog.search("prompt", all))).toHaveLength(9)
    expect((await rowsOf(place)).every(({ size, searchable }) => size === searchable)).toBe(true)
  })

  test("sessions without a prompt do not shorten the list", async () => {
    using place = openPlace()
    for (let n = 1; n <= 6; n++) {
      place.begin(n, n <= 2 ? [says(`prompt ${n}`)] : [{ kind: "mode", mode: "plan" }])
      utimesSync(place.path(n), n, n)
    }
    const list = await place.ask((catalog) => catalog.list({ limit: 2 }))
    expect(list.map(({ firstPrompt }) => firstPrompt)).toEqual(["prompt 2", "prompt 1"])
  })

  test("one is found by its id without reading the others", async () => {
    using place = openPlace()
    for (let n = 1; n <= 3; n++) place.begin(n, [says(`prompt ${n}`)])
    expect(await place.ask((catalog) => catalog.named("00000002"))).toMatchObject([{ firstPrompt: "prompt 2" }])
    expect(await rowsOf(place)).toHaveLength(1)
  })

  test("what was searchable is continued, also after it was only listed", async () => {
    using place = openPlace()
    place.begin(1, [says("zebra")])
    expect(await place.ask((catalog) => catalog.search("zebra", all))).toHaveLength(1)
    place.append(1, [says("giraffe")])
    expect(await place.ask((catalog) => catalog.list(all))).toMatchObject([{ prompts: 2 }])
    expect(await place.ask((catalog) => catalog.search("giraffe", all))).toHaveLength(1)
    expect(await place.ask((catalog) => catalog.search("zebra", all))).toHaveLength(1)
  })

  test("a damaged first line, and one that is cut off, cost only what they name", async () => {
    using place = openPlace()
    place.begin(1, [says("first")])
    writeFileSync(place.path(1), readFileSync(place.path(1), "utf8").replace('"format":1', '"format":9'))
    place.begin(2, [says("second")])
    truncateSync(place.path(2), statSync(place.path(2)).size - 30)
    place.begin(3, [])
    truncateSync(place.path(3), 20)
    const list = await place.ask((catalog) => catalog.list({ cwd: "/w", limit: 5 }))
    expect(list).toMatchObject([{ id: id(1), firstPrompt: "first" }])
  })
})

describe("the file", () => {
  test("one that is broken, old or in the way is made anew", async () => {
    using place = openPlace()
    place.begin(1, [says("first")])
    const names = () => place.ask(async (catalog) => (await catalog.list(all)).map(({ firstPrompt }) => firstPrompt))
    expect(await names()).toEqual(["first"])
    const good = readFileSync(place.file)
    const broken = Buffer.from(good)
    broken.fill(0x55, 4096)
    for (const content of [Buffer.from("no database"), broken, good.subarray(0, 5000), Buffer.alloc(0)]) {
      for (const end of ["-wal", "-shm"]) rmSync(`${place.file}${end}`, { force: true })
      writeFileSync(place.file, content)
      expect(await names()).toEqual(["first"])
    }
    const { Database } = await import("bun:sqlite")
    const old = new Database(place.file)
    old.run("pragma user_version = 77")
    old.close()
    expect(await names()).toEqual(["first"])
    rmSync(place.file)
    mkdirSync(place.file)
    expect(await names()).toEqual(["first"])
  })

  test("where none can be written, one in memory answers", async () => {
    using place = openPlace()
    place.begin(1, [says("first")])
    writeFileSync(place.folder.join("cache"), "in the way")
    expect(await place.ask((catalog) => catalog.list(all))).toMatchObject([{ firstPrompt: "first" }])
    expect(existsSync(place.file)).toBe(false)
  })

  test("several processes at once count each line once", async () => {
    using place = openPlace()
    for (let n = 1; n <= 12; n++) place.begin(n, Array.from({ length: 30 }, () => says("many words")).concat(ends(1)))
    const code = `
      const { withCatalog } = await import(${JSON.stringify(resolve(import.meta.dir, "../../../../src/ground/transcript/catalog.ts"))})
      await withCatalog(${JSON.stringify({ file: place.file, projects: place.projects })}, (c) => c.list({ limit: 5 }))`
    const children = Array.from({ length: 4 }, () => Bun.spawn([process.execPath, "-e", code], { stderr: "pipe" }))
    expect(await Promise.all(children.map(({ stderr }) => stderr.text()))).toEqual(["", "", "", ""])
    const list = await place.ask((catalog) => catalog.list(all))
    expect(list.map(({ prompts, costUsd }) => [prompts, costUsd])).toEqual(Array.from({ length: 12 }, () => [30, 1]))
  })
})
