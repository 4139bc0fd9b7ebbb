/** The sandbox on, with bubblewrap: what runs unasked in it, what it refuses, and how a command comes to run outside. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Answer, Question } from "#agent/words/question.ts"
import type { SandboxSettings } from "#ground/settings/settings.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"
import { lastingFolder } from "../../kit/tmp.ts"

type Commands = readonly (string | { readonly command: string; readonly dangerouslyDisableSandbox: boolean })[]

const open = (
  commands: Commands,
  settings: SandboxSettings,
  more: Partial<TestSessionOptions> = {},
): Promise<TestSession> =>
  openTestSession({
    script: [
      ...commands.map((each) => calls(typeof each === "string" ? bash(each) : use("Bash", { ...each }))),
      says("Done."),
    ],
    mode: "default",
    allow: [],
    sandbox: { values: { enabled: true, ...settings }, sources: [] },
    ...more,
  })

const decisions = (t: TestSession): readonly string[] => t.story().filter((line) => line.startsWith("decision"))
const sandboxes = (t: TestSession): readonly unknown[] => t.results().map(({ data }) => data?.["sandbox"])
const inside = { by: "bubblewrap", as: "workspace" }
const outside = { by: "none", because: expect.any(String) }
const auto: SandboxSettings = { autoAllowBashIfSandboxed: true }

test("with auto-allow everyday commands run unasked and confined", async () => {
  const commands = [
    "f=$(mktemp) && echo hello > $f && cat $f && rm $f",
    "cat <<'EOF' | tr a-z A-Z > loud.txt\nhello\nEOF",
    "(sleep 0.1; echo a > one) & (echo b > two) & wait; cat one two",
    "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm first && git log --oneline | wc -l",
    "python3 - <<'EOF'\nopen('made.py', 'w').write('print(1)')\nEOF",
    "for i in 1 2 3; do touch n$i; done; ls n* | wc -l",
  ]
  await using t = await open(commands, auto)
  await t.prompt("go")
  expect(decisions(t)).toEqual(commands.map(() => "decision allow Bash by sandboxed"))
  expect(sandboxes(t)).toEqual(commands.map(() => inside))
  expect(
    t
      .results()
      .filter(({ isError }) => isError)
      .map(({ content }) => content),
  ).toEqual([])
  expect(t.read("loud.txt")).toBe("HELLO\n")
})

test("without auto-allow the same commands ask, and run confined once allowed", async () => {
  const asked: Question[] = []
  await using t = await open(["touch a"], {}, { answers: (question) => (asked.push(question), { kind: "allow" }) })
  await t.prompt("go")
  expect([asked.length, decisions(t), sandboxes(t)]).toEqual([1, ["decision allow Bash by person"], [inside]])
})

test("what the sandbox refuses is named with its path, and how to run outside", async () => {
  // Not a temporary file: /tmp inside is another folder.
  const target = "/usr/local/codewright-must-not-write"
  await using t = await open([`echo x > ${target}`], auto)
  await t.prompt("go")
  const [result] = t.results()
  expect(existsSync(target)).toBe(false)
  expect(String(result?.content)).toContain(`[The sandbox refused: writing ${target}. If the command`)
  expect(String(result?.content)).toContain("dangerouslyDisableSandbox")
  expect(result?.display).toMatchObject({ output: expect.stringContaining(`(the sandbox refused writing ${target})`) })
})

test("to run outside is asked about, saying so first, whatever rules allow, and then it does", async () => {
  const target = join(lastingFolder(), "x")
  const asked: Question["ask"][] = []
  const answers = ({ ask }: Question): Answer => (asked.push(ask), { kind: "allow" })
  const wanted = { command: `echo x > ${target}`, dangerouslyDisableSandbox: true }
  await using t = await open([wanted], auto, { answers, allow: ["Bash"] })
  await t.prompt("go")
  expect(asked).toMatchObject([
    {
      title: `Bash outside the sandbox: echo x > ${target}`,
      decision: { reason: { kind: "outside_sandbox" } },
      question: "Run this command outside the sandbox?",
      risks: [expect.stringContaining("Outside the sandbox")],
    },
  ])
  expect(asked[0]).not.toHaveProperty("suggestedRule")
  expect([decisions(t), sandboxes(t)]).toEqual([["decision allow Bash by person"], [outside]])
  expect(existsSync(target)).toBe(true)
})

test("a no, nobody to ask, or a setting that forbids it: it does not run", async () => {
  const target = join(lastingFolder(), "x")
  const wanted = { command: `echo x > ${target}`, dangerouslyDisableSandbox: true }
  await using declined = await open([wanted], auto, {
    answers: () => ({ kind: "deny", interrupt: false, words: "no" }),
  })
  await declined.prompt("go")
  await using alone = await open([wanted], auto, { allow: ["Bash"] })
  await alone.prompt("go")
  await using forbidden = await open([wanted], { ...auto, allowUnsandboxedCommands: false }, { allow: ["Bash"] })
  await forbidden.prompt("go")
  expect([declined, alone, forbidden].flatMap(decisions)).toEqual([
    "decision deny Bash by person",
    "decision deny Bash by no_one_to_ask",
    "decision deny Bash by outside_sandbox",
  ])
  expect(String(forbidden.results()[0]?.content)).toContain("sandbox.allowUnsandboxedCommands is false")
  expect(existsSync(target)).toBe(false)
})

test("the parameter is offered only where it can be used", async () => {
  const offered = async (values: SandboxSettings): Promise<boolean> => {
    await using t = await open([], values)
    await t.prompt("go")
    return JSON.stringify(t.simulator.requests[0]?.body).includes('"dangerouslyDisableSandbox":{')
  }
  expect([
    await offered({}),
    await offered({ allowUnsandboxedCommands: false }),
    await offered({ enabled: false }),
  ]).toEqual([true, false, false])
})

test("an excluded command runs outside by the usual rules", async () => {
  const target = join(lastingFolder(), "x")
  await using t = await open(
    [`touch ${target}`, `touch ${target}`],
    { ...auto, excludedCommands: ["touch"] },
    {
      answers: () => ({ kind: "allow" }),
    },
  )
  await t.prompt("go")
  expect([decisions(t), sandboxes(t)]).toEqual([
    ["decision allow Bash by person", "decision allow Bash by person"],
    [outside, outside],
  ])
  expect(existsSync(target)).toBe(true)
})

test("a command in the background is confined too", async () => {
  await using t = await openTestSession({
    script: [calls(use("Bash", { command: "sleep 30; touch late", run_in_background: true })), says("Done.")],
    mode: "default",
    allow: [],
    sandbox: { values: { enabled: true, ...auto }, sources: [] },
  })
  await t.prompt("go")
  expect([decisions(t), sandboxes(t)]).toEqual([["decision allow Bash by sandboxed"], [inside]])
})

test("where the sandbox cannot be made nothing runs, and the reason is told", async () => {
  await using t = await open(["ls", "touch a"], auto, { allow: ["Bash"], place: { platform: "plan9" } })
  await t.prompt("go")
  expect(decisions(t)).toEqual(["decision deny Bash by tool_check", "decision deny Bash by tool_check"])
  expect(String(t.results()[0]?.content)).toContain(
    "The sandbox is on, but it does not work here: there is no sandbox for this system yet. ",
  )
  expect(existsSync(t.path("a"))).toBe(false)
})
