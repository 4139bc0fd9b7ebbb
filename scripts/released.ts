/**
 * `npm run released`: keeps what this version writes, so that every later one is tested to read it. Run it once for each release,
 * from the built program; a version that is kept is never written again.
 */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { SimRequest } from "../src/sim/request.ts"
import type { ScenarioBlock, ScenarioReply } from "../src/sim/scenario.ts"
import { openSimulator } from "../src/sim/server.ts"
import { version } from "../src/lib/version.ts"

const root = resolve(import.meta.dir, "..")
const kept = join(root, "test/fixtures/released", version)
const program = join(root, "dist/codewright")

/** Logs name the folder they were written in, so it is the same for everybody. */
const place = "/tmp/codewright-released"
const [work, home, state, other] = ["work", "home", "state", "other"].map((name) => join(place, name)) as [
  string,
  string,
  string,
  string,
]

const use = (tool: string, input: Extract<ScenarioBlock, { tool: string }>["input"]): ScenarioBlock => ({
  tool,
  ...(input && { input }),
})
const says = (text: string): ScenarioReply => ({ content: text })
const calls = (...content: ScenarioBlock[]): ScenarioReply => ({ content })
const bash = (command: string): ScenarioBlock => use("Bash", { command })

interface How {
  readonly killAtFile?: string
  /** Of a session in the background: what it says last. */
  readonly untilSaid?: string
  /** With the same model. */
  readonly then?: How & { readonly args: readonly string[] }
}

/** In order, or by what is asked. */
type Replies = readonly ScenarioReply[] | ((request: SimRequest) => ScenarioReply)

type Run = (replies: Replies, args: readonly string[], how?: How) => Promise<void>

const resume = ["--resume", "5f1d0000-0000-4000-8000-000000000001"]
const first = ["--session-id", "5f1d0000-0000-4000-8000-000000000001", "--permission-mode", "acceptEdits"]

/** What a session can be like, one log each. */
const features: { readonly [name: string]: (run: Run) => Promise<void> } = {
  async tools(run) {
    const todos = [{ content: "Look", activeForm: "Looking", status: "in_progress" }]
    await run(
      [
        calls(
          { thinking: "I look first." },
          "I look.",
          use("Read", { file_path: "a.txt" }),
          use("TodoWrite", { todos }),
        ),
        calls(use("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" })),
        calls(use("Write", { file_path: "new.txt", content: "new\n" }), bash("cat a.txt; exit 3"), bash("rm -rf /")),
        says("Done."),
      ],
      ["-p", "change it", ...first],
    )
  },
  async plan(run) {
    await run(
      [calls(use("Write", { file_path: "b.txt", content: "x" })), says("Only a plan.")],
      ["-p", "plan it", "--session-id", resume[1] ?? "", "--permission-mode", "plan"],
    )
  },
  async resumed(run) {
    await run([says("Hello.")], ["-p", "hello", ...first])
    await run([says("Hello again.")], ["-p", "again", ...resume])
  },
  async rewound(run) {
    await run([calls(use("Write", { file_path: "c.txt", content: "1" })), says("One.")], ["-p", "one", ...first])
    await run([calls(use("Write", { file_path: "d.txt", content: "2" })), says("Two.")], ["-p", "two", ...resume])
    await run([], ["rewind", resume[1] ?? "", "--to", "2"])
    await run([says("Three.")], ["-p", "three", ...resume])
  },
  async compacted(run) {
    await run([calls(bash("seq 1 3000")), says("Printed.")], ["-p", "print them", ...first, "--allowed-tools", "Bash"])
    const summary = "Numbers were printed. ".repeat(10)
    await run([says(`<summary>${summary}</summary>`)], ["-p", "/compact", ...resume])
    await run([says("And on.")], ["-p", "go on", ...resume])
  },
  async agents(run) {
    const task = use("Task", { subagent_type: "general-purpose", description: "Help", prompt: "Say hello." })
    await run([calls(task), says("Hello from the agent."), says("It said hello.")], ["-p", "ask for help", ...first])
  },
  async team(run) {
    const help = use("Task", {
      subagent_type: "general-purpose",
      description: "Help",
      prompt: "Say hello, Ann.",
      team_name: "crew",
      name: "ann",
    })
    const task = use("TaskCreate", { subject: "Say hello", description: "In one word." })
    const steps: { readonly [who: string]: readonly ScenarioReply[] } = {
      ann: [calls(use("TaskUpdate", { taskId: "1", status: "completed" })), says("Hello from Ann.")],
      lead: [calls(use("TeamCreate", { name: "crew" })), calls(task), calls(help), says("Waiting.")],
    }
    const played: { [who: string]: number } = {}
    await run(
      ({ messages }) => {
        const who = JSON.stringify(messages[0]?.content).includes("Say hello, Ann.") ? "ann" : "lead"
        const reply = steps[who]?.[(played[who] = (played[who] ?? -1) + 1)]
        return reply ?? says(who === "ann" ? "Hello again." : "Ann has said hello.")
      },
      ["-p", "ask a team", ...first],
    )
  },
  async workflow(run) {
    const script =
      'export default async ({ agent }) => Promise.all(["one", "two"].map((word) => agent("Say " + word + ".")))'
    const propose = use("Workflow", { name: "both", script, max_budget_usd: 1 })
    const said = "Both were said."
    await run(
      ({ messages }) => {
        const word = /Say (one|two)\./.exec(JSON.stringify(messages[0]?.content))?.[1]
        if (word !== undefined) return says(`${word}!`)
        const asked = JSON.stringify(messages)
        if (asked.includes("<task-notification>")) return says(said)
        return asked.includes("tool_result") ? says("Started.") : calls(propose)
      },
      ["--bg", "say both", ...first, "--allowed-tools", "Workflow"],
      { untilSaid: said },
    )
  },
  async killed(run) {
    const command = "touch begun; sleep 30"
    await run([calls(bash(command))], ["-p", "wait", ...first, "--allowed-tools", "Bash"], { killAtFile: "begun" })
  },
  async cut(run) {
    const fault = { name: "reset_after_tool_call" as const }
    await run(
      [{ ...calls("Reading.", use("Read", { file_path: "a.txt" })), fault }, says("Done.")],
      ["-p", "read it", ...first],
    )
  },
  async goal(run) {
    await run(
      [says("I think it is done."), calls(bash("touch done.txt")), says("Now it is.")],
      ["-p", "make done.txt", ...first, "--goal", "$ test -f done.txt", "--allowed-tools", "Bash"],
    )
  },
  async loop(run) {
    const said = "The build is green."
    await run([says(said)], ["--bg", "/loop 10m look at the build", ...first], { untilSaid: said })
  },
  async messages(run) {
    const heard = "I heard of it."
    await run([says("Hello, all."), says(heard)], ["--bg", "hello", ...first], {
      untilSaid: "Hello, all.",
      then: { args: ["agents", "send", resume[1] ?? "", "The tests moved to spec."], untilSaid: heard },
    })
  },
  async deferred(run) {
    const command = 'echo \'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}\''
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] }
    const settings = ["--settings", JSON.stringify({ hooks })]
    const argv = ["-p", "deploy it", ...first, "--allowed-tools", "Bash", ...settings]
    await run([calls(bash("echo deployed > live.txt"))], argv)
    await run([], ["sessions", "answer", resume[1] ?? "", "--allow", "--message", "but quietly"])
    await run([says("It is live.")], ["-p", "continue", ...resume, ...settings])
  },
  async gates(run) {
    await run(
      [
        calls(
          use("Write", { file_path: "b.txt", content: "x" }),
          bash("git init -q; git commit -q --allow-empty -m 1"),
        ),
        says("Refused."),
      ],
      ["-p", "begin", ...first, "--gates", "files,git", "--allowed-tools", "Bash"],
    )
    await run([], ["-p", "/gates files off", ...resume])
  },
  async slash(run) {
    await run(
      [
        calls(use("Read", { file_path: "a.txt" })),
        calls(use("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" })),
        says("Two."),
      ],
      ["-p", "count", ...first],
    )
    for (const typed of [
      "/diff undo 1",
      "/good short",
      "/rename counting",
      `/add-dir ${other}`,
      "/budget 5",
      "/effort high",
      "!cat a.txt",
    ])
      await run([], ["-p", typed, ...resume])
  },
  async recorded(run) {
    // Too large to be scanned, so what a command changes is recorded while it runs.
    mkdirSync(join(work, "many"))
    for (let i = 0; i < 20_100; i++) writeFileSync(join(work, "many", `${i}`), "")
    await run(
      [calls(bash("rm a.txt; echo two > b.txt; rm many/7")), says("Changed.")],
      ["-p", "change them", ...first, "--allowed-tools", "Bash"],
    )
    await run([], ["rewind", resume[1] ?? "", "--to", "1"])
    await run([says("As before.")], ["-p", "and now", ...resume])
  },
}

const all = Object.entries(features)
const missing = all.filter(([name]) => !existsSync(join(kept, "logs", name)))
if (missing.length === 0) {
  console.error(`${version} is kept already. What was released does not change.`)
  process.exit(1)
}
for (const [name, play] of missing) {
  rmSync(place, { recursive: true, force: true })
  for (const folder of [work, home, state, other]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(work, "a.txt"), "one\n")
  await play(runProgram)
  const [project = ""] = readdirSync(join(state, "projects"))
  // What a running process needs is gone with it.
  const filter = (path: string): boolean => !/\/run-[^/]+$|\.lock$/.test(path)
  cpSync(join(state, "projects", project), join(kept, "logs", name), { recursive: true, filter })
  console.log(`kept ${name}`)
}
rmSync(place, { recursive: true, force: true })

async function runProgram(...[replies, args, how = {}]: Parameters<Run>): Promise<void> {
  const opened = await openSimulator({ scenario: typeof replies === "function" ? replies : { replies } })
  if (!opened.ok) throw new Error(opened.failure.message)
  for (let next: (How & { readonly args: readonly string[] }) | undefined = { ...how, args }; next; next = next.then)
    await runOnce(opened.value.url, next.args, next)
  await opened.value.close()
}

async function runOnce(url: string, args: readonly string[], { killAtFile, untilSaid }: How): Promise<void> {
  const child = Bun.spawn([program, ...args], {
    cwd: work,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: home,
      CODEWRIGHT_HOME: state,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "none",
      DISABLE_NON_ESSENTIAL_MODEL_CALLS: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  if (killAtFile !== undefined) {
    while (!existsSync(join(work, killAtFile))) await Bun.sleep(5)
    child.kill("SIGKILL")
  }
  const [said, complained, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0 && killAtFile === undefined) throw new Error(`${args.join(" ")}: ${code}\n${said}${complained}`)
  while (untilSaid !== undefined && !logs().some((text) => text.includes(untilSaid))) await Bun.sleep(50)
}

function logs(): readonly string[] {
  const below = join(state, "projects")
  const found = existsSync(below) ? [...new Bun.Glob("**/*.jsonl").scanSync({ cwd: below, absolute: true })] : []
  return found.map((path) => readFileSync(path, "utf8"))
}
