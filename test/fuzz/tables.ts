/** Commands made from the tables themselves: every flag that is called harmless is tried, in odd orders and with odd values. */

import type { Ids } from "#lib/ids.ts"
import type { KnownProgram } from "#ground/workspace/shell/programs/program.ts"
import { allReaders } from "#ground/workspace/shell/tables/readers.ts"

interface Entry {
  readonly words: readonly string[]
  readonly flags: readonly string[]
}

function entries(program: KnownProgram, words: readonly string[]): readonly Entry[] {
  if ("judge" in program) return [{ words, flags: ownWords[words[0] ?? ""] ?? [] }]
  if (!("subcommands" in program))
    return [{ words, flags: (program.flags ?? "").split(" ").filter((flag) => flag !== "") }]
  const inner = Object.entries(program.subcommands).flatMap(([name, each]) => entries(each, [...words, name]))
  return program.alone ? [...entries(program.alone, words), ...inner] : inner
}

/** Words that programs with a grammar of their own are given; the tables have no list of theirs. */
const ownWords: { readonly [name: string]: readonly string[] } = {
  awk: ["'{print $1}'", "-F:text", "-v:text"],
  find: ["-name:text", "-type f", "-maxdepth:number", "-print", "-newer:text", "-printf:text"],
  jq: [".", "-R", "-r", "-n", "--arg a:text", "--argjson a:text", "--indent:number", "--"],
  sed: ["-n", "-e p", "-e:text", "-s", "-E", "1p"],
  tar: ["tf", "-t", "-v", "-z", "-f:text", "-C:text"],
  yq: [".", "-o:text", "-p:text", "-r", "-P"],
}

/** By program, so that those with many subcommands are not tried more often than others. */
const programs = Object.entries(allReaders())
  .filter(([name]) => Bun.which(name) !== null)
  .map(([name, program]) => entries(program, [name]))

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
  "16",
  "e",
  "x",
  "2ozz",
  "'x$ozz'",
  "0.",
  "@0.",
  "example.com",
  "json",
]
const operands = [
  "a.txt",
  "README.md",
  "16",
  "x",
  "e",
  "aux",
  "state",
  "established",
  "dst",
  "0.",
  "example.com",
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
  const { words, flags } = pick(pick(programs))
  const letters = flags.filter((flag) => /^-[^-](?:[:?]|$)/.test(flag))
  const chosen = Array.from({ length: Math.floor(random() * 4) }, () =>
    letters.length > 1 && random() < 0.4
      ? bundled(letters)
      : withValue(pick(flags.length > 0 && random() < 0.85 ? flags : ["-o", "-x", "-i"])),
  )
  const named = Array.from({ length: Math.floor(random() * 3) }, () => pick(operands))
  const rest = random() < 0.5 ? [...chosen, ...named] : [...chosen, ...named].sort(() => random() - 0.5)
  return [...words, ...rest].join(" ")

  /** Several letters behind one dash, the last with its value: programs disagree about what the rest of the word is. */
  function bundled(from: readonly string[]): string {
    const before = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(from)[1])
    return withValue(pick(from)).replace("-", () => `-${before.join("")}`)
  }

  function withValue(flag: string): string {
    const [name = "", kind] = flag.split(/[:?]/)
    if (kind === undefined) return name
    const value = kind === "number" ? pick(["1", "3", "16", "-2", "z", "2ozz"]) : pick(values)
    return pick([`${name} ${value}`, `${name}=${value}`, `${name}${value}`, name])
  }

  function pick<T>(list: readonly T[]): T {
    const chosenOne = list[Math.floor(random() * list.length)]
    if (chosenOne === undefined) throw new Error("There is nothing to choose from.")
    return chosenOne
  }
}
