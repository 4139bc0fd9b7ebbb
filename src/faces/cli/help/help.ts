/** The help, drawn from the tables of commands and flags: one screen with what is used most, or everything. */

import { optional } from "#lib/optional.ts"
import { type Flag, spelling } from "#faces/cli/flags/flag.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { commandGroups, commonCommands, commonFlags, flagGroups, grouped, picked } from "./help-groups.ts"
import { type HelpRow, helpRows, wrapped } from "./help-rows.ts"

export interface CommandLine {
  readonly name: string
  readonly takes: string
  readonly about: string
}

const opening = `Codewright, a coding agent that works under your control.

Usage: codewright [options] [prompt]
       codewright <command> [options]
`

/** At most forty lines of eighty columns. */
export function helpText(commands: readonly CommandLine[]): string {
  const common = commonFlags.flatMap(([, names]) => picked(flags, names).map(briefRow))
  const others = commands.map(({ name }) => name).filter((name) => !commonCommands.includes(name))
  const listed = wrapped(`More commands: ${others.join(", ")}.`, 78)
  return `${opening}
${commonFlags.map(([title, names]) => `${title}:\n${helpRows(picked(flags, names).map(briefRow), common)}`).join("\n")}
Commands:
${helpRows(picked(commands, commonCommands).map(({ name, about }) => [name, firstSentence(about)]))}${listed.map((line) => `  ${line}\n`).join("")}
Every command and option: codewright --help all
One command: codewright help <command>. Guides: codewright docs. Manual: --man
`
}

/** Every command and every flag that is meant for people. */
export function wholeHelpText(commands: readonly CommandLine[]): string {
  const shown = flags.filter(({ hidden }) => !hidden)
  return `${[
    opening,
    ...grouped(commands, commandGroups, "Other commands").map(
      ({ title, items }) => `${title}:\n${helpRows(items.map((one) => [shortly(one), one.about]))}`,
    ),
    "Details: codewright help <command>. Guides: codewright docs.\n",
    ...grouped(shown, flagGroups, "Other options").map(({ title, items }) => `${title}:\n${helpRows(items.map(row))}`),
  ].join("\n")}
Examples:
  codewright -p "what does this repository do?"
  codewright -p "fix the failing test" --allowed-tools Edit "Bash(npm test:*)"
  git diff | codewright -p "review this change" --output-format json
`
}

const row = (flag: Flag): HelpRow => [spelling(flag), flag.about]

/** Without other spellings and choices. */
const briefRow = ({ name, also = [], kind, takes, about }: Flag): HelpRow => [
  spelling({ name, also: also.filter((other) => !other.startsWith("--")), kind, ...optional("takes", takes), about }),
  firstSentence(about),
]

const firstSentence = (text: string): string => text.replace(/(?<=[.;]) [\s\S]*$/, "").replace(/;$/, ".")

/** Longer arguments are left to the command's own help. */
const shortly = ({ name, takes }: CommandLine): string =>
  /^\S*$/.test(takes) && !takes.includes("|") ? `${name} ${takes}`.trim() : name
