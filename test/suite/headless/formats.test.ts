/** What `-p` writes in each of its three formats, whole, for the ways a run can go. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { isObject, type JsonObject } from "#lib/json.ts"
import { expectGolden } from "../../kit/golden.ts"
import { normalised } from "../../kit/normalised.ts"
import { linesOf, openPlace, runCodewright, type RunOptions } from "../../kit/run-codewright.ts"

const hook = (command: string): object => ({ hooks: [{ type: "command", command }] })
const agent = { description: "a look", prompt: "look around", subagent_type: "general-purpose" }
const isAgent = { system: "You carry out one task" }

interface Story extends Omit<RunOptions, "place" | "argv"> {
  readonly name: string
  readonly argv?: readonly string[]
  readonly files?: { readonly [path: string]: string }
  readonly settings?: object
  /** Flags that only a stream knows. */
  readonly streamed?: readonly string[]
}

const stories: readonly Story[] = [
  {
    name: "the limit of turns",
    argv: ["--max-turns=1"],
    files: { "a.txt": "one\n" },
    scenario: [{ content: ["I look.", { tool: "Read", input: { file_path: "a.txt" } }] }],
  },
  { name: "a budget that is used up", argv: ["--max-budget-usd=0.0001"], scenario: ["Never said."] },
  {
    name: "a model that fails",
    env: { CLAUDE_CODE_MAX_RETRIES: "0" },
    scenario: ["Never said."],
    faults: ["overloaded"],
  },
  {
    name: "an answer that never fits its schema",
    argv: ["--json-schema", '{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}'],
    scenario: Array.from({ length: 5 }, () => ({ content: [{ tool: "StructuredOutput", input: { age: "old" } }] })),
  },
  {
    name: "an answer as data",
    argv: ["--json-schema", '{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}'],
    scenario: [{ content: [{ tool: "StructuredOutput", input: { age: 7 } }] }],
  },
  {
    name: "an agent",
    files: { "a.txt": "blue\n" },
    scenario: {
      replies: [
        { when: isAgent, content: [{ tool: "Read", input: { file_path: "a.txt" } }] },
        { when: isAgent, content: "It is blue." },
        { content: ["I ask.", { tool: "Task", input: agent }] },
        { content: "Blue." },
      ],
    },
  },
  {
    name: "a command in the background",
    argv: ["--allowed-tools=Bash"],
    scenario: [
      { content: [{ tool: "Bash", input: { command: "sleep 2; echo ready", run_in_background: true } }] },
      "Started.",
      "It is ready.",
    ],
  },
  {
    name: "a command that outlives its limit",
    argv: ["--allowed-tools=Bash", "--background-wait=0"],
    scenario: [{ content: [{ tool: "Bash", input: { command: "sleep 600", run_in_background: true } }] }, "Started."],
  },
  {
    name: "an answer piece by piece",
    streamed: ["--include-partial-messages"],
    scenario: [{ content: ["I see. ", { tool: "Read", input: { file_path: "a.txt" } }] }, "One."],
    files: { "a.txt": "one\n" },
  },
  {
    name: "hooks",
    streamed: ["--include-hook-events"],
    settings: { hooks: { SessionStart: [hook("echo early")], PreToolUse: [hook("echo no >&2; exit 2")] } },
    scenario: [{ content: [{ tool: "Bash", input: { command: "touch made" } }] }, "I may not."],
  },
]

test.concurrent.each(stories.map((story) => [story.name, story] as const))("%s", async (name, story) => {
  const { argv = [], streamed = [], files = {}, settings, name: _name, ...run } = story
  const parts: string[] = []
  for (const format of ["text", "json", "stream-json"] as const) {
    using place = openPlace(files)
    if (settings) place.write(join(place.state, "settings.json"), JSON.stringify(settings))
    const more = format === "stream-json" ? ["--verbose", ...streamed] : []
    const ran = await runCodewright({
      place,
      ...run,
      argv: ["-p", "go", `--output-format=${format}`, ...argv, ...more],
    })
    const out =
      format === "text" ? [String(normalised(withoutCost(ran.stdout), place.path))] : lines(ran.stdout, place.path)
    const stderr = JSON.stringify(normalised(withoutCost(ran.stderr), place.path))
    parts.push(`=== ${format}: exit code ${ran.code}, standard error ${stderr}\n${out.join("")}`)
  }
  expect(parts).toHaveLength(3)
  await expectGolden(join(import.meta.dir, "goldens/formats", `${name.replaceAll(" ", "-")}.txt`), parts.join("\n"))
})

/** Without signs of life, which depend on how fast the machine is. */
function lines(stdout: string, folder: string): readonly string[] {
  const told = linesOf(stdout).filter(({ type }) => type !== "tool_progress")
  const all = normalised(told.map(steady), folder)
  if (!Array.isArray(all)) throw new Error("not lines")
  return all.map((line) => `${JSON.stringify(line)}\n`)
}

/** Without what changes with the words of prompts, with chance, and with every command that is added. */
function steady(line: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(line), (key, value: unknown) => {
    if (["total_tokens", "totalTokens", "tokens", "totalDurationMs"].includes(key)) return "<number>"
    if (["slash_commands", "skills", "agents"].includes(key)) return `<${key}>`
    if (key === "agentUsage" && isObject(value)) return Object.values(value)
    if (typeof value !== "string") return value
    return withoutCost(value)
      .replace(/^[0-9a-f]{8}$/, "<agent>")
      .replaceAll(/(agent[- ]|resume ")[0-9a-f]{8}(?![-0-9a-f])/g, "$1<agent>")
      .replace(/[\d,]+ tokens, \d+ s\./, "<number> tokens, <number> s.")
  }) as JsonObject
}

/** A request's price follows the words of prompts. */
const withoutCost = (text: string): string => text.replaceAll(/could cost \$[\d.]+/g, "could cost $<number>")
