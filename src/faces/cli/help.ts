/** The help, drawn from the tables of commands and flags. */

import { type Flag, flags } from "./flags.ts"

export interface CommandLine {
  readonly name: string
  readonly takes: string
  readonly about: string
}

export function helpText(commands: readonly CommandLine[]): string {
  const rows = (lines: readonly (readonly [string, string])[]): string => {
    const width = Math.max(...lines.map(([left]) => left.length)) + 2
    return lines.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join("\n")
  }
  return `Codewright, a coding agent that works under your control.

Usage: codewright [options] [prompt]
       codewright <command> [options]

Commands:
${rows(commands.map(({ name, takes, about }) => [`${name} ${takes}`.trim(), about]))}

Options:
${rows(flags.map((flag) => [spelling(flag), flag.about]))}

Examples:
  codewright -p "what does this repository do?"
  codewright -p "fix the failing test" --permission-mode acceptEdits --allowed-tools "Bash(npm test:*)"
  git diff | codewright -p "review this change" --output-format json
`
}

function spelling(flag: Flag): string {
  const short = flag.also?.find((name) => !name.startsWith("--"))
  const value = flag.takes === undefined ? "" : valueForms[flag.kind](flag.takes)
  const choices = flag.choices ? ` (${flag.choices.join("|")})` : ""
  return `${short ? `${short}, ` : ""}--${flag.name}${choices === "" ? value : choices}`
}

const valueForms: { readonly [kind in Flag["kind"]]: (takes: string) => string } = {
  switch: () => "",
  value: (takes) => ` <${takes}>`,
  list: (takes) => ` <${takes}>`,
  rules: (takes) => ` <${takes}>`,
  optional: (takes) => ` [${takes}]`,
  attached: (takes) => `[=${takes}]`,
}
