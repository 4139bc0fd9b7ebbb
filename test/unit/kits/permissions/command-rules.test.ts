/** What the command of a turn allows: for that turn, in no other, and said when it cannot be understood. */

import { expect, test } from "bun:test"
import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { runs } from "#agent/words/footprint.ts"
import type { Call } from "#agent/words/middleware.ts"
import { answered } from "#agent/words/tool.ts"
import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { permissionsKit } from "#kits/permissions/kit.ts"
import type { PermissionBody } from "#kits/permissions/ports.ts"
import { place, rulesFrom, type RuleLists, readerWalls } from "./judge.ts"

const bashTool = defineTool({
  name: "Bash",
  description: "Runs.",
  input: shape.object({ command: shape.string() }),
  title: ({ command }) => command,
  footprint: ({ command }) => runs(command),
  run: async () => answered("ran"),
})

function openCommand(rules: RuleLists = {}) {
  let texts: readonly string[] = []
  const records: PermissionBody[] = []
  const kit = permissionsKit({
    walls: readerWalls,
    rules: () => settings,
    mode: () => "default",
    workspace: () => place,
    cwd: () => place.root,
    realPaths: () => (path) => path,
    analyzer: openCommandAnalyzer(),
    ask: async () => ({ kind: "unanswered", why: "headless" }),
    record: (body) => records.push(body),
    commandRules: () => texts,
  })
  const settings = rulesFrom(rules)
  return {
    records,
    brings: (...rule: readonly string[]) => void (texts = rule),
    async run(command: string): Promise<string> {
      const call: Call = {
        callId: "call",
        signal: new AbortController().signal,
        progress: () => {},
        tool: bashTool,
        input: { command },
        parsed: { command },
        footprint: runs(command),
      }
      await kit.middleware?.(call, async () => answered("ran"))
      const last = records.findLast((body) => body.kind === "decision")
      return `${last?.behavior} by ${last?.reason.kind === "rule" ? last.reason.source : last?.reason.kind}`
    },
  }
}

test("it holds while the command's turn lasts", async () => {
  const t = openCommand()
  expect(await t.run("make all")).toBe("deny by no_one_to_ask")
  t.brings("Bash(make:*)")
  expect(await t.run("make all")).toBe("allow by command")
  expect(await t.run("npm test")).toBe("deny by no_one_to_ask")
  t.brings()
  expect(await t.run("make all")).toBe("deny by no_one_to_ask")
})

test("it beats no deny and no ask rule", async () => {
  const t = openCommand({ deny: ["Bash(make clean)"], ask: ["Bash(make install)"] })
  t.brings("Bash(make:*)")
  expect(await t.run("make clean")).toBe("deny by session")
  expect(await t.run("make install")).toBe("deny by no_one_to_ask")
  expect(await t.run("make all")).toBe("allow by command")
})

test("a rule that cannot be understood is said once and counts for nothing", async () => {
  const t = openCommand()
  t.brings("Bash(make:*", "Bash(npm test)")
  expect(await t.run("make all")).toBe("deny by no_one_to_ask")
  expect(await t.run("npm test")).toBe("allow by command")
  expect(t.records.filter(({ kind }) => kind === "notice")).toEqual([
    { kind: "notice", level: "warning", text: expect.stringContaining('"Bash(make:*" (command) cannot be understood') },
  ])
})
