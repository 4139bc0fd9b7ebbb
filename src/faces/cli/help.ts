/** The help, drawn from the tables of commands and flags. */

import { spelling } from "./flag.ts"
import { flags } from "./flags.ts"
import { helpRows } from "./help-rows.ts"

export interface CommandLine {
  readonly name: string
  readonly takes: string
  readonly about: string
}

export function helpText(commands: readonly CommandLine[]): string {
  return `Codewright, a coding agent that works under your control.

Usage: codewright [options] [prompt]
       codewright <command> [options]

Commands:
${helpRows(commands.map((command) => [shortly(command), command.about]))}
Details: codewright help <command>. Guides: codewright docs.

Options:
${helpRows(flags.filter(({ hidden }) => !hidden).map((flag) => [spelling(flag), flag.about]))}
Examples:
  codewright -p "what does this repository do?"
  codewright -p "fix the failing test" --allowed-tools Edit "Bash(npm test:*)"
  git diff | codewright -p "review this change" --output-format json
`
}

/** Longer arguments are left to the command's own help. */
const shortly = ({ name, takes }: CommandLine): string =>
  /^\S*$/.test(takes) && !takes.includes("|") ? `${name} ${takes}`.trim() : name
