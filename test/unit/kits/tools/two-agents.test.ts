import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { rgPath } from "@vscode/ripgrep"
import fc from "fast-check"
import { complained, type Outcome } from "#agent/words/tool.ts"
import { openWorkspace, type Workspace } from "#ground/workspace/workspace.ts"
import { toolsKit } from "#kits/tools/kit.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

interface Agent extends AsyncDisposable {
  readonly call: (tool: string, input: JsonObject) => Promise<Outcome>
}

/** An agent of its own: with its own workspace, it knows nothing of the other but what is on disk. */
function openAgent(folder: TemporaryFolder, name: string): Agent {
  const workspace: Workspace = openWorkspace({
    root: folder.path,
    home: folder.path,
    ripgrep: async () => rgPath,
    sessionFolder: folder.join(`.session-${name}`),
    env: () => ({}),
    clock: systemClock,
    ids: systemIds,
    isAllowedFolder: () => true,
  })
  const { tools = [] } = toolsKit({ workspace, clock: systemClock, ids: systemIds })
  const { signal } = new AbortController()
  return {
    async call(toolName, input) {
      const tool = tools.find((one) => one.name === toolName)
      const parsed = tool?.parse(input)
      if (!tool || !parsed?.ok) throw new Error(`bad call of ${toolName}`)
      tool.footprint(parsed.value)
      const complaint = await tool.validate?.(parsed.value, signal)
      if (complaint !== undefined) return complained(complaint)
      return tool.run(parsed.value, { callId: "c", signal, progress: () => {} })
    },
    [Symbol.asyncDispose]: () => workspace.close(),
  }
}

const edits: readonly ((line: string, by: string) => readonly [string, JsonObject])[] = [
  (line, by) => ["Edit", { file_path: "shared", old_string: line, new_string: `${line}\n${by}` }],
  (line, by) => ["MultiEdit", { file_path: "shared", edits: [{ old_string: line, new_string: `${line}\n${by}` }] }],
  (line, by) => [
    "MultiEdit",
    {
      edits: [
        { file_path: "own", old_string: "", new_string: "x" },
        { file_path: "shared", old_string: line, new_string: `${line}\n${by}` },
      ],
    },
  ],
]

test("two agents on one file: of two edits at the same time one is made, the other hears that the file changed", async () => {
  for (const make of edits) {
    using folder = temporaryFolder()
    writeFileSync(folder.join("shared"), "line\n")
    await using a = openAgent(folder, "a")
    await using b = openAgent(folder, "b")
    for (const agent of [a, b]) await agent.call("Read", { file_path: "shared" })
    const outcomes = await Promise.all([a.call(...make("line", "from a")), b.call(...make("line", "from b"))])
    const lost = outcomes.filter(({ isError }) => isError)
    expect(lost.length).toBe(1)
    expect(String(lost[0]?.content)).toMatch(/changed on disk|was not read|is not empty/)
    const winner = outcomes[0]?.isError ? "from b" : "from a"
    expect(readFileSync(folder.join("shared"), "utf8")).toBe(`line\n${winner}\n`)
  }
})

test("whatever the order, no update is lost", async () => {
  const step = fc.record({
    who: fc.constantFrom(0, 1),
    what: fc.constantFrom("read", "edit", "write"),
    wait: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      using folder = temporaryFolder()
      writeFileSync(folder.join("shared"), "start\n")
      await using a = openAgent(folder, "a")
      await using b = openAgent(folder, "b")
      const agents = [a, b] as const
      const made: string[] = []
      // Within one agent the lanes keep order: what changes something runs alone.
      const lanes = [Promise.resolve(), Promise.resolve()]
      for (const [index, { who, what, wait }] of steps.entries()) {
        const mark = `step ${index}.`
        const act = async (): Promise<void> => {
          const agent = agents[who]
          if (agent === undefined) return
          if (what === "read") return void (await agent.call("Read", { file_path: "shared" }))
          // A whole write keeps what its agent knows; that must be all there is.
          const input =
            what === "edit"
              ? { file_path: "shared", old_string: "start\n", new_string: `start\n${mark}\n` }
              : { file_path: "shared", content: `${readFileSync(folder.join("shared"), "utf8")}${mark}\n` }
          const outcome = await agent.call(what === "edit" ? "Edit" : "Write", input)
          if (!outcome.isError) made.push(mark)
        }
        const run = (lanes[who] ?? Promise.resolve()).then(act)
        lanes[who] = run
        if (wait) await run
      }
      await Promise.all(lanes)
      const lines = readFileSync(folder.join("shared"), "utf8").trim().split("\n")
      expect(lines.toSorted()).toEqual(["start", ...made].toSorted())
    }),
    { numRuns: 25 },
  )
})
