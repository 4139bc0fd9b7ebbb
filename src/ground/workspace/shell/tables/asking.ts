/** Marks whole programs with what they ask besides files. */

import type { KnownProgram, Table } from "#ground/workspace/shell/programs/program.ts"
import type { Asks } from "#ground/workspace/shell/shape.ts"

/** Every form of a program, except those that say what they ask themselves. */
export function asking(asks: Asks, program: KnownProgram): KnownProgram {
  if ("judge" in program) return program
  if (!("subcommands" in program)) return { asks, ...program }
  const { alone, subcommands } = program
  return { ...program, ...(alone && { alone: { asks, ...alone } }), subcommands: allAsking(asks, subcommands) }
}

export const allAsking = (asks: Asks, table: Table): Table =>
  Object.fromEntries(Object.entries(table).map(([name, program]) => [name, asking(asks, program)]))
