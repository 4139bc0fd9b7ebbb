/** Reads the words of one command; what is wrong with them, and its help, are answered here. */

import { type Arguments, parseArguments } from "#faces/cli/flags/argv.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import type { Io } from "#faces/cli/io.ts"
import { type CommandHelp, commandHelp } from "./command-help.ts"

/** A number is the exit code: there is nothing left to do. */
export function readCommand<Name extends string>(
  argv: readonly string[],
  table: readonly Flag<Name | "help">[],
  help: CommandHelp,
  io: Io,
): Arguments<Name | "help"> | number {
  const parsed = parseArguments(argv, table)
  if (!parsed.ok) return io.fail(parsed.failure.message)
  const isHelp = parsed.value.has("help") || (help.verbs !== undefined && parsed.value.rest[0] === "help")
  if (!isHelp) return parsed.value
  io.write(commandHelp(help))
  return 0
}
