/** The help of one command, drawn from its verbs and its table of flags. */

import { type Flag, spelling } from "./flag.ts"
import { type HelpRow, helpRows, wrapped } from "./help-rows.ts"

export interface CommandHelp {
  readonly usage: readonly string[]
  readonly about?: string
  readonly verbs?: readonly HelpRow[]
  readonly table?: readonly Flag[]
  readonly examples?: readonly string[]
}

export function commandHelp({ usage, about = "", verbs = [], table = [], examples = [] }: CommandHelp): string {
  return [
    `Usage: ${usage.join("\n       ")}\n`,
    ...(about === "" ? [] : [`${wrapped(about).join("\n")}\n`]),
    ...(verbs.length > 0 ? [`Verbs:\n${helpRows(verbs)}`] : []),
    ...(table.length > 0 ? [`Options:\n${helpRows(table.map((flag) => [spelling(flag), flag.about]))}`] : []),
    ...(examples.length > 0 ? [`Examples:\n${examples.map((line) => `${`  ${line}`.trimEnd()}\n`).join("")}`] : []),
  ].join("\n")
}

export const asksForHelp = (argv: readonly string[]): boolean =>
  argv.some((word) => word === "--help" || word === "-h") || argv[0] === "help"
