/** With nobody left to read standard output, a headless run worked on to its end and exited with 0. */

import { expect, test } from "bun:test"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const steps = 40

test("the run ends as the system would end it, its log is whole, and it can be continued", async () => {
  using place = openPlace()
  const run = await runCodewright({
    place,
    argv: ["-p", "count", "--output-format", "stream-json", "--verbose", "--allowed-tools", "Bash"],
    scenario: Array.from({ length: steps }, (_, number) => ({
      content: [{ tool: "Bash", input: { command: `sleep 0.2; echo step ${number}` } }],
    })),
    wrap: '"$@" | head -1 > /dev/null; echo "code ${PIPESTATUS[0]}"',
  })
  expect(run.stdout).toBe("code 141\n")
  expect(run.requests.length).toBeLessThan(steps / 2)
  const next = await runCodewright({ place, argv: ["-p", "go on", "-c"], scenario: ["Yes."] })
  expect(next).toMatchObject({ code: 0, stdout: "Yes.\n" })
  expect(JSON.stringify(next.requests[0])).toContain("the end of the program that read the output")
})

test("a reader that leaves before the only line is written is told by the code", async () => {
  const run = await runCodewright({
    argv: ["-p", "say it"],
    scenario: ["Said."],
    wrap: '"$@" | true; echo "code ${PIPESTATUS[0]}"',
  })
  expect(run.stdout).toBe("code 141\n")
})
