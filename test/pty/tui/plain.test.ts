/** Plain lines instead of a screen: for screen readers, for dumb terminals, and for whoever asks for them. */

import { expect, test } from "bun:test"
import { openScreenRun } from "../../kit/open-screen.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"

test.each([
  ["--screen-reader", ["--screen-reader"], {}, "{}"],
  ["the setting", [], {}, '{ "screenReader": true }'],
  ["CODEWRIGHT_PLAIN", [], { CODEWRIGHT_PLAIN: "1" }, "{}"],
  ["CODEWRIGHT_SCREEN_READER", [], { CODEWRIGHT_SCREEN_READER: "1" }, "{}"],
  ["TERM=dumb", [], { TERM: "dumb" }, "{}"],
] as const)("by %s", async (_, argv, env, settings) => {
  using place = openPlace()
  place.write("../state/settings.json", settings)
  await using run = await openScreenRun({ place, argv: [...argv], env, scenario: ["Plainly said."] })
  await run.shows(/^>/m)
  run.type("say it\r")
  await run.shows("Plainly said.")
  run.type("\u0004")
  expect(await run.exited).toBe(0)
  // Nothing is redrawn, hidden, or moved up: the screen was never taken over.
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point.
  expect(run.terminal.raw()).not.toMatch(/\u001b\[\?(?:25l|2026h)|\u001b\[\d*A|\u001b\]|▌/)
})

test("in plain lines nothing is asked before the first conversation", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: ["--screen-reader"], first: "run", scenario: ["Yes."] })
  await run.shows(/^>/m)
  run.type("hello\r")
  await run.shows("Yes.")
})

test("what the model says is broken between words in a terminal, and its code is not", async () => {
  using place = openPlace()
  const code = "const greeting = (name: string): string => `Hello, ${name}`"
  const prose = "A sentence that does not fit into a row of forty columns.\n\n- An item that does not fit there either."
  const said = `${prose}\n\n\`\`\`ts\n${code}\n\`\`\`\n`
  await using run = await openScreenRun({ place, argv: ["--screen-reader"], columns: 40, scenario: [said] })
  await run.shows(/^>/m)
  run.type("say it\r")
  await run.shows("```\n")
  expect(await run.terminal.all()).toContain(
    [
      "A sentence that does not fit into a row",
      "of forty columns.",
      "",
      "- An item that does not fit there",
      "  either.",
      "",
      "```ts",
      code.slice(0, 39),
      code.slice(40),
      "```",
    ].join("\n"),
  )
})

test("an answer printed with -p is broken between words in a terminal, and goes into a pipe as it is", async () => {
  using place = openPlace()
  const said = "A sentence that does not fit into a row of forty columns."
  await using run = await openScreenRun({ place, argv: ["-p", "hi"], columns: 40, scenario: [said] })
  await run.exited
  expect(await run.terminal.all()).toContain("A sentence that does not fit into a row\nof forty columns.")
  const piped = await runCodewright({ place, argv: ["-p", "hi"], scenario: [said] })
  expect(piped.stdout).toBe(`${said}\n`)
})
