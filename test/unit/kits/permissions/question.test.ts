/** What a person is shown before they consent: what is at risk, with numbers, and the difference an edit would make. */

import { expect, test } from "bun:test"
import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import type { Display } from "#agent/words/display.ts"
import { runs, writes } from "#agent/words/footprint.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import { type AnyTool, answered } from "#agent/words/tool.ts"
import type { CountAtRisk } from "#ground/workspace/at-risk.ts"
import { openShellSight } from "#ground/workspace/shell-sight.ts"
import { permissionsKit } from "#kits/permissions/kit.ts"
import type { PermissionPorts } from "#kits/permissions/ports.ts"
import { place, readerWalls } from "./judge.ts"

const diff: Display = { kind: "diff", path: "/repo/a", hunks: [], created: false }

const bashTool = defineTool({
  name: "Bash",
  description: "Runs.",
  input: shape.object({ command: shape.string() }),
  title: ({ command }) => command,
  footprint: ({ command }) => runs(command),
  run: async () => answered("ran"),
})

function editTool(preview: NonNullable<AnyTool["preview"]>): AnyTool {
  return defineTool({
    name: "Edit",
    description: "Edits.",
    input: shape.object({ file_path: shape.string() }),
    title: ({ file_path }) => file_path,
    footprint: ({ file_path }) => writes(file_path),
    preview,
    run: async () => answered("edited"),
  })
}

async function asked(tool: AnyTool, input: { [field: string]: string }, ports: Partial<PermissionPorts> = {}) {
  const questions: Extract<QuestionAsk, { kind: "permission" }>[] = []
  const kit = permissionsKit({
    walls: readerWalls,
    rules: () => [],
    mode: () => "default",
    workspace: () => place,
    cwd: () => place.root,
    realPath: (path) => path,
    sight: openShellSight(),
    ask: async (ask) => {
      if (ask.kind === "permission") questions.push(ask)
      return { kind: "unanswered", why: "test" }
    },
    record: () => {},
    ...ports,
  })
  const call: Call = {
    callId: "call",
    signal: new AbortController().signal,
    progress: () => {},
    tool,
    input,
    parsed: input,
    footprint: tool.footprint(input),
  }
  await kit.middleware?.(call, async () => answered("ran"))
  return questions
}

test.each([
  ["rm -rf build", { count: 312, more: false }, "rm -r: whole folders are removed for good (312 files)"],
  ["rm -rf build", { count: 1, more: false }, "rm -r: whole folders are removed for good (1 file)"],
  ["rm -rf build", { count: 10_000, more: true }, "rm -r: whole folders are removed for good (more than 10,000 files)"],
  ["rm -rf build", { count: 0, more: false }, "rm -r: whole folders are removed for good (nothing is there)"],
  [
    "git reset --hard",
    { count: 4, more: false },
    "git reset --hard: changes that were never committed are lost (4 files have changes)",
  ],
  [
    "git clean -fd",
    { count: 2, more: false },
    "git clean: files git does not know are removed, and git cannot bring them back (2 files that git does not know)",
  ],
  ["git stash clear", { count: 3, more: false }, "git stash drop: what was put aside is lost (3 stashes)"],
  [
    "git branch -D x",
    { count: 1, more: false },
    "git branch -D: commits that are on no other branch are lost (1 commit is nowhere else)",
  ],
])("%s, %j", async (command, count, sentence) => {
  const [question] = await asked(bashTool, { command }, { countAtRisk: async () => count })
  expect(question?.risks).toEqual([sentence])
})

test("what hides behind a shell is counted by its own words; what cannot be counted is only named", async () => {
  const counted: string[] = []
  const countAtRisk: CountAtRisk = async ({ argv }) => {
    counted.push(argv.join(" "))
    return undefined
  }
  const [question] = await asked(bashTool, { command: "bash -c 'ls; rm -r dist' && git push --force" }, { countAtRisk })
  expect(counted).toEqual(["rm -r dist", "git push --force"])
  expect(question?.risks).toEqual([
    "rm -r: whole folders are removed for good",
    "git push --force: commits others may hold are replaced or lost",
  ])
})

test("nothing is counted or drawn where nobody looks", async () => {
  const never = async (): Promise<never> => {
    throw new Error("nobody looks")
  }
  const ports = { isShown: () => false, countAtRisk: never }
  expect(await asked(bashTool, { command: "rm -rf build" }, ports)).toHaveLength(1)
  expect(await asked(editTool(never), { file_path: "/repo/a" }, ports)).toHaveLength(1)
})

test("an edit brings its difference; one that cannot be drawn is asked about all the same", async () => {
  const [drawn] = await asked(
    editTool(async () => diff),
    { file_path: "/repo/a" },
  )
  expect(drawn?.display).toEqual(diff)
  const [none] = await asked(
    editTool(async () => undefined),
    { file_path: "/repo/a" },
  )
  expect(none).not.toHaveProperty("display")
  const [broken] = await asked(
    editTool(async () => {
      throw new Error("broken")
    }),
    { file_path: "/repo/a" },
  )
  expect(broken).not.toHaveProperty("display")
})
