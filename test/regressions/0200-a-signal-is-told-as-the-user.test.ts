/** SIGHUP ended with the code of SIGTERM, and the model was told that the user had interrupted it. */

import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const signals = [
  ["SIGTERM", 143, "the end of the program (SIGTERM)"],
  ["SIGHUP", 129, "the end of the terminal (SIGHUP)"],
] as const

describe.each(signals)("%s", (signal, code, by) => {
  test.concurrent(`during a command: ${code}, and the model hears what it was`, async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "wait", "--allowed-tools", "Bash"],
      scenario: [{ content: [{ tool: "Bash", input: { command: "echo $$ > pid; sleep 60" } }] }],
      during: async ({ kill }) => {
        while (!existsSync(join(place.work, "pid"))) await Bun.sleep(10)
        kill(signal)
      },
    })
    expect(run.code).toBe(code)
    const next = await runCodewright({ place, argv: ["-p", "go on", "-c"], scenario: ["Yes."] })
    const sent = JSON.stringify(next.requests[0])
    expect(sent).toContain(`The command was interrupted by ${by}`)
    expect(sent).toContain(`The last turn was cut off by ${by}, not by the user.`)
    expect(sent).not.toContain("by the user and ended")
  })

  test.concurrent("during an answer: the model hears of it when the session continues", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "tell me", "--output-format", "stream-json", "--verbose"],
      scenario: [
        {
          content: ["The first part.", "The second part, of which not all is said."],
          timing: { pauses: [{ afterTokens: 8, ms: 60_000 }] },
        },
      ],
      during: async ({ shows, kill }) => {
        await shows("The first part.")
        kill(signal)
      },
    })
    expect(run.code).toBe(code)
    const next = await runCodewright({ place, argv: ["-p", "go on", "-c"], scenario: ["Yes."] })
    expect(JSON.stringify(next.requests[0])).toContain(`The last turn was cut off by ${by}`)
  })
})
