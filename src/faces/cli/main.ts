/** The command line: finds the command, or opens a session and chooses its face. */

import { version } from "#lib/version.ts"
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
  const command = commands.find(({ name }) => name === first)
  if (command) return command.run(rest, io)
  // Whoever asks for help among other words, some of them perhaps mistaken, is in need of it.
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined)
  if (first === "help" || words.includes("--help") || words.includes("-h")) {
    const { helpText } = await import("./help.ts")
    io.write(helpText(commands))
    return 0
  }
  if (words.includes("--version") || words.includes("-v")) {
    io.write(`${version} (Codewright)\n`)
    return 0
  }
  const { runCommand } = await import("./run.ts")
  return runCommand(argv, io)
}
