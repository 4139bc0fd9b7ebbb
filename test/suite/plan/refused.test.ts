/** Everything that could change something in plan mode, tried for real with every permission given: not a byte changes. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { ScenarioBlock } from "#sim/scenario.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"
import { until } from "../../kit/until.ts"
import { plainChance, planPath, writePlan } from "./plan.ts"

setDefaultTimeout(300_000)

/** Long enough to be found if it were left behind, and known by its number. */
const mark = "86397"

const shell: readonly string[] = [
  "echo x > a.ts",
  "echo x >> a.ts",
  "echo x >| new.txt",
  "cat a.ts > copy.ts",
  ": > a.ts",
  "> a.ts",
  "ls 2> errors.txt",
  "ls &> all.txt",
  "echo x | tee new.txt",
  "printf x | tee -a a.ts",
  "touch new.txt",
  "mkdir made",
  "rm a.ts",
  "rm -rf src",
  "rmdir empty",
  "mv a.ts b.ts",
  "cp a.ts b.ts",
  "ln -s a.ts link.ts",
  "chmod 777 a.ts",
  "truncate -s 0 a.ts",
  "dd if=/dev/zero of=a.ts count=1",
  "install a.ts c.ts",
  "unlink a.ts",
  "shred a.ts",
  "sed -i s/1/2/ a.ts",
  "sed -n 'w out.txt' a.ts",
  "perl -pi -e s/1/2/ a.ts",
  "awk 'BEGIN { print 1 > \"out.txt\" }'",
  'python3 -c \'open("x.py","w").write("1")\'',
  'node -e \'require("fs").writeFileSync("x.js","1")\'',
  'ruby -e \'File.write("x.rb","1")\'',
  "bash -c 'touch new.txt'",
  "sh -c 'echo x > a.ts'",
  "bash script.sh",
  "./script.sh",
  "source script.sh",
  ". ./script.sh",
  "eval 'touch new.txt'",
  "exec touch new.txt",
  "env touch new.txt",
  "timeout 5 touch new.txt",
  "nohup touch new.txt",
  "xargs touch < a.ts",
  "find . -name a.ts -delete",
  "find . -name a.ts -exec rm {} ;",
  "find . -fprint found.txt",
  "sort -o a.ts a.ts",
  "uniq a.ts out.txt",
  "git add a.ts",
  "git commit -am x",
  "git checkout -- a.ts",
  "git stash",
  "git reset --hard",
  "git branch made",
  "git tag made",
  "git config user.name evil",
  "git clean -fd",
  "git apply patch.diff",
  "git diff --output=out.txt",
  "git -c core.pager='touch new.txt' log",
  "git log | sh",
  "git init other",
  "npm install",
  "npm init -y",
  "npm test",
  "npx cowsay",
  "pip install x",
  "make",
  "tar cf out.tar a.ts",
  "tar xf in.tar",
  "zip out.zip a.ts",
  "gzip a.ts",
  "patch -p1 < patch.diff",
  "curl -o out.html http://127.0.0.1:1/",
  "wget http://127.0.0.1:1/",
  "echo $(touch new.txt)",
  "echo `touch new.txt`",
  "cat <(touch new.txt)",
  "ls && touch new.txt",
  "ls; rm a.ts",
  "ls | tee new.txt",
  "ls & touch new.txt",
  "if true; then touch new.txt; fi",
  "for i in 1 2; do touch new$i; done",
  "f() { touch new.txt; }; f",
  "(cd src && touch new.txt)",
  "cd src; rm b.ts",
  "trap 'touch new.txt' EXIT",
  `sleep ${mark} &`,
  `setsid sleep ${mark}`,
  `nohup sleep ${mark} > /dev/null 2>&1 &`,
  `(sleep ${mark} &)`,
  `echo x > ${planPath}`,
  `tee ${planPath}`,
  "cp a.ts ~/.bashrc",
  "echo x > ../state/settings.json",
  "crontab -r",
  "kill -9 1",
]

/** Calls of tools, after what they would change was read, so that nothing else is in their way. */
const tools: readonly ScenarioBlock[] = [
  write("new.txt", "x"),
  write("a.ts", "x"),
  write("deep/er/new.txt", "x"),
  write("../outside.txt", "x"),
  write("../state/plans/other.md", "x"),
  write("../state/plans/agile-adding-acorn.json", "x"),
  write("../state/plans/../other.json", "x"),
  write("../state/plans/agile-adding-acorn.md/../../../project/new.txt", "x"),
  write("link-to-a.ts", "x"),
  write("~/.zshrc", "x"),
  write(".git/hooks/pre-commit", "x"),
  edit("a.ts", "1", "2"),
  edit("made-by-edit.ts", "", "x"),
  use("MultiEdit", { edits: [{ file_path: "a.ts", old_string: "1", new_string: "2" }] }),
  use("MultiEdit", { file_path: "a.ts", edits: [{ old_string: "1", new_string: "2" }] }),
  use("MultiEdit", {
    edits: [
      { file_path: planPath, old_string: "Plan", new_string: "Other" },
      { file_path: "a.ts", old_string: "1", new_string: "2" },
    ],
  }),
  use("NotebookEdit", { notebook_path: "n.ipynb", cell_number: 0, new_source: "x" }),
  use("Bash", { command: "touch new.txt", run_in_background: true }),
  use("Bash", { command: `sleep ${mark}; touch late.txt`, run_in_background: true }),
  use("Bash", { command: "npm test", run_in_background: true, timeout: 1000 }),
]

const reading: readonly ScenarioBlock[] = [
  bash("ls -la"),
  bash("cat a.ts | head -1"),
  bash("git status --short"),
  bash("git log --oneline"),
  bash("git diff"),
  bash("grep -rn export ."),
  bash("find . -name '*.ts'"),
  bash("wc -l a.ts 2>/dev/null"),
  bash("grep -rn export src"),
  read("src/b.ts"),
  use("Glob", { pattern: "**/*.ts" }),
  use("Grep", { pattern: "export" }),
  use("LS", { path: "." }),
  use("TodoWrite", { todos: [{ content: "Plan", status: "in_progress", activeForm: "Planning" }] }),
  use("TodoRead", {}),
]

test(`${shell.length + tools.length} ways to change something are refused, nobody is asked, nothing changes, nothing is left running`, async () => {
  const asked: string[] = []
  await using t = await openTestSession({
    ...plainChance,
    files: project,
    mode: "plan",
    bypassAvailable: true,
    // Everything that could open a door.
    allow: ["Bash", "Bash(*)", "Bash(touch:*)", "Edit", "Write", "MultiEdit", "NotebookEdit", "Edit(//**)", "WebFetch"],
    script: [
      calls(writePlan("# Plan\n")),
      calls(read("a.ts"), read("n.ipynb"), read(planPath)),
      ...shell.map((command) => calls(bash(command))),
      ...tools.map((block) => calls(block)),
      ...reading.map((block) => calls(block)),
      says("I could change nothing."),
    ],
    // A client that permits whatever it is asked.
    answers: ({ ask }) => {
      asked.push(ask.kind)
      return { kind: "allow" }
    },
  })
  prepare(t)
  await t.prompt("change whatever you can")
  const outcomes = t.results().slice(4)
  const tried = outcomes.slice(0, shell.length + tools.length)
  const passed = tried.flatMap(({ isError, content }, i) =>
    isError && /Plan mode is on/.test(String(content))
      ? []
      : [`${JSON.stringify(shell[i] ?? tools[i - shell.length])}: ${String(content).slice(0, 200)}`],
  )
  expect(passed).toEqual([])
  expect(asked).toEqual([])
  const unread = outcomes
    .slice(tried.length)
    .flatMap(({ isError, content, tool }) => (isError ? [`${tool}: ${String(content)}`] : []))
  expect(unread).toEqual([])
  expect(outcomes).toHaveLength(shell.length + tools.length + reading.length)
  expect(fingerprints(t)).toEqual(before.get(t) ?? [])
  expect(readFileSync(t.path(planPath), "utf8")).toBe("# Plan\n")
  expect(readdirSync(t.path("../state/plans"))).toEqual(["agile-adding-acorn.md"])
  await t.session.close()
  expect(sleepers()).toEqual([])
})

test("plan mode comes before what else is in the way: a call that would be refused is not mended first", async () => {
  await using t = await openTestSession({
    ...plainChance,
    files: project,
    mode: "plan",
    deny: ["Write(./src/**)"],
    script: [
      calls(write("a.ts", "x")),
      calls(edit("a.ts", "no such text", "x")),
      calls(edit("missing.ts", "a", "b")),
      calls(writePlan("# Plan\n")),
      calls(edit(planPath, "no such text", "x")),
      says("No."),
      // Where it is not forbidden, the tool's own complaint is the answer, and nobody is asked.
      calls(write("a.ts", "x")),
      calls(write("src/b.ts", "x")),
      says("No."),
    ],
    answers: () => {
      throw new Error("nobody should be asked")
    },
  })
  await t.prompt("change a.ts")
  void t.session.submit({ type: "set_mode", mode: "default" })
  await t.prompt("change it now")
  const said = t.results().map(({ content }) => String(content))
  for (const index of [0, 1, 2]) expect(said[index]).toContain("Plan mode is on")
  expect(t.results()[3]?.isError).toBe(false)
  expect(said[4]).not.toContain("Plan mode is on")
  expect(said[5]).toContain("Read")
  expect(said[6]).toContain("rule")
  expect(t.read("a.ts")).toBe(project["a.ts"])
})

test("a plan file that is a link is not written through", async () => {
  await using t = await openTestSession({
    ...plainChance,
    files: project,
    mode: "plan",
    script: [says("Named."), calls(writePlan("# through the link\n")), says("No.")],
    answers: () => ({ kind: "allow" }),
  })
  await t.prompt("hello")
  mkdirSync(t.path("../state/plans"), { recursive: true })
  symlinkSync(t.path("a.ts"), t.path(planPath))
  await t.prompt("write")
  expect(t.results()[0]?.isError).toBe(true)
  expect(t.read("a.ts")).toBe(project["a.ts"])
})

test("what was granted for the session before, and what an answer makes of a call, opens nothing", async () => {
  await using t = await openTestSession({
    ...plainChance,
    files: project,
    mode: "default",
    allow: [],
    script: [
      calls(bash("touch granted.txt")),
      says("Granted."),
      calls(bash("touch again.txt")),
      // Outside the workspace even reading asks, and whoever answers may change the call.
      calls(bash("cat /etc/hostname")),
      calls(read("/etc/hostname")),
      says("No."),
    ],
    answers: ({ ask }) => {
      if (ask.kind !== "permission") return undefined
      if (ask.input.command === "touch granted.txt")
        return { kind: "allow", remember: { rule: "Bash(touch:*)", destination: "session" } }
      return {
        kind: "allow",
        updatedInput: ask.tool === "Bash" ? { command: "touch changed.txt" } : { file_path: t.path("a.ts") },
      }
    },
  })
  await t.prompt("touch")
  void t.session.submit({ type: "set_mode", mode: "plan" })
  await t.prompt("touch again")
  const [granted, again, changed, readInstead] = t.results()
  expect(granted?.isError).toBe(false)
  for (const refused of [again, changed]) expect(String(refused?.content)).toContain("Plan mode is on")
  expect(String(readInstead?.content)).toContain("export const a")
  expect(readdirSync(t.root).filter((name) => /again|changed/.test(name))).toEqual([])
})

const endless = `while true; do sleep 7; done; echo ${mark}`

test("a command that only reads and never ends is ended with the turn, sandbox or not", async () => {
  await using t = await openTestSession({
    ...plainChance,
    files: project,
    mode: "plan",
    script: [calls(bash(endless)), says("Never said.")],
  })
  t.say("watch it")
  await t.until((event) => event.type === "tool_progress")
  expect(processesWith(endless).length).toBeGreaterThan(0)
  void t.session.submit({ type: "interrupt" })
  await t.settled()
  await t.session.close()
  // It has been killed; the system may take a moment on a busy machine.
  await until(async () => processesWith(endless).length === 0)
})

const encloses = existsSync("/usr/bin/bwrap")

test.skipIf(!encloses)("where the sandbox works, commands in plan mode have everything mounted read-only", async () => {
  await using t = await openTestSession({
    ...plainChance,
    files: project,
    mode: "plan",
    bypassAvailable: true,
    allow: ["Read(//proc/**)"],
    script: [
      calls(bash("cat /proc/self/mountinfo")),
      says("Seen."),
      calls(bash("cat /proc/self/mountinfo")),
      says("Seen."),
    ],
  })
  const mountsOf = (index: number): readonly string[] =>
    String(t.results()[index]?.content)
      .split("\n")
      .filter((line) => line.split(" ")[4] === "/")
      .map((line) => line.split(" ")[5]?.split(",")[0] ?? "")
  await t.prompt("look")
  expect(mountsOf(0).at(-1)).toBe("ro")
  void t.session.submit({ type: "set_mode", mode: "bypassPermissions" })
  await t.prompt("look again")
  expect(mountsOf(1).at(-1)).toBe("rw")
})

const project = {
  "a.ts": "export const a = 1\n",
  "src/b.ts": "export const b = 2\n",
  "script.sh": "touch by-script.txt\n",
  "package.json": JSON.stringify({ name: "p", version: "1.0.0", scripts: { test: "touch by-npm.txt" } }),
  Makefile: "all:\n\ttouch by-make.txt\n",
  "patch.diff": "--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-export const a = 1\n+export const a = 9\n",
  "n.ipynb": JSON.stringify({
    cells: [{ cell_type: "code", source: ["1"], metadata: {}, outputs: [], execution_count: null, id: "c1" }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  }),
}

const before = new WeakMap<TestSession, readonly string[]>()

function prepare(t: TestSession): void {
  chmodSync(t.path("script.sh"), 0o755)
  mkdirSync(t.path("empty"))
  symlinkSync("a.ts", t.path("link-to-a.ts"))
  writeFileSync(t.path("../.bashrc"), "# mine\n")
  writeFileSync(t.path("../state/settings.json"), "{}\n")
  const env = { PATH: "/usr/bin:/bin", HOME: t.path(".."), GIT_CONFIG_NOSYSTEM: "1" }
  const git = (...args: string[]): void =>
    void spawnSync("/usr/bin/git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: t.root, env })
  git("init", "-q")
  git("add", "a.ts", "src")
  git("commit", "-q", "-m", "one")
  before.set(t, fingerprints(t))
}

/** Every file around, but for the session's own folder and the plan: what it is, its mode, its content. */
function fingerprints(t: TestSession): readonly string[] {
  const root = t.path("..")
  const skipped = [
    join(root, "state/projects"),
    join(root, "state/plans"),
    join(root, "state/file-history"),
    join(root, "cache"),
  ]
  const walk = (path: string): readonly string[] => {
    if (skipped.includes(path)) return []
    const stat = lstatSync(path)
    const head = `${path.slice(root.length)} ${stat.mode.toString(8)}`
    if (stat.isSymbolicLink()) return [`${head} -> ${readlinkSync(path)}`]
    if (stat.isDirectory())
      return [
        head,
        ...readdirSync(path)
          .toSorted()
          .flatMap((name) => walk(join(path, name))),
      ]
    return [`${head} ${Bun.hash(readFileSync(path)).toString(16)}`]
  }
  return walk(root)
}

/** Processes with our number in their words. */
const sleepers = (): readonly string[] => processesWith(`sleep ${mark}`)

const processesWith = (text: string): readonly string[] =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ")
      return words.includes(text) ? [words] : []
    } catch {
      return []
    }
  })
