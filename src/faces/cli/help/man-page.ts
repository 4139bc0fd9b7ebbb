/** The manual page, drawn from the same tables as the help: `codewright --man`, and docs/man/codewright.1. */

import { environmentVariables } from "#ground/settings/environment.ts"
import { version } from "#lib/version.ts"
import { type CommandHelp, type DescribedCommand, withHelp } from "./command-help.ts"
import { type Flag, spelling } from "#faces/cli/flags/flag.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { commandGroups, flagGroups, grouped } from "./help-groups.ts"

export async function manPage(commands: readonly DescribedCommand[]): Promise<string> {
  const details = await Promise.all(commands.map(async ({ name, help }) => detailsOf(name, await help())))
  const forPeople = flags.filter(({ hidden }) => !hidden)
  const forPrograms = flags.filter(({ hidden }) => hidden)
  const lines = [
    '.\\" Made by npm run reference from the code. Do not edit.',
    `.TH CODEWRIGHT 1 "" "Codewright ${version}" "User Commands"`,
    ".nh",
    ".ad l",
    section("NAME"),
    "codewright \\- a coding agent that works under your control",
    section("SYNOPSIS"),
    ...synopsis([
      "codewright [options] [prompt]",
      "codewright -p [options] <prompt>",
      "codewright <command> [options]",
    ]),
    section("DESCRIPTION"),
    paragraph(
      "Codewright reads, plans, edits, runs and verifies code in the current folder, and asks before it does what your rules do not allow.",
    ),
    paragraph(
      "Without a command, it opens a conversation. With -p it answers one prompt and exits. A value may follow a flag as --flag value or --flag=value.",
    ),
    section("COMMANDS"),
    ...grouped(commands, commandGroups, "Other commands").flatMap(({ title, items }) => [
      subsection(title),
      ...items.map(({ name, about }) => item(name, about)),
    ]),
    section("OPTIONS"),
    ...grouped(forPeople, flagGroups, "Other options").flatMap(({ title, items }) => [
      subsection(title),
      ...items.map(flagItem),
    ]),
    subsection("Options for programs that run Codewright"),
    ...forPrograms.map(flagItem),
    section("COMMANDS IN DETAIL"),
    ...details.flat(),
    section("ENVIRONMENT"),
    ...environmentVariables.map(({ name, aliases = [], meaning }) => item([name, ...aliases].join(", "), meaning)),
    section("FILES"),
    ...files.map(([path, about]) => item(path, about)),
    section("EXIT STATUS"),
    ...exits.map(([code, about]) => item(code, about)),
    section("EXAMPLES"),
    codeBlock(examples),
    section("SEE ALSO"),
    paragraph("codewright docs lists the guides and reference pages that come with the program."),
  ]
  // A heading already begins a paragraph.
  return `${lines.join("\n").replaceAll(/^(\.S[HS] .*)\n\.PP$/gm, "$1")}\n`
}

const files = [
  ["~/.codewright/settings.json", "Your settings."],
  [".codewright/settings.json", "The settings of a project."],
  [".codewright/settings.local.json", "Your own settings in a project."],
  ["~/.codewright/key.json", "Saved API keys, readable by you alone."],
  ["~/.codewright/projects", "The logs of sessions."],
] as const

const exits = [
  ["0", "Done."],
  ["1", "An error; standard error says which. With --detailed-exit-codes, other numbers tell errors apart."],
] as const

const examples = [
  'codewright -p "what does this repository do?"',
  'codewright -p "fix the failing test" --allowed-tools Edit "Bash(npm test:*)"',
  'git diff | codewright -p "review this change" --output-format json',
  "source <(codewright completions bash)",
]

function detailsOf(name: string, help: CommandHelp): readonly string[] {
  const { usage, about = "", verbs = [], table = [], verbTables = {}, examples: ownExamples = [] } = help
  const shown = (some: readonly Flag[]): readonly string[] => some.filter(({ hidden }) => !hidden).map(flagItem)
  return [
    subsection(`codewright ${name}`),
    ...synopsis(usage),
    ...(about === "" ? [] : [paragraph(about)]),
    ...verbs.map(([text, meaning]) => item(text, meaning)),
    ...shown(withHelp(table)),
    ...Object.entries(verbTables).flatMap(([verb, some]) => [paragraph(`Options of ${verb}:`), ...shown(some)]),
    ...(ownExamples.length > 0 ? [paragraph("Examples:"), codeBlock(ownExamples)] : []),
  ]
}

const section = (title: string): string => `.SH ${title}`
const subsection = (title: string): string => `.SS ${escaped(title)}`
const paragraph = (text: string): string => `.PP\n${escaped(text)}`
const item = (name: string, about: string): string => `.TP\n\\fB${escaped(name)}\\fR\n${escaped(about) || "\\&"}`
const flagItem = (flag: Flag): string => item(spelling(flag), flag.about)
const synopsis = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line, at) => [...(at > 0 ? [".br"] : [".PP"]), `\\fB${escaped(line)}\\fR`])
const codeBlock = (lines: readonly string[]): string =>
  [".PP", ".nf", ...lines.map((line) => escaped(line) || "\\&"), ".fi"].join("\n")

const named: { readonly [char: string]: string } = {
  "\\": "\\e",
  "-": "\\-",
  "'": "\\(aq",
  "`": "\\(ga",
  "~": "\\(ti",
  "^": "\\(ha",
}

/** As it is, whatever the formatter makes of it otherwise: a dash can be copied, and a line is never a request. */
function escaped(text: string): string {
  const plain = text
    .replaceAll(/`([^`]*)`/g, "$1")
    .replaceAll(/[\\'`~^-]/g, (char) => named[char] ?? char)
    .replaceAll(
      /[^\n -~]/gu,
      (char) => `\\[u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    )
  return plain.replaceAll(/^(?=[.'])/gm, "\\&")
}
