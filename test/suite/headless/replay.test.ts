/** `codewright replay`: sessions played again come out the same, to the last byte and file; what differs is named. */

import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sealed } from "#ground/transcript/seal.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { type Deed, driven } from "../../kit/driven.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"

interface Report {
  readonly confined: boolean
  readonly same: boolean
  readonly requests: number
  readonly results: number
  readonly first: { readonly where: string; readonly was: string; readonly is: string } | null
  readonly tree: { readonly files: number; readonly digest: string; readonly differences: readonly unknown[] } | null
  readonly notes: readonly string[]
}

async function replayed(place: Place, id: string, ...argv: readonly string[]): Promise<Report> {
  const run = await runCodewright({ place, cwd: "/", argv: ["replay", id.slice(0, 8), "--json", ...argv] })
  expect({
    stderr: run.stderr.replaceAll(/^(?:The session has no snapshots|The snapshots contain only|Not covered).*\n/gm, ""),
  }).toEqual({ stderr: "" })
  const report = JSON.parse(run.stdout) as Report
  expect(run.code).toBe(report.same ? 0 : 1)
  return report
}

const files = { "a.txt": "alpha\n", "b.txt": "beta\r\n", "deep/c.txt": "gamma\n" }

const choice = use("AskUserQuestion", {
  questions: [
    {
      question: "Which?",
      header: "Which",
      multiSelect: false,
      options: [
        { label: "one", description: "1" },
        { label: "two", description: "2" },
      ],
    },
  ],
})

/** Scripts, what the person does, and how many requests and results that makes. */
const stories: {
  readonly [name: string]: { script: readonly ScenarioReply[]; deeds: readonly Deed[]; seen: number[] }
} = {
  "edits, commands with absolute paths, and a question": {
    script: [
      calls(read("a.txt"), bash('ls "$PWD"; pwd; cat "$(pwd)/b.txt" | od -c | head -2')),
      calls(edit("a.txt", "alpha", "ALPHA"), write("new/file.txt", "new\n")),
      calls(bash("rm -r deep; ln -s a.txt link; chmod 755 b.txt; mkdir empty; printf 'x\\0y' > bin")),
      calls(choice),
      says("Done."),
    ],
    deeds: [{ prompt: "Change things" }],
    seen: [5, 6],
  },
  "a rewind of everything, of the files alone, and a redo": {
    script: [
      calls(read("a.txt")),
      calls(edit("a.txt", "alpha", "ALPHA"), bash("echo more > more.txt")),
      says("one"),
      calls(bash("rm a.txt")),
      says("two"),
      says("three"),
    ],
    deeds: [
      { prompt: "first" },
      { prompt: "second" },
      { rewindTo: 2, what: "both" },
      { op: { type: "redo" } },
      { rewindTo: 1, what: "files" },
      { op: { type: "shell", command: "cat a.txt; ls" } },
      { prompt: "third" },
    ],
    seen: [6, 4],
  },
  "an interrupt while the model speaks, and one while a command runs": {
    script: [
      { ...says("one two three four five six seven eight nine ten"), timing: { tokensPerSecond: 20 } },
      calls(bash("echo begun; sleep 20; echo over > over.txt")),
      says("done"),
    ],
    deeds: [
      { prompt: "talk", until: "text" },
      { prompt: "work", until: "tool_progress", afterMs: 100 },
      { prompt: "go on" },
    ],
    seen: [3, 1],
  },
  "what the person changes in between": {
    script: [calls(read("a.txt"), bash("echo 1 > one.txt")), says("seen"), calls(read("a.txt")), says("again")],
    deeds: [{ prompt: "look" }, { write: "a.txt", text: "by hand\n" }, { prompt: "look again" }],
    seen: [4, 3],
  },
  "commands of the person's own, before and after anything was kept": {
    script: [calls(bash("touch seen.txt; cat mine.txt")), says("seen"), calls(bash("cat mine.txt; ls")), says("again")],
    deeds: [
      { op: { type: "shell", command: "echo mine >> mine.txt; rm -f a.txt" } },
      { prompt: "look" },
      { op: { type: "shell", command: "echo more >> mine.txt; mkdir made" } },
      { prompt: "look again" },
    ],
    seen: [4, 2],
  },
  "other modes and models, and compactions": {
    script: [
      calls(bash("echo 1 >> n.txt")),
      says("first"),
      says("second ".repeat(4000)),
      says("<summary>What was said before, in short: a file was made, and much was said about it.</summary>"),
      calls(read("a.txt")),
      says("third"),
    ],
    deeds: [
      { op: { type: "set_mode", mode: "default" } },
      { prompt: "one" },
      { op: { type: "set_model", model: "claude-opus-4-5" } },
      { prompt: "two" },
      { op: { type: "compact", instructions: "briefly" } },
      { prompt: "three" },
      { op: { type: "compact", instructions: "which will not do: hardly anything is left" } },
    ],
    seen: [7, 2],
  },
  "something said while a command runs": {
    script: [calls(bash("sleep 0.3; echo 1 > one.txt")), calls(bash("cat one.txt")), says("heard"), says("on")],
    deeds: [{ prompt: "work", until: "tool_start", steer: "and be quick" }, { prompt: "go on" }],
    seen: [4, 2],
  },
  "a plan": {
    script: [
      calls(use("EnterPlanMode", {})),
      calls(read("a.txt")),
      calls(use("ExitPlanMode", { plan: "# Plan\n\nChange a.txt.\n" })),
      calls(edit("a.txt", "alpha", "planned")),
      says("Carried out."),
      says("Verified."),
    ],
    deeds: [{ prompt: "plan it" }],
    // The last is the reminder to verify what was planned.
    seen: [6, 4],
  },
}

describe("played again, nothing differs", () => {
  for (const [name, { script, deeds, seen }] of Object.entries(stories))
    test.concurrent(name, async () => {
      using place = openPlace(files)
      const id = await driven(place, script, deeds)
      const before = readdirSync(place.work).sort()
      const report = await replayed(place, id)
      expect(report).toMatchObject({ confined: true, same: true, first: null, tree: { differences: [] } })
      expect([report.requests, report.results]).toEqual(seen)
      expect(readdirSync(place.work).sort()).toEqual(before)
    })

  test.concurrent("without a wall, with paths put in the place of others", async () => {
    using place = openPlace(files)
    const story = stories["edits, commands with absolute paths, and a question"]
    const script = [...(story?.script ?? [])]
    script[2] = calls(bash(`rm -r ${place.work}/deep; echo x > ${place.work}/x.txt; echo ${place.work}`))
    const id = await driven(place, script, story?.deeds ?? [])
    rmSync(join(place.work, "x.txt"))
    const refused = await runCodewright({ place, argv: ["replay", id, "--unconfined"] })
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("add --yes"),
    })
    const report = await replayed(place, id, "--unconfined", "--yes")
    expect(report).toMatchObject({ confined: false, same: true, first: null, requests: 5, results: 6 })
    expect(existsSync(join(place.work, "x.txt"))).toBe(false)
  })

  test.concurrent("a run of -p, with rules from the command line, and one that changed nothing", async () => {
    using place = openPlace(files)
    const scenario = [calls(bash("echo y >> a.txt"), bash("cat a.txt")), says("ok")]
    const run = await runCodewright({ place, scenario, argv: ["-p", "go", "--allowed-tools", "Bash(echo:*)"] })
    expect(run.code).toBe(0)
    const [log = ""] = logsOf(place)
    expect(await replayed(place, log)).toMatchObject({ same: true, requests: 2, results: 2 })
    const quiet = await runCodewright({ place, scenario: [calls(read("a.txt")), says("ok")], argv: ["-p", "look"] })
    expect(quiet.code).toBe(0)
    const other = logsOf(place).find((id) => id !== log) ?? ""
    const report = await replayed(place, other)
    expect(report).toMatchObject({ same: true, tree: { files: 3 } })
    expect(report.notes).toEqual(["The session has no snapshots, so the replay starts from the folder as it is now."])
  })
})

test.concurrent(
  "a repository that was worked on since, and a page of the web, which is not fetched again",
  async () => {
    using place = openPlace(files)
    const git = (...argv: readonly string[]): void => {
      const who = ["-c", "user.name=a", "-c", "user.email=a@b"]
      Bun.spawnSync(["git", ...who, ...argv], { cwd: place.work, env: { PATH: process.env["PATH"], HOME: place.home } })
    }
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "before")
    // The record of moves counts in seconds.
    await Bun.sleep(1100)
    let fetched = 0
    const web = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(`<p>Fetched ${++fetched} times</p>`, { headers: { "content-type": "text/html" } }),
    })
    const page = use("WebFetch", { url: `http://127.0.0.1:${web.port}/page`, prompt: "How often?" })
    const argv = ["--permission-mode", "acceptEdits", "--allowed-tools", "WebFetch(domain:127.0.0.1)"]
    const script = [
      calls(page),
      says("Once, it says."),
      calls(bash("touch seen.txt; git log --oneline; git status --short")),
      says("done"),
    ]
    const id = await driven(place, script, [{ prompt: "look" }], argv)
    await web.stop(true)
    await Bun.sleep(1100)
    git("checkout", "-qb", "topic")
    place.write("later.txt", "later\n")
    git("add", "-A")
    git("commit", "-qm", "after")
    const report = await replayed(place, id)
    expect(report).toMatchObject({ same: true, first: null, requests: 3, results: 2 })
    expect(fetched).toBe(1)
  },
)

const logsOf = (place: Place): readonly string[] =>
  readdirSync(join(place.state, "projects")).flatMap((slug) =>
    readdirSync(join(place.state, "projects", slug)).flatMap((name) =>
      name.endsWith(".jsonl") ? [name.slice(0, -6)] : [],
    ),
  )

describe("what differs is named", () => {
  const script = [
    calls(read("a.txt"), bash("touch seen.txt; cat b.txt")),
    calls(edit("a.txt", "alpha", "ALPHA")),
    says("done"),
  ]

  test.concurrent("a tampered log, a rule, and a folder that is another", async () => {
    using place = openPlace(files)
    const id = await driven(place, script, [{ prompt: "go" }])
    writeFileSync(join(place.state, "settings.json"), JSON.stringify({ permissions: { deny: ["Bash(cat:*)"] } }))
    const denied = await replayed(place, id)
    expect(denied.first).toMatchObject({ where: "request 2, result of Bash", was: expect.stringContaining("beta") })
    rmSync(join(place.state, "settings.json"))

    place.write("../other/a.txt", "alpha!\n")
    place.write("../other/b.txt", "beta\r\n")
    const elsewhere = await replayed(place, id, "--workspace", join(place.path, "other"))
    expect(elsewhere.first?.where).toBe("request 2, result of Read")
    expect(elsewhere.tree?.differences).toContainEqual({ path: "a.txt", what: "content" })

    retell(place, id, (line) => line.replaceAll("alpha", "omega"))
    expect((await replayed(place, id)).first).toMatchObject({ where: "request 2, result of Read" })
  })

  test.concurrent("a tool that is described differently today", async () => {
    using place = openPlace(files)
    const id = await driven(place, script, [{ prompt: "go" }])
    retell(place, id, (line) => line.replace(/("name":"Read","description":")/, "$1Of old, of old. "))
    const report = await replayed(place, id)
    expect(report.first).toMatchObject({ where: "request 1, tool Read", was: expect.stringContaining("of old") })
    const run = await runCodewright({ place, argv: ["replay", id] })
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 1, stderr: "" })
    expect(run.stdout).toContain("first difference: request 1, tool Read\n")
    expect(run.stdout).toMatch(/^ {4}- .*of old/m)
  })
})

describe("mistakes are said", () => {
  test.concurrent("and nothing is left behind", async () => {
    using place = openPlace(files)
    const refused = async (...argv: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await runCodewright({ place, argv: ["replay", ...argv] })
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      return stderr
    }
    expect(await refused()).toContain("replay takes one session")
    expect(await refused("a", "b")).toContain("replay takes one session")
    expect(await refused("abcd")).toContain("No session id starts with 'abcd'")
    expect(await refused("--prepared", "/nowhere")).toContain("No replay is prepared in /nowhere")
    expect(await refused("abcd", "--frobnicate")).toContain("unknown option '--frobnicate'")
    const id = await driven(place, [says("hello")], [{ prompt: "hi" }])
    expect(await refused(id, "--workspace", "/nowhere/at/all")).toContain("The folder /nowhere/at/all does not exist")
    rmSync(join(place.state, "file-history"), { recursive: true, force: true })
    const scratch = join(place.path, "scratch")
    mkdirSync(scratch)
    const run = await runCodewright({ place, argv: ["replay", id], env: { TMPDIR: scratch } })
    expect({ code: run.code, left: readdirSync(scratch) }).toEqual({ code: 0, left: [] })
  })
})

/** Changes every line of a log, each sealed anew. */
function retell(place: Place, id: string, change: (line: string) => string): void {
  const [slug = ""] = readdirSync(join(place.state, "projects"))
  const path = join(place.state, "projects", slug, `${id}.jsonl`)
  const lines = readFileSync(path, "utf8").trimEnd().split("\n")
  const changed = lines.map((line) => {
    const { sum: _, ...rest } = JSON.parse(change(line)) as { readonly sum?: string }
    return sealed(rest)
  })
  writeFileSync(path, `${changed.join("\n")}\n`)
}
