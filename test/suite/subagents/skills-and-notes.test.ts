/** What an agent's file gives it besides tools: skills, skills that it begins with, and notes of its own. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { decodeFile } from "#kits/subagents/decode.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { openTestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"
import { cast, logOf, requestsOf, resultsOf, task, toolsOf } from "./cast.ts"

setDefaultTimeout(300_000)

const agentIn = (head: string): AgentDefinition => {
  const { definitions, problems } = decodeFile({
    source: "user",
    path: "/agents/helper.md",
    text: `---\nname: helper\ndescription: Helps.\n${head}\n---\nYou help.`,
  })
  expect(problems).toEqual([])
  const [definition] = definitions
  if (!definition) throw new Error("it was not understood")
  return definition
}

const start = (options: TestSessionOptions & { readonly head: string }) =>
  openTestSession({
    allow: [],
    mode: "default",
    extensions: { claudeFolder: "/nonexistent", bundled: false },
    ...options,
    agents: [agentIn(options.head)],
    place: { trusted: true, ...options.place },
  })

const helper = task("alpha", { subagent_type: "helper" })
const brewing = { ".claude/skills/brewing/SKILL.md": "---\ndescription: Brew tea\n---\nBoil the water first." }
const first = (t: Awaited<ReturnType<typeof start>>): string => JSON.stringify(requestsOf(t, "alpha")[0]?.messages)

test("an agent that has all tools, or asks for Skill, loads skills; another one hears nothing of them", async () => {
  for (const [head, isOffered] of [
    ["color: red", true],
    ["tools: Read, Skill", true],
    ["tools: Read", false],
    ["disallowedTools: Skill", false],
  ] as const) {
    await using t = await start({
      head,
      files: brewing,
      script: cast({
        main: [calls(helper), says("ok")],
        alpha: [calls(use("Skill", { skill: "brewing" })), says("done")],
      }),
    })
    await t.prompt("go")
    expect(toolsOf(t, "alpha").includes("Skill")).toBe(isOffered)
    expect(first(t).includes("- brewing: Brew tea")).toBe(isOffered)
    const result = (await logOf(t, "alpha")).find((entry) => entry.kind === "result")
    expect(JSON.stringify(result).includes("Boil the water first.")).toBe(isOffered)
  }
})

test("an agent is told of a skill that was written in the same turn, and can load one that another agent wrote", async () => {
  const skill = (name: string) =>
    bash(
      `mkdir -p .claude/skills/${name} && printf -- '---\\ndescription: Make ${name}\\n---\\nStir.' > .claude/skills/${name}/SKILL.md`,
    )
  await using t = await start({
    head: "color: red",
    answers: () => ({ kind: "allow" }),
    files: brewing,
    script: cast({
      main: [calls(skill("soup")), calls(helper), calls(task("beta", { subagent_type: "helper" })), says("ok")],
      alpha: [calls(skill("bread")), says("done")],
      beta: [calls(use("Skill", { skill: "bread" })), says("done")],
    }),
  })
  await t.prompt("go")
  expect(first(t)).toContain("- brewing: Brew tea")
  expect(first(t)).toContain("- soup: Make soup")
  const loaded = (await logOf(t, "beta")).find((entry) => entry.kind === "result")
  expect(JSON.stringify(loaded)).toContain("Stir.")
})

test("a prompt of an agent is never a slash command", async () => {
  await using t = await start({
    head: "color: red",
    files: { ".claude/commands/alpha.md": "---\ndescription: No\n---\nexpanded" },
    script: cast({ main: [calls(task("alpha", { subagent_type: "helper", prompt: "/alpha" })), says("ok")] }),
  })
  await t.prompt("go")
  expect(first(t)).not.toContain("expanded")
})

test("skills of an agent are in its first message, without what they would allow", async () => {
  await using t = await start({
    head: "tools: Bash\nskills: brewing, missing, guarded",
    deny: ["Skill(guarded)"],
    mode: "dontAsk",
    files: {
      ".claude/skills/brewing/SKILL.md":
        "---\ndescription: Brew tea\nallowed-tools: Bash(touch:*)\n---\nBoil the water first. Costs $5.",
      ".claude/skills/guarded/SKILL.md": "---\ndescription: Secret\n---\nNever shown.",
    },
    script: cast({ main: [calls(helper), says("ok")], alpha: [calls(bash("touch made")), says("done")] }),
  })
  await t.prompt("go")
  expect(first(t)).toContain("The skill brewing.")
  expect(first(t)).toContain("Boil the water first. Costs $5.")
  expect(first(t)).toContain("The skill missing, which this agent was to begin with, does not exist.")
  expect(first(t)).toContain("The skill guarded, which this agent was to begin with, is not loaded")
  expect(first(t)).not.toContain("Never shown.")
  expect(existsSync(t.path("made"))).toBe(false)
})

test("a skill that an agent begins with runs its lines as calls of the agent", async () => {
  await using t = await start({
    head: "tools: Bash\nskills: status",
    allow: ["Bash(echo:*)"],
    files: { ".claude/skills/status/SKILL.md": "---\ndescription: Status\n---\nNow: !`echo four${X}teen`" },
    script: cast({ main: [calls(helper), says("ok")], alpha: [says("done")] }),
  })
  await t.prompt("go")
  expect(first(t)).toContain("fourteen")
})

test("an agent that is resumed is not given its skills twice", async () => {
  await using t = await start({
    head: "skills: brewing",
    files: brewing,
    script: cast({
      main: [
        calls(helper),
        (request) => {
          const [, id = ""] = /Task with resume \\?"([^"\\]+)/.exec(JSON.stringify(request.messages)) ?? []
          return calls(task("more", { subagent_type: "helper", resume: id }))
        },
        says("ok"),
      ],
      alpha: [says("done"), says("done again")],
    }),
  })
  await t.prompt("go")
  const last = JSON.stringify(requestsOf(t, "alpha").at(-1)?.messages)
  expect(resultsOf(t, "Task").at(-1)).toContain("done again")
  expect(last.split("Boil the water first.")).toHaveLength(2)
})

test("notes are given at the start and may be written, and nothing else may", async () => {
  await using t = await start({
    head: "tools: Read\nmemory: project",
    files: { ".claude/agent-memory/helper/MEMORY.md": "The build needs Java 21.\n" },
    script: cast({
      main: [calls(helper), says("ok")],
      alpha: [
        calls(write(".claude/agent-memory/helper/java.md", "Java 21.\n")),
        calls(write("elsewhere.md", "no\n")),
        calls(write(".claude/settings.json", "{}\n")),
        says("done"),
      ],
    }),
  })
  await t.prompt("go")
  expect(first(t)).toContain("The build needs Java 21.")
  expect(JSON.stringify(requestsOf(t, "alpha")[0]?.system)).toContain(t.path(".claude/agent-memory/helper"))
  expect(t.read(".claude/agent-memory/helper/java.md")).toBe("Java 21.\n")
  expect(existsSync(t.path("elsewhere.md"))).toBe(false)
  expect(existsSync(t.path(".claude/settings.json"))).toBe(false)
  expect(t.entries().filter(({ kind }) => kind === "question")).toEqual([])
})

test("notes of a user's agent are in the user's folder, and those of a project where nothing is trusted are nowhere", async () => {
  const script = () =>
    cast({
      main: [calls(helper), says("ok")],
      alpha: [calls(write("../state/agent-memory/helper/a.md", "a\n")), says("done")],
    })
  await using user = await start({ head: "tools: Read\nmemory: user", script: script(), mode: "dontAsk" })
  await user.prompt("go")
  expect(user.read("../state/agent-memory/helper/a.md")).toBe("a\n")
  await using project = await start({
    head: "tools: Read\nmemory: project",
    script: script(),
    mode: "dontAsk",
    place: { trusted: false },
    files: { ".claude/agent-memory/helper/MEMORY.md": "Planted.\n" },
  })
  await project.prompt("go")
  expect(first(project)).not.toContain("Planted.")
  expect(toolsOf(project, "alpha")).not.toContain("Write")
})

test("a link in the project does not choose where an agent may write", async () => {
  await using t = await start({
    head: "memory: project",
    mode: "dontAsk",
    script: cast({
      main: [calls(helper), says("ok")],
      alpha: [calls(write(".claude/agent-memory/helper/pre-commit", "evil\n")), says("done")],
    }),
  })
  mkdirSync(t.path("hooks"))
  mkdirSync(t.path(".claude/agent-memory"), { recursive: true })
  symlinkSync(t.path("hooks"), join(t.path(".claude/agent-memory"), "helper"))
  await t.prompt("go")
  expect(existsSync(t.path("hooks/pre-commit"))).toBe(false)
})

test("a plan is not a reason to write notes", async () => {
  await using t = await start({
    head: "memory: project",
    mode: "plan",
    script: cast({
      main: [calls(helper), says("ok")],
      alpha: [calls(write(".codewright/agent-memory/helper/a.md", "a\n")), says("done")],
    }),
  })
  await t.prompt("go")
  expect(existsSync(t.path(".codewright/agent-memory/helper/a.md"))).toBe(false)
})
