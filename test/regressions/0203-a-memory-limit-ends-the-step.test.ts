/** Where memory is limited, the command that needs too much fails, says so to the model, and the program goes on. */

import { expect, test } from "bun:test"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const bash = (command: string) => ({ content: [{ tool: "Bash", input: { command } }] })
const argv = ["-p", "go", "--allowed-tools", "Bash"]

test("a command that needs more than there is fails with its own words, and the next one runs", async () => {
  using place = openPlace({ "grow.sh": "dd if=/dev/zero of=/dev/null bs=13G count=1\n" })
  const run = await runCodewright({
    place,
    argv,
    // The runtime itself needs some gigabytes of addresses to start, though not of memory.
    wrap: 'ulimit -v 12000000; exec "$@"',
    scenario: [bash("sh grow.sh"), bash("echo still here"), "Done."],
  })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(JSON.stringify(run.requests[1])).toContain("memory exhausted")
  expect(JSON.stringify(run.requests[2])).toContain("still here")
})

test("a command that the system kills is told as such", async () => {
  const run = await runCodewright({ argv, scenario: [bash("kill -KILL $$"), bash("sh -c 'kill -KILL $$'"), "Done."] })
  expect(JSON.stringify(run.requests[1])).toContain(
    "The command was ended by SIGKILL, as the system does when memory runs out.",
  )
  expect(JSON.stringify(run.requests[2])).toContain("was ended by SIGKILL, as the system does when memory runs out.")
})
