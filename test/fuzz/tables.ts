/** Commands made from the tables themselves: every flag that is called harmless is tried, in odd orders and with odd values. */

import type { Ids } from "#lib/ids.ts"
import type { Program } from "#ground/workspace/shell/program.ts"
import { readers } from "#ground/workspace/shell/tables/readers.ts"

interface Entry {
  readonly words: readonly string[]
  readonly flags: readonly string[]
}

function entries(program: Program, words: readonly string[]): readonly Entry[] {
  if ("judge" in program) return [{ words, flags: [] }]
  if (!("subcommands" in program))
    return [{ words, flags: (program.flags ?? "").split(" ").filter((flag) => flag !== "") }]
  const inner = Object.entries(program.subcommands).flatMap(([name, each]) => entries(each, [...words, name]))
  return program.alone ? [...entries(program.alone, words), ...inner] : inner
}

const all = Object.entries(readers).flatMap(([name, program]) => entries(program, [name]))

const values = [
  "z",
  "a.txt",
  "1",
  "5",
  "%s",
  "-o",
  "--output=z",
  ".",
  "src",
  "HEAD",
  "x=z",
  "z,1",
  "%(signature)",
  "+z",
  "@z",
  "'a b'",
  "*.txt",
  "./*",
]
const operands = [
  "a.txt",
  "b.txt",
  "src",
  ".",
  "z",
  "-",
  "--",
  "HEAD",
  "1",
  "foo",
  "*",
  "./*",
  "'a b'",
  "-z",
  "--output=z",
  "+1",
  "main..HEAD",
  "src/main.ts",
]

/** One command line that some table may allow. */
export function fromTables({ random }: Ids): string {
  const { words, flags } = pick(all)
  const chosen = Array.from({ length: Math.floor(random() * 4) }, () => withValue(pick([...flags, "-o", "-x", "-i"])))
  const named = Array.from({ length: Math.floor(random() * 3) }, () => pick(operands))
  const rest = random() < 0.5 ? [...chosen, ...named] : [...chosen, ...named].sort(() => random() - 0.5)
  return [...words, ...rest].join(" ")

  function withValue(flag: string): string {
    const [name = "", kind] = flag.split(/[:?]/)
    if (kind === undefined) return name
    const value = kind === "number" ? pick(["1", "3", "-2", "z"]) : pick(values)
    return pick([`${name} ${value}`, `${name}=${value}`, `${name}${value}`, name])
  }

  function pick<T>(list: readonly T[]): T {
    const chosenOne = list[Math.floor(random() * list.length)]
    if (chosenOne === undefined) throw new Error("There is nothing to choose from.")
    return chosenOne
  }
}
