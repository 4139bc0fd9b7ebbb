/** `codewright demo`: the agent on a copy of the sample repository, with the simulated model. */

import { join } from "node:path"
import { copySample } from "#ground/bundled/sample.ts"
import { makeTemporaryFolder } from "#lib/temporary-folder.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "./help/command-help.ts"
import type { Io } from "./io.ts"
import { runCommand } from "./run.ts"

const task = "Fix the failing test"

export const help: CommandHelp = {
  usage: ["codewright demo"],
  about:
    "Copies a sample repository with a failing test into a temporary folder and opens a conversation there with the simulated model. " +
    "Without a terminal, the demo runs by itself and prints what happens.",
}

export async function demoCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  if (argv.length > 0) return io.fail(`demo takes no arguments, but got '${argv[0]}'.`)
  const made = makeTemporaryFolder("codewright-demo-")
  if (!made.ok) return io.fail(made.failure)
  const folder = join(made.value, "sample")
  await copySample(folder)
  io.say(`Copied a sample repository with a failing test to ${folder}`)
  if (process.stdin.isTTY) {
    io.say(`Try: ${task}`)
    const code = await runCommand(["--model", "sim"], io, { folder })
    io.say(`The sample repository stays in ${folder} until you delete it.`)
    return code
  }
  io.write(`Task: ${task}\n\n`)
  const flags = [
    "--model",
    "sim",
    "--permission-mode",
    "acceptEdits",
    "--allowed-tools",
    "Bash(npm test:*)",
    "Bash(node --test:*)",
  ]
  return runCommand(["-p", "--verbose", ...flags, "--", task], io, { folder, stdin: "left alone" })
}
