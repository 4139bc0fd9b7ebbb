/** With few descriptors, calls of one answer failed with EMFILE instead of waiting for each other. */

import { describe, expect, test } from "bun:test"
import { mostCalls } from "#ground/workspace/processes/descriptors.ts"
import { openPlace, runCodewright, linesOf } from "../kit/run-codewright.ts"
import { isObject } from "#lib/json.ts"

const reads = 60
const commands = 20

/** Whether each result in the messages of a run is an error. */
function errorsIn(stdout: string): readonly string[] {
  return linesOf(stdout).flatMap(({ message }) =>
    isObject(message) && Array.isArray(message.content)
      ? message.content.flatMap((block) =>
          isObject(block) && block.type === "tool_result" && block.is_error === true
            ? [JSON.stringify(block.content)]
            : [],
        )
      : [],
  )
}

describe.each([16, 32])("with %i descriptors", (limit) => {
  test(`${reads} reads and ${commands} commands at once all succeed`, async () => {
    const files = Object.fromEntries(Array.from({ length: reads }, (_, i) => [`file-${i}.txt`, `line ${i}\n`]))
    using place = openPlace(files)
    const run = await runCodewright({
      place,
      argv: ["-p", "read", "--output-format", "stream-json", "--verbose", "--allowed-tools", "Bash", "Read"],
      scenario: [
        {
          content: Object.keys(files).map((name) => ({ tool: "Read", input: { file_path: `${place.work}/${name}` } })),
        },
        {
          content: Array.from({ length: commands }, (_, i) => ({
            tool: "Bash",
            input: { command: `cat file-${i}.txt` },
          })),
        },
        { content: "Done." },
      ],
      wrap: `ulimit -n ${limit}; exec "$@"`,
    })
    expect(errorsIn(run.stdout)).toEqual([])
    expect(run.code).toBe(0)
    expect(run.requests).toHaveLength(3)
  })
})

test("how many calls run side by side follows the limit, and one always may", () => {
  expect([8, 16, 24, 32, 64, 256, undefined].map((limit) => mostCalls(limit))).toEqual([1, 1, 1, 2, 6, 30, Infinity])
})
