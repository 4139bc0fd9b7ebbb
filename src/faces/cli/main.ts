/** The command line: finds the command, or opens a session and chooses its face. */

import { configCommand } from "./config.ts"
import { demoCommand } from "./demo.ts"
import { helpText } from "./help.ts"
import { type Io, openIo } from "./io.ts"
import { runCommand } from "./run.ts"
import { simCommand } from "./sim.ts"

interface Command {
  readonly name: string
  readonly takes: string
  readonly about: string
  readonly run: (argv: readonly string[], io: Io) => Promise<number>
}

const commands: readonly Command[] = [
  { name: "demo", takes: "", about: "Watch it mend a sample repository with the simulated model.", run: demoCommand },
  { name: "sim", takes: "[options]", about: "Start the simulated model as a server of its own.", run: simCommand },
  { name: "config", takes: "list|get|explain", about: "Show settings and where each came from.", run: configCommand },
]

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
    io.write(helpText(commands))
    return 0
  }
  const command = commands.find(({ name }) => name === first)
  return command ? command.run(rest, io) : runCommand(argv, io)
}
