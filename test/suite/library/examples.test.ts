/** The examples, run as a reader would run them, against the simulator. */

import { expect, test } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { openSimulator } from "#sim/server.ts"
import { asScenario, environmentOf, openPlace, type Place, type RunOptions } from "../../kit/run-codewright.ts"

const root = resolve(import.meta.dir, "../../..")

async function run(
  place: Place,
  name: string,
  scenario: NonNullable<RunOptions["scenario"]>,
  ...argv: readonly string[]
): Promise<{ readonly code: number; readonly lines: readonly string[]; readonly sent: string }> {
  const opened = await openSimulator({ scenario: asScenario(scenario) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const child = Bun.spawn([process.execPath, join(root, "examples", name), ...argv], {
    cwd: place.work,
    env: environmentOf(place, opened.value.url),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const sent = JSON.stringify(opened.value.requests.at(-1)?.body)
  await opened.value.close()
  expect(err).toBe("")
  return { code, lines: out.trimEnd().split("\n"), sent }
}

const write = (path: string) => ({ content: [{ tool: "Write", input: { file_path: path, content: "new\n" } }] })

const runs: { readonly [name: string]: () => Promise<void> } = {
  async "one-question.ts"() {
    using place = openPlace()
    const { code, lines } = await run(place, "one-question.ts", ["It is empty."], "What is here?")
    expect(code).toBe(0)
    expect(lines[0]).toBe("It is empty.")
    expect(lines[1]).toMatch(/^\$0\.\d{4}$/)
  },
  async "decide-yourself.ts"() {
    using place = openPlace()
    const { code, lines } = await run(place, "decide-yourself.ts", [write("notes.md"), write("other.md"), "Done."])
    expect({ code, lines }).toEqual({
      code: 0,
      lines: ["about to call Write", "about to call Write", "success, 1 calls denied"],
    })
    expect([existsSync(join(place.work, "notes.md")), existsSync(join(place.work, "other.md"))]).toEqual([true, false])
  },
  async "own-tools.ts"() {
    using place = openPlace()
    const call = { content: [{ tool: "mcp__shop__price", input: { fruit: "pear" } }] }
    const { code, lines, sent } = await run(place, "own-tools.ts", [call, "60 cents."])
    expect({ code, lines }).toEqual({ code: 0, lines: ["60 cents."] })
    expect(sent).toContain("0.6")
  },
  async "conversation.ts"() {
    using place = openPlace()
    const { code, lines } = await run(place, "conversation.ts", ["Add a file.", write("a.txt"), "Added."])
    expect({ code, lines }).toEqual({ code: 0, lines: ["Add a file.", "Added."] })
    expect(existsSync(join(place.work, "a.txt"))).toBe(true)
  },
}

for (const [name, play] of Object.entries(runs)) test(name, play)

test("every example is run here", () => {
  expect(Object.keys(runs).toSorted()).toEqual(readdirSync(join(root, "examples")).toSorted())
})
