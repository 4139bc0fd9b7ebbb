/** The footprints that `permissions explain` works with are those that the tools themselves declare, for every case of the corpora. */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import type { Footprint } from "#agent/words/footprint.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { caseFootprint } from "#kits/permissions/case-footprint.ts"
import { openWeb } from "#ground/web/fetch.ts"
import { enterPlanTool } from "#kits/plan/enter-plan.ts"
import { askUserTool } from "#kits/tools/ask-user.ts"
import { webFetchTool } from "#kits/tools/web-fetch.ts"
import { webSearchTool } from "#kits/tools/web-search.ts"
import { todoKit } from "#kits/todo/kit.ts"
import { systemClock } from "#lib/clock.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { openTools } from "../tools/open-tools.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

const folder = join(import.meta.dir, "../../../corpus")
const linesOf = (name: string): readonly JsonObject[] =>
  readFileSync(join(folder, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject)

/** Shapes that the corpora do not hold. */
const further: readonly (readonly [tool: string, input: JsonObject])[] = [
  ["Read", { file_path: "~/notes.txt" }],
  ["Read", { file_path: "a.txt", offset: 3, limit: 2 }],
  ["Write", { file_path: "src/../a.txt" }],
  ["Edit", { file_path: "./a.txt", replace_all: true }],
  ["MultiEdit", { file_path: "a.txt", edits: [{ old_string: "a", new_string: "b" }] }],
  [
    "MultiEdit",
    {
      edits: [
        { file_path: "a", old_string: "a", new_string: "b" },
        { file_path: "b", old_string: "a", new_string: "b" },
      ],
    },
  ],
  [
    "MultiEdit",
    {
      file_path: "a",
      edits: [
        { file_path: "b", old_string: "a", new_string: "b" },
        { old_string: "a", new_string: "b" },
      ],
    },
  ],
  ["Glob", { pattern: "**/*.ts" }],
  ["Glob", { pattern: "*.ts", path: "src" }],
  ["Glob", { pattern: "../x/*.ts" }],
  ["Glob", { pattern: "/etc/*.conf" }],
  ["Glob", { pattern: "~/x/*" }],
  ["Grep", { pattern: "x" }],
  ["Grep", { pattern: "x", path: "src", glob: "*.ts" }],
  ["LS", { path: "." }],
  ["LS", { path: "/etc", ignore: ["x"] }],
  ["NotebookRead", { notebook_path: "n.ipynb" }],
  ["NotebookEdit", { notebook_path: "n.ipynb", edit_mode: "delete", cell_number: 0 }],
  ["Bash", { command: "ls", run_in_background: true }],
  ["BashOutput", { bash_id: "x" }],
  ["KillShell", { shell_id: "x" }],
  ["WebFetch", { url: "https://example.com/a", prompt: "what" }],
  ["WebSearch", { query: "xyz", allowed_domains: ["example.com"] }],
  ["TodoWrite", { todos: [] }],
  ["TodoRead", {}],
  ["EnterPlanMode", {}],
  [
    "AskUserQuestion",
    {
      questions: [
        {
          question: "a?",
          header: "a",
          options: [
            { label: "1", description: "" },
            { label: "2", description: "" },
          ],
          multiSelect: false,
        },
      ],
    },
  ],
]

test("every tool and every shape of input", async () => {
  await using t = openTools()
  const search = webSearchTool({ clock: systemClock, endpoint: { address: "https://search.example" } as never })
  const tools = new Map<string, AnyTool>(
    [
      ...t.tools,
      enterPlanTool({ agent: "main", mode: () => "default", enter: () => "" }),
      askUserTool({ ask: async () => ({ kind: "unanswered", why: "test" }) }),
      webFetchTool({
        web: openWeb({ network: directNetwork(), clock: systemClock, allowsPrivate: () => false }),
        clock: systemClock,
        ask: async () => ({ ok: false, failure: "test" }) as never,
      }),
      ...(search ? [search] : []),
      ...(todoKit({ record: () => {} }).tools ?? []),
    ].flatMap((tool) => [tool.name, ...(tool.aliases ?? [])].map((name) => [name, tool] as const)),
  )
  const shell = readdirSync(join(folder, "shell")).flatMap((name) => linesOf(`shell/${name}`))
  const cases = [
    ...["paths.jsonl", "rules.jsonl", "commands.jsonl"]
      .flatMap(linesOf)
      .map(({ tool, input }) => [tool, input] as const),
    ...shell.map(({ command }) => ["Bash", { command: command ?? "" }] as const),
    ...further,
  ]
  const compared = new Set<string>()
  const differing: object[] = []
  for (const [name, given] of cases) {
    const tool = typeof name === "string" ? tools.get(name) : undefined
    if (!tool || !isObject(given)) continue
    const input = completed(
      tool.schema,
      JSON.parse(JSON.stringify(given).replaceAll(/\$[PHO]2?(?!\w)/g, t.root)) as JsonObject,
    )
    const parsed = tool.parse(input)
    if (!parsed.ok) continue
    const ours = caseFootprint(tool.name, input, { paths: t.workspace.paths, cwd: t.root })
    const theirs = tidied(tool.footprint(parsed.value))
    // The tool names such a path and refuses it before it is opened; explain refuses it at once.
    if (!ours.ok && ours.failure.endsWith("cannot be used.")) continue
    if (!ours.ok) differing.push({ name, input, ours: ours.failure, theirs })
    else if (JSON.stringify(tidied(ours.value)) !== JSON.stringify(theirs))
      differing.push({ name, input, ours: tidied(ours.value), theirs })
    compared.add(tool.name)
  }
  expect(differing).toEqual([])
  expect([...compared].toSorted()).toEqual([...new Set([...tools.values()].map(({ name }) => name))].toSorted())
})

/** The input with whatever the tool demands besides, so that a case need only hold what is decided on. */
function completed(schema: JsonObject, input: JsonObject): JsonObject {
  const { required = [], properties = {} } = schema
  const missing = (Array.isArray(required) ? required : []).flatMap((field): [string, JsonValue][] => {
    const wanted = isObject(properties) && typeof field === "string" ? properties[field] : undefined
    if (typeof field !== "string" || input[field] !== undefined || !isObject(wanted)) return []
    return [[field, wanted.type === "array" ? [] : wanted.type === "boolean" ? false : "x"]]
  })
  return { ...Object.fromEntries(missing), ...input }
}

/** Paths without dots: explain keeps them, so that it can judge them by name and on the disk. */
function tidied({ reads, writes, ...rest }: Footprint): object {
  const tidy = (paths: readonly string[]): readonly string[] =>
    [...new Set(paths.map((path) => posix.normalize(path).replace(/(?<=.)\/$/, "")))].toSorted()
  return {
    reads: tidy(reads),
    writes: tidy(writes),
    runs: rest.runs,
    reaches: rest.reaches.map(hostOf),
    asks: rest.asks,
  }
}

/** What is reached is compared by its host: an address may be upgraded, and where to search is a setting. */
const hostOf = (address: string): string =>
  address.startsWith("search:") || address.includes("search.example")
    ? "search"
    : (URL.parse(address)?.hostname.replace(/\.$/, "") ?? address)
