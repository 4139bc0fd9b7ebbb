/**
 * `npm run released`: keeps what this version writes, so that every later one is tested to read it. Run it once for each release,
 * from the built program; a version that is kept is never written again.
 */

import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { ScenarioBlock, ScenarioReply } from "../src/sim/scenario.ts"
import { openSimulator } from "../src/sim/server.ts"
import { version } from "../src/lib/version.ts"

const root = resolve(import.meta.dir, "..")
const kept = join(root, "test/fixtures/released", version)
const program = join(root, "dist/codewright")

/** Logs name the folder they were written in, so it is the same for everybody. */
const place = "/tmp/codewright-released"
const [work, home, state] = ["work", "home", "state"].map((name) => join(place, name)) as [string, string, string]

const use = (tool: string, input: Extract<ScenarioBlock, { tool: string }>["input"]): ScenarioBlock => ({
  tool,
  ...(input && { input }),
})
const says = (text: string): ScenarioReply => ({ content: text })
const calls = (...content: ScenarioBlock[]): ScenarioReply => ({ content })
const bash = (command: string): ScenarioBlock => use("Bash", { command })

type Run = (
  replies: readonly ScenarioReply[],
  args: readonly string[],
  how?: { readonly killAtFile?: string },
) => Promise<void>

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
}

if (existsSync(join(kept, "logs"))) {
  console.error(`${version} is kept already. What was released does not change.`)
  process.exit(1)
}
for (const [name, play] of Object.entries(features)) {
  rmSync(place, { recursive: true, force: true })
  for (const folder of [work, home, state]) mkdirSync(folder, { recursive: true })
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
  const opened = await openSimulator({ scenario: { replies } })
  if (!opened.ok) throw new Error(opened.failure.message)
  const child = Bun.spawn([program, ...args], {
    cwd: work,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: home,
      CODEWRIGHT_HOME: state,
      ANTHROPIC_BASE_URL: opened.value.url,
      ANTHROPIC_API_KEY: "none",
      DISABLE_NON_ESSENTIAL_MODEL_CALLS: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  if (how.killAtFile !== undefined) {
    while (!existsSync(join(work, how.killAtFile))) await Bun.sleep(5)
    child.kill("SIGKILL")
  }
  const [said, complained, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  await opened.value.close()
  if (code !== 0 && how.killAtFile === undefined) throw new Error(`${args.join(" ")}: ${code}\n${said}${complained}`)
}
