/** A machine without /bin/sh ended the run with a stack trace at its first command; now the model is told, and the turn continues. */

import { expect, test } from "bun:test"
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { runCodewright } from "../kit/run-codewright.ts"
import { bash, calls } from "../kit/script.ts"
import { sentIn } from "../kit/sent.ts"

test("a command that cannot be watched fails, and says what is missing", async () => {
  const { code, stdout, requests } = await runCodewright({
    wrap: `exec bwrap --dev-bind / / --bind /dev/null ${realpathSync("/bin/sh")} "$@"`,
    // What starts it from source is a script for sh.
    program: process.execPath,
    argv: [resolve(import.meta.dir, "../../src/main.ts"), "-p", "go", "--allowedTools", "Bash"],
    scenario: [calls(bash("echo one")), "Done."],
  })
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" })
  const told = JSON.stringify(sentIn(requests[1]))
  expect(told.includes("/bin/sh is not there or cannot be run. Ask the user to install it.")).toBe(true)
})
