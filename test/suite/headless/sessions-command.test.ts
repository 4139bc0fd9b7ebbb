/** `codewright sessions`: looking at, finding, exporting, renaming and removing sessions, and what they cost. */

import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { EntryBody } from "#agent/words/entry.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { answered, called, entriesOf, paid, saidBy, writeLog } from "../../kit/write-log.ts"

const id = (n: number): string => `${n}a1b2c3d-0000-4000-8000-00000000000${n}`
const slug = (folder: string): string => folder.replace(/[^A-Za-z0-9]/g, "-")
const logOf = (place: Place, n: number, folder = place.work): string =>
  join(place.state, "projects", slug(folder), `${id(n)}.jsonl`)

function begun(place: Place, n: number, bodies: readonly EntryBody[], folder = place.work): string {
  const path = logOf(place, n, folder)
  return writeLog(path, entriesOf(bodies, Date.now() - 3_600_000), { sessionId: id(n), cwd: folder })
}

const edit: readonly EntryBody[] = [
  saidBy("mend <the> parser & more"),
  called("c1", "Edit", { file_path: "/nowhere/src/a.ts" }),
  {
    kind: "result",
    callId: "c1",
    tool: "Edit",
    content: "edited",
    isError: false,
    durationMs: 1,
    display: {
      kind: "diff",
      path: "src/a.ts",
      created: false,
      hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-one <b>", "+two & three"] }],
    },
  },
  called("c2", "Bash", { command: "npm test" }),
  answered("It is **mended**. <script>alert(1)</script>\n\n```\n</code></pre><b>\n```\n[go](javascript:alert(1))"),
  paid(0.5),
  { kind: "head", to: "u0", why: "rewind" },
  answered("Another way."),
  paid(0.25, "claude-haiku-5-5"),
  { kind: "turn_end", turnId: "t", reason: "error", message: "\u001b[31mIt broke." },
]

function filled(): Place {
  const place = openPlace()
  begun(place, 1, edit)
  begun(place, 2, [saidBy("hello there"), { kind: "title", text: "Greetings", by: "model" }, paid(0.125)])
  begun(place, 3, [saidBy("elsewhere")], "/elsewhere")
  return place
}

const run = async (place: Place, ...argv: readonly string[]) => {
  const { code, stdout, stderr } = await runCodewright({ place, argv: ["sessions", ...argv] })
  return { code, stdout, stderr }
}
const said = async (place: Place, ...argv: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(place, ...argv)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return stdout
}
const refused = async (place: Place, ...argv: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(place, ...argv)
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  return stderr
}

describe("list and search", () => {
  test.concurrent("of this folder, of all folders, so many, and as JSON", async () => {
    using place = filled()
    const lines = (await said(place)).trimEnd().split("\n").sort()
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${id(1)} .* 3 +\\$0.750  mend <the> parser & more$`)),
      expect.stringMatching(new RegExp(`^${id(2)} .* 2 +\\$0.125  Greetings$`)),
    ])
    expect((await said(place, "list", "--all")).trimEnd().split("\n")).toHaveLength(3)
    expect(await said(place, "list", "-a", "-n", "3")).toContain("elsewhere  (/elsewhere)")
    expect(JSON.parse(await said(place, "list", "--json", "--limit=1"))).toMatchObject([
      { cwd: place.work, branch: "topic", prompts: 1 },
    ])
    expect(await said(place, "search", "hello")).toMatch(new RegExp(`^${id(2)}.*\\n    prompt: \\[hello\\] there\\n$`))
    expect(JSON.parse(await said(place, "search", "npm", "test", "--json"))).toMatchObject([
      { id: id(1), passage: { kind: "command" } },
    ])
    expect(await said(place, "search", "elsewhere")).toBe(
      "No session in this folder has all of: elsewhere. Use --all to search other folders\n",
    )
    expect(await said(place, "search", "elsewhere", "--all")).toContain(id(3))
  })

  test.concurrent("where there is nothing yet", async () => {
    using place = openPlace()
    expect(await said(place)).toBe("No sessions in this folder. Use --all for other folders.\n")
    expect(await said(place, "--all", "--json")).toBe("[]\n")
    expect(await said(place, "stats")).toStartWith("No usage since ")
  })
})

describe("show and export", () => {
  test.concurrent("show: facts, branches and the conversation as it stands", async () => {
    using place = filled()
    const text = await said(place, "show", "1a1b")
    expect(text).toContain(`session: ${id(1)}\n`)
    expect(text).toContain("cost: $0.750\n")
    expect(text).toContain("> mend <the> parser & more\n\nAnother way.\n\n! It broke.\n")
    expect(text).not.toContain("mended")
    expect(JSON.parse(await said(place, "show", id(1), "--json"))).toMatchObject({
      id: id(1),
      entries: [{ kind: "prompt" }, { kind: "reply" }, { kind: "reply_end" }, { kind: "turn_end" }],
      branches: [{ tip: "u9", isCurrent: true, length: 1 }],
    })
    expect(await said(place, "show", id(1), "--requests")).toStartWith("This session sent no requests")
  })

  test.concurrent("Markdown and HTML: everything escaped, nothing that runs or is fetched", async () => {
    using place = openPlace()
    begun(place, 1, edit.slice(0, 6))
    const markdown = await said(place, "export", id(1))
    expect(markdown).toStartWith("# mend \\<the> parser & more\n")
    expect(markdown).toContain("> mend <the> parser & more")
    expect(markdown).toContain(
      "**Edit /nowhere/src/a.ts**\n\n```diff\nsrc/a.ts\n@@ -1,1 +1,1 @@\n-one <b>\n+two & three\n```",
    )
    expect(markdown).toContain("**Bash npm test** (unanswered)")

    const file = join(place.path, "out.html")
    expect(await said(place, "export", id(1), "--format", "html", "-o", file)).toBe(`Written to ${file}\n`)
    const html = readFileSync(file, "utf8")
    expect(html).toContain('<span class="removed">-one &lt;b&gt;\n</span><span class="added">+two &amp; three\n</span>')
    expect(html).toContain("It is <strong>mended</strong>.")
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
    expect(html).toContain("&lt;/code&gt;&lt;/pre&gt;&lt;b&gt;")
    expect(html).toContain("prefers-color-scheme:dark")
    expect(html).not.toMatch(/<script|javascript:|<b>|src=|url\(|<link/)
    expect(await refused(place, "export", id(1), "-f", "html", "-o", file)).toBe(
      `error: ${file} already exists. Choose another file.\n`,
    )
  })

  test.concurrent("JSON and a patch that git takes", async () => {
    using place = openPlace({ "src/a.ts": "one <b>\n" })
    begun(place, 1, edit.slice(0, 6))
    expect(JSON.parse(await said(place, "export", id(1), "--format=json"))).toMatchObject({
      id: id(1),
      entries: { length: 6 },
    })
    const patch = await said(place, "export", id(1), "--patch")
    const applied = Bun.spawnSync(["git", "apply", "-"], { cwd: place.work, stdin: Buffer.from(patch), stderr: "pipe" })
    expect(applied.stderr.toString()).toBe("")
    expect(readFileSync(join(place.work, "src/a.ts"), "utf8")).toBe("two & three\n")
  })

  test.concurrent("a log that is damaged or open elsewhere is read, told of, and not touched", async () => {
    using place = filled()
    const damaged = `${readFileSync(logOf(place, 2), "utf8").replace("hello", "hallo")}{"torn`
    writeFileSync(logOf(place, 2), damaged)
    mkdirSync(`${logOf(place, 2)}.lock`)
    writeFileSync(join(`${logOf(place, 2)}.lock`, String(process.pid)), "")
    const shown = await run(place, "show", id(2))
    expect(shown.code).toBe(0)
    expect(shown.stderr).toContain("Line 2 of the session is damaged and was skipped.")
    expect(readFileSync(logOf(place, 2), "utf8")).toBe(damaged)
  })
})

describe("rename, delete and stats", () => {
  test.concurrent("rename gives a title, and every list says it", async () => {
    using place = filled()
    expect(await said(place, "rename", "1a1b2c", "A", "better  name")).toBe(`${id(1)} is now called: A better name\n`)
    expect(await said(place, "list")).toContain("A better name")
    expect(await said(place, "search", "better")).toContain("title: A [better] name")
    expect(await refused(place, "rename", id(1))).toStartWith("error: rename needs an id and a title")
  })

  test.concurrent("delete asks, and where nobody can be asked it needs --yes; what is open stays", async () => {
    using place = filled()
    mkdirSync(logOf(place, 1).replace(".jsonl", "/results"), { recursive: true })
    expect(await refused(place, "delete", id(1))).toBe(
      "error: There is no terminal to ask for confirmation. To delete without asking, add --yes.\n",
    )
    expect(await refused(place, "delete", "1a1b", "9999", "--yes")).toStartWith("error: No session id starts with")
    expect(existsSync(logOf(place, 1))).toBe(true)
    mkdirSync(`${logOf(place, 2)}.lock`)
    writeFileSync(join(`${logOf(place, 2)}.lock`, String(process.pid)), "")
    const both = await run(place, "delete", "1a1b", "2a1b", "--yes")
    expect(both).toEqual({
      code: 1,
      stdout: `Deleted ${id(1)}  mend <the> parser & more\n`,
      stderr: `error: ${id(2)} is open in process ${process.pid} and was not deleted.\n`,
    })
    expect([1, 2].map((n) => existsSync(logOf(place, n)))).toEqual([false, true])
    expect(existsSync(logOf(place, 1).replace(".jsonl", ""))).toBe(false)
    expect(await said(place)).not.toContain(id(1))
  })

  test.concurrent("stats: per model and per day, of this folder or all", async () => {
    using place = filled()
    expect(JSON.parse(await said(place, "stats", "--json"))).toMatchObject({
      total: { sessions: 2, requests: 3, costUsd: 0.875, inputTokens: 300, outputTokens: 60 },
      models: [
        { name: "claude-haiku-5-5", costUsd: 0.25 },
        { name: "claude-opus-5-5", costUsd: 0.625 },
      ],
    })
    expect(await said(place, "stats", "--days", "2", "--all")).toMatch(/^all +3 .*\$0\.875$/m)
  })
})

test.concurrent("bad input of every kind is said, and changes nothing", async () => {
  using place = filled()
  expect(await refused(place, "frobnicate")).toStartWith("error: sessions takes list, search, show")
  expect(await refused(place, "list", "words")).toStartWith("error: list takes no arguments")
  expect(await refused(place, "list", "--limit", "0")).toBe(
    "error: --limit takes a whole number from 1 to 100000, not '0'.\n",
  )
  expect(await refused(place, "list", "--limt=3")).toContain("did you mean --limit?")
  expect(await refused(place, "search")).toStartWith("error: search needs words")
  expect(await refused(place, "show")).toStartWith("error: Give a session id")
  expect(await refused(place, "show", "ffff")).toStartWith("error: No session id starts with 'ffff'")
  expect(await refused(place, "show", "../../etc/passwd")).toStartWith("error: No session id starts with")
  expect(await refused(place, "export", id(1), "--format", "pdf")).toContain("is not one of md, json, html, patch")
  expect(await refused(place, "export", id(1), "--patch", "--format", "md")).toContain("two formats")
  expect(await refused(place, "export", id(1), "-o", "/nonexistent/x")).toContain("cannot be written")
  expect(await refused(place, "stats", "--days", "many")).toContain("--days takes a whole number")
  expect(await refused(place, "delete")).toStartWith("error: delete needs session ids")
  // Two ids with the same beginning.
  writeLog(join(place.state, "projects/-x", `${id(1).slice(0, -1)}9.jsonl`), entriesOf([saidBy("twin")]))
  expect(await refused(place, "show", "1a1b")).toMatch(/^error: 2 session ids start with '1a1b'/)
  expect(await said(place, "--help")).toContain("Usage: codewright sessions <verb>")
})

test.concurrent("with a session go the old contents of files that only it could go back to", async () => {
  using place = openPlace({ "a.txt": "one\n" })
  const edits = async (n: number, from: string, to: string): Promise<void> => {
    const edited = await runCodewright({
      place,
      argv: ["-p", "edit", "--session-id", id(n), "--permission-mode", "acceptEdits"],
      scenario: [
        { content: [{ tool: "Read", input: { file_path: "a.txt" } }] },
        { content: [{ tool: "Edit", input: { file_path: "a.txt", old_string: from, new_string: to } }] },
        "Done.",
      ],
    })
    expect(edited).toMatchObject({ code: 0, stdout: "Done.\n" })
  }
  await edits(1, "one", "two")
  await edits(2, "two", "three")
  const store = join(place.state, "file-history", slug(place.work))
  const snapshots = (): string[] => readdirSync(store).filter((name) => name.endsWith(".snap"))
  const named = readFileSync(logOf(place, 2), "utf8").matchAll(/"snapshotId":"([^"]+)"/g)
  const needed = [...new Set([...named].map(([, snapshot]) => `${snapshot}.snap`))].sort()
  expect(needed.length).toBeGreaterThan(0)
  expect(snapshots().length).toBeGreaterThan(needed.length)
  expect(await said(place, "delete", id(1), "--yes")).toContain("Deleted")
  expect(snapshots().sort()).toEqual(needed)
  await said(place, "delete", id(2), "--yes")
  expect(snapshots()).toEqual([])
})
