/** Skills in whole sessions: named at the start, loaded when needed, carried over a compaction, and never a way around a rule. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { type Message, textOf } from "#agent/words/message.ts"
import { bash, calls, read, says, use, write } from "../../kit/script.ts"
import { cast } from "../subagents/cast.ts"
import { starting } from "./start.ts"

const { start, closeLater } = starting()

const skill = (name: string, args?: string) => use("Skill", { skill: name, ...(args !== undefined && { args }) })
const allText = (messages: readonly Message[] | undefined): string =>
  (messages ?? []).map(({ content }) => JSON.stringify(content)).join("\n")

const brewing =
  "---\ndescription: Brew tea\nwhen_to_use: Use it for tea.\nargument-hint: <who>\n---\nBoil water for $1. Read steps.md."

test("at the start only names and descriptions are there; the tool gives the rest, with the folder", async () => {
  const t = await start({
    script: [calls(skill("brewing", "Ada")), calls(read("../state/skills/brewing/steps.md")), says("Done.")],
    files: {
      "../state/skills/brewing/SKILL.md": brewing,
      "../state/skills/brewing/steps.md": "Step one.",
      ".agents/skills/folding/SKILL.md": "---\ndescription: Fold paper\n---\nFold.",
      ".claude/skills/hidden/SKILL.md": "---\ndescription: Secret\ndisable-model-invocation: true\n---\nx",
      ".claude/skills/no-skill/README.md": "nothing",
    },
  })
  await t.prompt("tea please")
  const first = allText(t.requests()[0])
  expect(first).toContain("- brewing: Brew tea. Use it for tea.")
  expect(first).toContain("- folding: Fold paper")
  expect(first).not.toContain("Boil water")
  expect(first).not.toContain("Secret")
  const [loaded, steps] = t.results()
  const folder = t.path("../state/skills/brewing")
  expect(textOf(loaded?.content ?? "")).toBe(
    `The skill brewing. Its folder is ${folder}; files that it names are there. Follow it from here on.\n\nBoil water for Ada. Read steps.md.`,
  )
  const part = (await t.ask({ type: "context" })).parts.find(({ name }) => name === "Skills")
  expect(part?.tokens).toBeGreaterThan(20)
  // Outside of the workspace, and yet nobody is asked: it belongs to the skill that is in use.
  expect(steps?.isError).toBe(false)
  expect(textOf(steps?.content ?? "")).toContain("Step one.")
})

test("a long skill is loaded whole, and money in it arrives as it is written", async () => {
  const rows = Array.from({ length: 4_000 }, (_, i) => `Row ${i} costs $${i % 10} and =SUM($B$6:$C$${i}).`).join("\n")
  expect(rows.length).toBeGreaterThan(100_000)
  const t = await start({
    script: [calls(skill("prices", "for Ada")), says("Done.")],
    files: { ".claude/skills/prices/SKILL.md": `---\ndescription: Price lists\n---\n${rows}` },
  })
  await t.prompt("prices please")
  expect(textOf(t.results()[0]?.content ?? "")).toEndWith(`\n\n${rows}\n\nARGUMENTS: for Ada`)
})

test("one that there is not, and one that is only for the person, are refused with words", async () => {
  const t = await start({
    script: [
      ...["brewin", "hidden", "../../etc/passwd", "/brewing", " brewing", ""].map((name) => calls(skill(name))),
      says("I see."),
    ],
    files: {
      ".claude/skills/brewing/SKILL.md": brewing,
      ".claude/skills/hidden/SKILL.md": "---\ndescription: Secret\ndisable-model-invocation: true\n---\nx",
    },
  })
  await t.prompt("go")
  expect(t.results().map(({ isError, content }) => [isError, textOf(content)])).toEqual([
    [true, "There is no skill brewin. Did you mean brewing?"],
    [true, "Only the user can start hidden, by typing /hidden. Tell them so if it would help."],
    [true, "There is no skill ../../etc/passwd. Use a name from the list of skills, or continue without one."],
    // Rules are held against the name as it was written, so there is only one way to write it.
    [true, "Give the bare name: brewing."],
    [true, "Give the bare name: brewing."],
    [true, expect.stringContaining("must be the name of a skill")],
  ])
})

test("a skill is a command for the person, unless it says otherwise", async () => {
  const t = await start({
    script: [says("Done.")],
    files: {
      ".claude/skills/brewing/SKILL.md": brewing,
      ".claude/skills/inner/SKILL.md": "---\ndescription: For the model\nuser-invocable: false\n---\nx",
    },
  })
  expect((await t.ask({ type: "commands" })).map(({ name }) => name)).not.toContain("inner")
  expect((await t.session.submit({ type: "command", name: "inner", args: "" })).ok).toBe(false)
  await t.prompt("/brewing Bob")
  expect(allText(t.requests()[0])).toContain("Boil water for Bob.")
})

const maker = "---\ndescription: Makes things\nallowed-tools: Bash(touch:*)\n---\nMake it."

test("one that allows something is asked about, and what it allows ends with the turn", async () => {
  const asked: string[] = []
  const t = await start({
    script: [
      calls(skill("maker")),
      calls(bash("touch one")),
      says("Made."),
      calls(bash("touch two")),
      says("Not made."),
    ],
    files: { ".claude/skills/maker/SKILL.md": maker },
    answers({ ask }) {
      if (ask.kind !== "permission") return undefined
      asked.push(`${ask.tool} ${ask.risks?.join(" ") ?? ""}`.trim())
      return ask.tool === "Skill" ? { kind: "allow" } : { kind: "deny", words: "no", interrupt: false }
    },
  })
  await t.prompt("make one")
  await t.prompt("make two")
  expect(asked).toEqual(["Skill Until the turn ends it allows: Bash(touch:*).", "Bash"])
  expect(t.results().map(({ isError }) => isError)).toEqual([false, false, true])
})

test("rules speak about skills by name", async () => {
  const t = await start({
    script: [calls(skill("maker"), skill("brewing")), calls(bash("touch one")), says("Done.")],
    allow: ["Skill(maker)"],
    deny: ["Skill(brew*)"],
    files: { ".claude/skills/maker/SKILL.md": maker, ".claude/skills/brewing/SKILL.md": brewing },
  })
  await t.prompt("go")
  expect(t.results().map(({ isError }) => isError)).toEqual([false, true, false])
})

test("the older name of such rules means the same", async () => {
  const t = await start({
    script: [calls(skill("brewing")), calls(skill("maker")), says("Done.")],
    allow: ["SlashCommand(/maker:*)"],
    deny: ["SlashCommand(/brewing)"],
    files: { ".claude/skills/maker/SKILL.md": maker, ".claude/skills/brewing/SKILL.md": brewing },
  })
  await t.prompt("go")
  expect(t.results().map(({ isError }) => isError)).toEqual([true, false])
})

test("without commands a slash is text, and there is no skill", async () => {
  const t = await start({
    script: [says("Text.")],
    extensions: { claudeFolder: "/nonexistent", bundled: true, commands: "off", outputStyle: "learning" },
    files: { ".claude/skills/brewing/SKILL.md": brewing },
  })
  await t.prompt("/brewing")
  expect(t.requests()).toEqual([[{ role: "user", content: [{ type: "text", text: "/brewing" }] }]])
  expect([
    await t.ask({ type: "commands" }),
    await t.ask({ type: "skills" }),
    (await t.ask({ type: "about" })).tools.includes("Skill"),
  ]).toEqual([[], [], false])
  expect(JSON.stringify(t.simulator.requests[0]?.body)).toContain("# Output style: learning")
})

test("in plan mode what a skill allows opens nothing", async () => {
  const t = await start({
    mode: "plan",
    script: [calls(skill("maker")), calls(bash("touch one")), says("No.")],
    allow: ["Skill"],
    files: { ".claude/skills/maker/SKILL.md": maker },
  })
  await t.prompt("make one")
  expect(t.results().map(({ isError }) => isError)).toEqual([false, true])
  expect(() => t.read("one")).toThrow()
})

test("a skill that was written in the session allows nothing, whoever allows skills", async () => {
  const t = await start({
    mode: "bypassPermissions",
    bypassAvailable: true,
    script: [
      calls(write("own/x", "x"), bash("mkdir -p skills-made")),
      calls(skill("maker")),
      says("Loaded."),
      calls(skill("maker")),
      calls(bash("touch one")),
      says("Done."),
    ],
    allow: ["Skill"],
    files: { ".claude/skills/maker/SKILL.md": "---\ndescription: Makes things\n---\nMake it." },
  })
  await t.prompt("prepare")
  // As if the agent had done it, in a way that nobody saw.
  writeFileSync(t.path(".claude/skills/maker/SKILL.md"), maker)
  void t.session.submit({ type: "set_mode", mode: "default" })
  await t.prompt("make one")
  expect(t.results().at(-1)?.isError).toBe(true)
  expect(() => t.read("one")).toThrow()
})

test("what a skill runs in order to be said is decided call by call", async () => {
  const t = await start({
    script: [calls(skill("looker")), says("Seen.")],
    deny: ["Bash(rm:*)"],
    files: {
      "a.txt": "alpha",
      ".claude/skills/looker/SKILL.md":
        "---\ndescription: Looks\n---\nHere: !`ls a.txt` and !`rm a.txt` and !`touch b`",
    },
  })
  await t.prompt("look")
  const text = textOf(t.results()[0]?.content ?? "")
  expect(text).toContain("Here: <command-output>a.txt</command-output> and [Not run: rm a.txt. ")
  expect(text).toContain("[Not run: touch b. ")
  expect(t.read("a.txt")).toBe("alpha")
})

test("one for some files is named once such a file was touched", async () => {
  const t = await start({
    script: [calls(read("src/a.css")), calls(read("src/b.css")), says("Seen.")],
    files: {
      "src/a.css": "a {}",
      "src/b.css": "b {}",
      ".claude/skills/styling/SKILL.md": "---\ndescription: About styles\npaths: '*.css'\n---\nx",
    },
  })
  await t.prompt("look")
  const named = t.requests().map((messages) => allText(messages).split("- styling: About styles").length - 1)
  expect(named).toEqual([0, 1, 1])
})

test("too many for their share are cut, the longest first, and the list says so", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [
      `.claude/skills/s${i}/SKILL.md`,
      `---\ndescription: ${i === 7 ? "short" : `long ${"word ".repeat(150)}`}\n---\nx`,
    ]),
  )
  const t = await start({ script: [says("Hello.")], files })
  await t.prompt("hello")
  const list = t.entries().find((entry) => entry.kind === "attachment" && entry.name === "skills")
  const text = list?.kind === "attachment" ? list.text : ""
  expect(text.length).toBeLessThanOrEqual(200_000 * 0.02 * 4)
  expect(text).toContain("- s7: short\n")
  expect(text).toContain("…")
  expect(text).toEndWith("(Some descriptions are cut to save room; the Skill tool gives the whole skill.)")
})

test("over twenty steps with skills, and while their files change, each request begins as the one before", async () => {
  const script = Array.from({ length: 19 }, (_, i) => calls(i % 4 === 0 ? skill("brewing") : read("a.txt")))
  const t = await start({
    script: [...script, says("Done."), says("More.")],
    files: { "a.txt": "a", ".claude/skills/brewing/SKILL.md": brewing },
  })
  await t.prompt("go")
  for (const name of ["other", "brewing"]) {
    mkdirSync(dirname(t.path(`.claude/skills/${name}/SKILL.md`)), { recursive: true })
    writeFileSync(t.path(`.claude/skills/${name}/SKILL.md`), "---\ndescription: New words\n---\ny")
  }
  await t.prompt("more")
  const bodies = t.simulator.requests.map(({ body }) => body as { system: unknown; tools: unknown })
  expect(bodies).toHaveLength(21)
  for (const [i, messages] of t.requests().entries()) {
    if (i === 0) continue
    const before = t.requests()[i - 1] ?? []
    expect(messages.slice(0, before.length)).toEqual([...before])
    const fixed = ({ system, tools }: { system: unknown; tools: unknown }) =>
      JSON.stringify({ system, tools }, (key, value: unknown) => (key === "cache_control" ? undefined : value))
    expect(fixed(bodies[i] ?? { system: 0, tools: 0 })).toBe(fixed(bodies[0] ?? { system: 1, tools: 1 }))
  }
})

test("what was loaded is there after a compaction, also after a second one in another process; the list is as it is then", async () => {
  const summary = `<summary>${"Tea was made, and much was read. ".repeat(10)}</summary>`
  const body = `Boil water. ${"Stir well. ".repeat(50)}`
  const t = await start({
    script: [
      calls(skill("brewing")),
      calls(read("big.txt")),
      calls(bash("ls")),
      says("Loaded."),
      says(summary),
      calls(read("big.txt")),
      calls(bash("ls")),
      says("Going on."),
      says(summary),
      says("Still here."),
    ],
    files: {
      "big.txt": "Many words stand here.\n".repeat(1_500),
      ".claude/skills/brewing/SKILL.md": `---\ndescription: Brew tea\n---\n${body}`,
    },
  })
  await t.prompt("tea")
  writeFileSync(t.path(".claude/skills/brewing/SKILL.md"), "---\ndescription: Brew coffee\n---\nGrind.")
  void t.session.submit({ type: "compact" })
  await t.settled()
  await t.prompt("on")
  const afterOne = allText(t.requests().at(-1))
  expect(afterOne).toContain("A skill that was loaded before")
  expect(afterOne).toContain("Stir well. Stir well.")
  expect(afterOne).toContain("- brewing: Brew coffee")
  expect(afterOne).not.toContain("- brewing: Brew tea")
  const again = await t.reopen()
  closeLater(again)
  void again.session.submit({ type: "compact" })
  await again.settled()
  await again.prompt("still?")
  const afterTwo = allText(again.requests().at(-1))
  expect(afterTwo).toContain("Stir well. Stir well.")
  expect(afterTwo.split("A skill that was loaded before").length - 1).toBe(1)
})

test("a skill that would fill the window is cut, and says where the rest is", async () => {
  const t = await start({
    script: [calls(skill("long")), says("Read.")],
    files: { ".claude/skills/long/SKILL.md": `---\ndescription: Long\n---\n${"A line of it.\n".repeat(50_000)}` },
  })
  await t.prompt("go")
  const text = textOf(t.results()[0]?.content ?? "")
  expect(text.length).toBeLessThan(310_000)
  expect(text).toEndWith(`Read ${t.path(".claude/skills/long/SKILL.md")} for the rest.]`)
})

test("the older name and its one line work, and rules hold for them all the same", async () => {
  const files = { ".claude/skills/deploy/SKILL.md": "---\ndescription: Deploys\n---\nDeploy $ARGUMENTS." }
  const slash = calls(use("SlashCommand", { command: "/deploy to the moon" }))
  const t = await start({ script: [slash, says("ok")], files })
  await t.prompt("go")
  expect(String(t.results()[0]?.content)).toContain("Deploy to the moon.")
  expect(t.results()[0]?.data).toMatchObject({ skill: "deploy" })
  const denied = await start({ script: [slash, says("ok")], files, deny: ["Skill(deploy)"] })
  await denied.prompt("go")
  expect(denied.results()[0]).toMatchObject({ isError: true })
  const byOldRule = await start({
    script: [calls(use("Skill", { skill: "deploy" })), says("ok")],
    files,
    deny: ["SlashCommand(/deploy:*)"],
  })
  await byOldRule.prompt("go")
  expect(byOldRule.results()[0]).toMatchObject({ isError: true })
})

test("an agent of its own may use what the skill or command allows, with its hooks, and the conversation may not", async () => {
  const head = `context: fork
allowed-tools: Bash(touch:*)
hooks:
  PostToolUse:
    - matcher: Bash
      hooks: [{ type: command, command: "echo ran >> ../ran" }]
`
  for (const prompt of ["/build", "go"]) {
    const t = await start({
      files: { ".claude/skills/build/SKILL.md": `---\ndescription: Builds\n${head}---\nalpha: build it.` },
      answers: ({ ask }) =>
        ask.kind === "permission" && ask.tool === "Skill" ? { kind: "allow" } : { kind: "deny", interrupt: false },
      script: cast({
        alpha: [calls(bash("touch made")), says("Built.")],
        main: [
          ...(prompt === "go" ? [calls(use("Skill", { skill: "build" }))] : []),
          calls(bash("touch after")),
          says("ok"),
        ],
      }),
    })
    await t.prompt(prompt)
    expect([existsSync(t.path("made")), existsSync(t.path("after"))]).toEqual([true, false])
    expect(t.read("../ran")).toBe("ran\n")
  }
})

const crowd = Object.fromEntries([
  ...Array.from({ length: 500 }, (_, i) => [
    `.claude/skills/house-rule-${i}/SKILL.md`,
    `---\ndescription: A rule of the house, number ${i}, told at some length\n---\nx`,
  ]),
  ...Array.from({ length: 300 }, (_, i) => [`.claude/commands/chore-${i}.md`, "---\ndescription: A chore\n---\nx"]),
  [".claude/skills/zebra/SKILL.md", "---\ndescription: Draws zebras and other striped animals\n---\nx"],
  [".claude/skills/yodel/SKILL.md", "---\ndescription: Yodels across valleys\n---\nx"],
])

test("of more skills than have room, those that fit a prompt are told with it, once, and all within the budget", async () => {
  const characters = 4_000
  const extensions = { claudeFolder: "/nonexistent", bundled: false, listingCharacters: characters }
  const t = await start({ script: [says("1"), says("2"), says("3"), says("4")], files: crowd, extensions })
  const told = () => t.entries().filter((entry) => entry.kind === "attachment" && entry.name.startsWith("skills"))
  await t.prompt("Draw me a zebra.")
  expect(told()).toMatchObject([{ name: "skills", data: { whole: ["zebra"] } }])
  await t.prompt("And now something else entirely.")
  await t.prompt("Yodel for me, please, across the valley.")
  expect(told().slice(1)).toMatchObject([
    {
      name: "skills_by_prompt",
      text: "Skills that may fit this, to be loaded with the Skill tool:\n- yodel: Yodels across valleys",
    },
  ])
  await t.prompt("Yodel again.")
  expect(told()).toHaveLength(2)
  const length = told().reduce((sum, entry) => sum + ("text" in entry ? entry.text.length : 0), 0)
  expect(length).toBeLessThanOrEqual(characters)
})
