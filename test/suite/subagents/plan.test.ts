/** In plan mode, and for agents that only read in every mode: whatever an agent tries, not a byte changes and nobody is asked. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { ScenarioBlock } from "#sim/scenario.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"
import { approve, enter, exit, plainChance, writePlan } from "../plan/plan.ts"
import { cast, children, logOf, requestsOf, resultsOf, task, toolsOf } from "./cast.ts"

setDefaultTimeout(300_000)

const attempts: readonly ScenarioBlock[] = [
  write("new.txt", "x"),
  write("a.ts", "x"),
  write("../outside.txt", "x"),
  write("../state/settings.json", "{}"),
  write("../state/plans/other.md", "x"),
  edit("a.ts", "1", "2"),
  use("MultiEdit", { file_path: "a.ts", edits: [{ old_string: "1", new_string: "2" }] }),
  use("NotebookEdit", { notebook_path: "n.ipynb", new_source: "x", edit_mode: "insert", cell_type: "code" }),
  use("EnterPlanMode", {}),
  use("ExitPlanMode", {}),
  ...[
    "echo x > a.ts",
    "echo x >> a.ts",
    "touch new.txt",
    "rm a.ts",
    "rm -rf src",
    "mv a.ts b.ts",
    "cp a.ts b.ts",
    "ln -s a.ts l.ts",
    "sed -i s/1/2/ a.ts",
    "truncate -s 0 a.ts",
    "tee new.txt < a.ts",
    "git add a.ts",
    "git commit -am x",
    'python3 -c \'open("x","w")\'',
    'node -e \'require("fs").writeFileSync("x","1")\'',
    "bash -c 'touch new.txt'",
    "find . -name a.ts -delete",
    "ls && touch new.txt",
    "echo $(touch new.txt)",
    "(cd src && touch new.txt)",
    "sleep 86393 & touch new.txt",
    "npm install",
  ].map(bash),
]

const files = {
  "a.ts": "const a = 1\n",
  "src/b.ts": "const b = 1\n",
  "n.ipynb": '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}',
}

async function tried(
  mode: "plan" | "bypassPermissions",
  agent: { readonly subagent_type: string; readonly agents?: readonly AgentDefinition[] },
): Promise<TestSession & { readonly questions: () => number; readonly isSame: () => boolean }> {
  let questions = 0
  const steps = attempts.map((attempt) => calls(read("a.ts"), attempt))
  const t = await openTestSession({
    files,
    mode,
    bypassAvailable: true,
    allow: ["Bash", "Edit", "Write"],
    ...(agent.agents && { agents: agent.agents }),
    answers() {
      questions++
      return { kind: "allow" }
    },
    script: cast({
      main: [calls(task("alpha", { subagent_type: agent.subagent_type })), says("Done.")],
      alpha: [...steps, says("Nothing could be changed.")],
    }),
  })
  const before = bytesIn(t.root)
  await t.prompt("go")
  return { ...t, questions: () => questions, isSame: () => bytesIn(t.root) === before }
}

/** Every file with its content, as one text. */
function bytesIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()
  return names
    .map(
      (name) => `${name}: ${statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), "latin1") : "/"}`,
    )
    .join("\n")
}

test("an agent in plan mode changes nothing, in more than thirty ways", async () => {
  await using t = await tried("plan", { subagent_type: "general-purpose" })
  expect(t.isSame()).toBe(true)
  expect(t.questions()).toBe(0)
  const results = (await logOf(t, "alpha")).filter((entry) => entry.kind === "result" && entry.tool !== "Read")
  expect(results).toHaveLength(attempts.length)
  expect(results.filter((entry) => entry.kind === "result" && !entry.isError)).toEqual([])
  expect(resultsOf(t, "Task")[0]).toStartWith("Nothing could be changed.")
})

for (const subagent_type of ["Explore", "Plan"])
  test(`${subagent_type} changes nothing, even where everything is permitted`, async () => {
    await using t = await tried("bypassPermissions", { subagent_type })
    expect(t.isSame()).toBe(true)
    expect(t.questions()).toBe(0)
    const names = toolsOf(t, "alpha")
    for (const hidden of ["Edit", "Write", "MultiEdit", "NotebookEdit", "KillShell", "Task", "ExitPlanMode"])
      expect(names).not.toContain(hidden)
    expect(names).toContain("Bash")
    // The reminder comes with every step, and the prompt says it too.
    const last = requestsOf(t, "alpha").at(-1)
    expect(JSON.stringify(last?.messages).split("You only read. Do not create").length - 1).toBe(attempts.length + 1)
    expect(JSON.stringify(last?.system)).toContain("You read; you never change anything.")
    expect(JSON.stringify(last?.messages)).not.toContain("plan mode")
  })

test("an agent that only reads by its definition cannot be talked into more by its tools", async () => {
  const reader: AgentDefinition = {
    agentType: "reader",
    whenToUse: "To read.",
    systemPrompt: "You read.",
    tools: ["Read", "Write", "Edit", "MultiEdit", "Bash", "NotebookEdit"],
    onlyReads: true,
    source: "project",
  }
  await using t = await tried("bypassPermissions", { subagent_type: "reader", agents: [reader] })
  expect(t.isSame()).toBe(true)
  expect(t.questions()).toBe(0)
})

test("an agent in plan mode has a plan file of its own, beside that of the session", async () => {
  await using t = await openTestSession({
    files,
    mode: "plan",
    script: cast({
      main: [calls(task("alpha")), says("Done.")],
      alpha: [
        (request) => {
          const [, path = ""] =
            /You may keep notes in your own plan file ([^ ]+\.md)/.exec(JSON.stringify(request.messages)) ?? []
          return calls(write(path, "# Notes\n"))
        },
        says("Noted."),
      ],
    }),
  })
  await t.prompt("go")
  const [agent] = children(t)
  const plans = readdirSync(join(t.root, "../state/plans"))
  expect(plans).toEqual([expect.stringMatching(new RegExp(`^[a-z-]+-agent-${agent?.agentId}\\.md$`))])
})

test("an agent is held to the plan that was approved", async () => {
  const asked: string[] = []
  await using t = await openTestSession({
    ...plainChance,
    plan: { enforce: "pause" },
    answers({ ask }) {
      if (ask.kind === "plan") return approve()
      if (ask.kind === "permission") asked.push(ask.decision.message)
      return { kind: "deny", interrupt: false, words: "keep to it" }
    },
    script: cast({
      main: [
        calls(enter),
        calls(writePlan("# Plan\n\n## Files to create\n- named.txt\n")),
        calls(exit),
        calls(task("alpha")),
        says("Done."),
        says("Verified."),
      ],
      alpha: [calls(write("named.txt", "x")), calls(write("other.txt", "x")), says("One was refused.")],
    }),
  })
  await t.prompt("go")
  expect(asked).toEqual(["The approved plan does not name other.txt."])
  expect(t.read("named.txt")).toBe("x")
  expect(await Bun.file(t.path("other.txt")).exists()).toBe(false)
})
