/** `codewright rewind`: files and conversation of a session go back from the command line, and forth again. */

import { expect, test } from "bun:test"
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { textOf } from "#agent/words/message.ts"
import { encodeEntry } from "#ground/transcript/line.ts"
import { loadLog } from "#ground/transcript/load.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { driven } from "../../kit/driven.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, edit, read, says, write } from "../../kit/script.ts"

const files = { "a.txt": "alpha\n", "b.txt": "beta\n" }
const script = [
  calls(read("a.txt")),
  calls(edit("a.txt", "alpha", "ALPHA"), write("new.txt", "new\n")),
  says("one"),
  calls(bash("rm b.txt; printf 'x\\0y' > \"$(printf 'odd\\033name')\"")),
  says("two"),
]

async function worked(): Promise<{ readonly place: Place; readonly id: string } & Disposable> {
  const place = openPlace(files)
  const id = await driven(place, script, [{ prompt: "edit a" }, { prompt: "remove b\nand more" }])
  return { place, id, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

/** From another folder, without any way to a model. */
const run = async (place: Place, ...argv: readonly string[]) => {
  const env = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }
  const { code, stdout, stderr } = await runCodewright({ place, cwd: "/", env, argv: ["rewind", ...argv] })
  return { code, stdout, stderr }
}
const said = async (place: Place, ...argv: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(place, ...argv)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return stdout
}
const logOf = (place: Place, id: string): string => {
  const [slug = ""] = readdirSync(join(place.state, "projects"))
  return join(place.state, "projects", slug, `${id}.jsonl`)
}
const conversation = (place: Place, id: string): string[] => {
  const log = loadLog(logOf(place, id))
  const entries = log.ok ? pathOf(log.value.entries) : []
  return entries.flatMap((entry) => (entry.kind === "prompt" ? [textOf(entry.content)] : []))
}
const now = (place: Place): Record<string, string> =>
  Object.fromEntries(readdirSync(place.work).map((name) => [name, readFileSync(join(place.work, name), "utf8")]))

test.concurrent("lists the prompts, says what would change, goes back and forth", async () => {
  using worked1 = await worked()
  const { place, id } = worked1
  const before = now(place)
  const list = await said(place, id.slice(0, 8))
  expect(list).toMatch(/^ {2}1 .* edit a {2}\[since then 4 files changed: a\.txt, b\.txt, new\.txt and 1 more\]$/m)
  expect(list).toMatch(/^ {2}2 .* remove b and more {2}\[since then 2 files changed: b\.txt, odd<U\+001B>name\]$/m)

  const trial = await said(place, id, "--to", "2", "--dry-run")
  expect(trial.split("\n")).toEqual([
    "These files would change:",
    "  b.txt            restored (+1 -0)",
    "  odd<U+001B>name  removed (binary)",
    "The conversation would lose its last prompt, until --redo.",
    "Nothing was changed.",
    "",
  ])
  expect(now(place)).toEqual(before)

  expect(await said(place, id, "--to", "2")).toBe(
    `Rewound.\n  restored b.txt\n  removed odd<U+001B>name\nTo undo this: codewright rewind ${id.slice(0, 8)} --redo\n`,
  )
  expect(now(place)).toEqual({ "a.txt": "ALPHA\n", "b.txt": "beta\n", "new.txt": "new\n" })
  expect(conversation(place, id)).toEqual(["edit a"])
  await said(place, id, "--to", "1")
  expect(now(place)).toEqual(files)
  expect(conversation(place, id)).toEqual([])
  expect(await said(place, id)).toContain("has no prompt to rewind to")
  await said(place, id, "--redo")
  expect(now(place)).toEqual({ "a.txt": "ALPHA\n", "b.txt": "beta\n", "new.txt": "new\n" })
})

test.concurrent("files or conversation alone, by uuid, as JSON; what someone else changed is kept", async () => {
  using worked1 = await worked()
  const { place, id } = worked1
  const listed = JSON.parse(await said(place, id, "--json")) as { prompts: { uuid: string; promptId: string }[] }
  const [first] = listed.prompts
  await said(place, id, "--to", first?.uuid ?? "", "--conversation")
  expect([conversation(place, id), existsSync(join(place.work, "b.txt"))]).toEqual([[], false])
  await said(place, id, "--redo")

  writeFileSync(join(place.work, "a.txt"), "mine\n")
  const trial = JSON.parse(await said(place, id, "--to", "1", "--dry-run", "--json")) as object
  expect(trial).toMatchObject({ session: id, what: "both", to: { number: 1 }, conflicts: ["a.txt"] })
  const partly = await run(place, id, "--to", first?.promptId ?? "", "--files", "--json")
  expect(partly.code).toBe(3)
  expect(JSON.parse(partly.stdout)).toMatchObject({
    partial: true,
    what: "files",
    restored: { kept: [join(place.work, "a.txt")] },
  })
  expect(now(place)).toEqual({ "a.txt": "mine\n", "b.txt": "beta\n" })
  expect(conversation(place, id)).toHaveLength(2)
  await said(place, id, "--to", "1", "--files", "--force")
  expect(now(place)).toEqual(files)
})

test.concurrent("what cannot be done is said, and nothing changes", async () => {
  using worked1 = await worked()
  const { place, id } = worked1
  const before = readFileSync(logOf(place, id), "utf8")
  const refused = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(place, ...argv)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    return stderr
  }
  expect(await refused()).toContain("rewind takes one session")
  expect(await refused("zzzz")).toContain("No session id starts with 'zzzz'")
  expect(await refused(id, "--to", "0")).toContain("No prompt 0. The prompts are 1 to 2.")
  expect(await refused(id, "--to", "3")).toContain("No prompt 3.")
  expect(await refused(id, "--to", "ffffffffff")).toContain("No prompt has the number or id")
  expect(await refused(id, "--to", "")).toContain("No prompt has the number or id")
  expect(await refused(id, "--to", "1", "--files", "--conversation")).toContain("not both")
  expect(await refused(id, "--redo", "--to", "1")).toContain("--redo cannot be combined with --to")
  expect(await refused(id, "--force")).toContain("--force needs --to")
  expect(await refused(id, "--to", "1", "--conversation", "--force")).toContain("--force applies to files")
  expect(await refused(id, "--to", "1", "--dryrun")).toContain("did you mean --dry-run?")
  expect(readFileSync(logOf(place, id), "utf8")).toBe(before)
  expect(await refused(id, "--redo")).toContain("There is no rewind to undo.")
})

test.concurrent("a session that is open elsewhere, or whose folder or snapshots are gone", async () => {
  using worked1 = await worked()
  const { place, id } = worked1
  const open = runCodewright({
    place,
    scenario: [calls(bash("echo here; sleep 30")), says("over")],
    argv: ["-p", "go", "--resume", id, "--allowed-tools", "Bash", "--output-format", "stream-json", "--verbose"],
    async during({ shows, kill }) {
      await shows('"tool_use"')
      const { code, stderr } = await run(place, id, "--to", "1")
      kill("SIGTERM")
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/already open, in process \d+/) })
      // Looking is always possible.
    },
  })
  await open
  rmSync(join(place.state, "file-history"), { recursive: true })
  const { code, stderr } = await run(place, id, "--to", "1")
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("no longer holds") })
  rmSync(place.work, { recursive: true })
  expect((await run(place, id, "--to", "1")).stderr).toContain("no longer exists")
})

test.concurrent("a prompt that waits in the session is not answered by it, and still waits", async () => {
  using worked1 = await worked()
  const { place, id } = worked1
  const path = logOf(place, id)
  const log = loadLog(path)
  const last = log.ok ? log.value.entries.at(-1) : undefined
  const waiting: Entry = {
    kind: "queued",
    content: [{ type: "text", text: "later" }],
    promptId: "11111111-0000-4000-8000-000000000000",
    when: "queue",
    uuid: "22222222-0000-4000-8000-000000000000",
    parentUuid: last?.uuid ?? null,
    at: Date.now(),
  }
  const origin = { sessionId: id, cwd: place.work, version: "0", gitBranch: "", entrypoint: "cli" }
  appendFileSync(path, `${encodeEntry(waiting, origin)}\n`)
  await said(place, id, "--to", "2")
  const after = loadLog(path)
  const kinds = after.ok ? after.value.entries.map(({ kind }) => kind) : []
  const since = kinds.slice(kinds.indexOf("queued") + 1)
  expect(since).toContain("head")
  for (const kind of ["turn_start", "prompt", "request"] as const) expect(since).not.toContain(kind)
})

test.concurrent("after a run with -p --verbose, the way back is told", async () => {
  using place = openPlace(files)
  const scenario = [calls(bash("rm a.txt; echo 1 > one; echo 2 > two")), says("done")]
  const argv = ["-p", "go", "--allowed-tools", "Bash"]
  const quiet = await runCodewright({ place, scenario: [says("nothing")], argv: [...argv, "--verbose"] })
  expect(quiet.stderr).not.toContain("rewind")
  const { code, stderr, stdout } = await runCodewright({ place, scenario, argv: [...argv, "--verbose"] })
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" })
  expect(stderr).toMatch(/^2 files created, 1 removed. Undo with: codewright rewind [0-9a-f]{8}$/m)
})
