/** The help of one command, drawn from its verbs and its table of flags. */

import { type Flag, spelling } from "#faces/cli/flags/flag.ts"
import { type HelpRow, helpRows, wrapped } from "./help-rows.ts"

export interface CommandHelp {
  readonly usage: readonly string[]
  readonly about?: string
  readonly verbs?: readonly HelpRow[]
  readonly table?: readonly Flag[]
  /** The flags of verbs that read their own. */
  readonly verbTables?: { readonly [verb: string]: readonly Flag[] }
  readonly examples?: readonly string[]
}

/** A command as help, completions and the manual page describe it. */
export interface DescribedCommand {
  readonly name: string
  readonly about: string
  readonly help: () => Promise<CommandHelp>
}

export function commandHelp(help: CommandHelp): string {
  const { usage, about = "", verbs = [], table = [], verbTables = {}, examples = [] } = help
  const options = (title: string, some: readonly Flag[]): readonly string[] => {
    const rows = some.filter(({ hidden }) => !hidden).map((flag): HelpRow => [spelling(flag), flag.about])
    return rows.length > 0 ? [`${title}:\n${helpRows(rows)}`] : []
  }
  return [
    `Usage: ${usage.join("\n       ")}\n`,
    ...(about === "" ? [] : [`${wrapped(about).join("\n")}\n`]),
    ...(verbs.length > 0 ? [`Verbs:\n${helpRows(verbs)}`] : []),
    ...options("Options", withHelp(table)),
    ...Object.entries(verbTables).flatMap(([verb, some]) => options(`Options of ${verb}`, some)),
    ...(examples.length > 0 ? [`Examples:\n${examples.map((line) => `${`  ${line}`.trimEnd()}\n`).join("")}`] : []),
  ].join("\n")
}

/** Every command has it, also those that read their words without a table. */
export const withHelp = (table: readonly Flag[]): readonly Flag[] =>
  table.some(({ name }) => name === "help")
    ? table
    : [...table, { name: "help", also: ["-h"], kind: "switch", about: "Show this help." }]

export const asksForHelp = (argv: readonly string[]): boolean =>
  argv.some((word) => word === "--help" || word === "-h") || argv[0] === "help"
