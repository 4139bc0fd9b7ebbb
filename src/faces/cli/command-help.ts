/** The help of one command, drawn from its table of flags. */

import type { Flag } from "./flags.ts"

export interface CommandHelp {
  readonly usage: string
  readonly about: readonly string[]
  readonly table: readonly Flag[]
}

export function commandHelp({ usage, about, table }: CommandHelp): string {
  const rows = table.map((flag) => [spelling(flag), flag.about] as const)
  const width = Math.max(...rows.map(([left]) => left.length)) + 2
  return `Usage: ${usage}

${about.join("\n")}

Options:
${rows.map(([left, right]) => `  ${left.padEnd(width)}${right}\n`).join("")}`
}

const spelling = ({ name, also = [], takes }: Flag): string =>
  [...also.filter((other) => !other.startsWith("--")), `--${name}`].join(", ") +
  (takes === undefined ? "" : ` <${takes}>`)
