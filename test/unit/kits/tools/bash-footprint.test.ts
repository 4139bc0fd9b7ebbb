/** What a command is declared to touch: a command that certainly only reads may run beside others. */

import { expect, test } from "bun:test"
import { isSafe, runs, runsReading } from "#agent/words/footprint.ts"
import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { bashTool } from "#kits/tools/bash.ts"
import { systemClock } from "#lib/clock.ts"
import { openTools } from "./open-tools.ts"

test("reading is safe once commands can be read; everything else runs alone", async () => {
  await using t = openTools()
  t.put("a.txt", "one\n")
  const analyzer = openCommandAnalyzer()
  const tool = bashTool({
    ...t.workspace,
    clock: systemClock,
    limits: { defaultTimeoutMs: 1, maxTimeoutMs: 1, outputCharacters: 1 },
    knownReads: {
      load: () => (analyzer.now() ? undefined : analyzer.load().then(() => undefined)),
      isBasic: () => false,
      readsOnly: (command, cwd) =>
        analyzer.now()?.readsOnly(command, { cwd, home: "/nonexistent", roots: [t.root], realPath: (path) => path }),
    },
  })
  expect(tool.footprint({ command: "cat a.txt" })).toEqual(runs("cat a.txt"))
  await tool.warm?.()
  expect(tool.warm?.()).toBeUndefined()
  expect(tool.footprint({ command: "cat a.txt" })).toEqual(runsReading("cat a.txt", t.path("a.txt")))
  expect(isSafe(tool.footprint({ command: "cat a.txt | wc -l" }))).toBe(true)
  for (const command of ["cat /etc/passwd", "echo x > a.txt", "npm test", "cat $X", "cat a.txt; rm a.txt"])
    expect(tool.footprint({ command })).toEqual(runs(command))
  expect(isSafe(tool.footprint({ command: "cat a.txt", run_in_background: true }))).toBe(false)
})
