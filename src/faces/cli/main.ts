/** The command line: finds the command, or opens a session and chooses its face. */

import { commands } from "./commands.ts"
import { type Io, openIo } from "./io.ts"

/** Runs to the end and gives the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const io = openIo()
  const code = await chosen(argv, io).catch((error: unknown) =>
    io.fail(`Codewright made a mistake of its own and stopped. Nothing recorded is lost.\n${String(error)}`),
  )
  await io.flushed()
  return code
}

async function chosen(argv: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = argv
  if (first === "--help" || first === "-h" || first === "help") {
    const { helpText } = await import("./help.ts")
    io.write(helpText(commands))
    return 0
  }
  const command = commands.find(({ name }) => name === first)
  if (command) return command.run(rest, io)
  const { runCommand } = await import("./run.ts")
  return runCommand(argv, io)
}
