/** Shows what nobody forbids and everybody should see: long files, long functions, `any`, names that say nothing, and what only tests use. */

import { resolve } from "node:path"
import { type FunctionSize, functionsOf } from "../test/house/walls/functions.ts"
import { breach, lineAt, readTree, type Source } from "../test/house/walls/source.ts"

const maxFileLines = 300
const maxStatements = 60
const mostShown = 15
const emptyParts: ReadonlySet<string> = new Set(
  "manager service handler helper helpers util utils base abstract".split(" "),
)
const emptyWholes: ReadonlySet<string> = new Set("data info item2 core common misc".split(" "))

const root = resolve(import.meta.dir, "..")
const tree = await readTree(root, ["src", "bench", "scripts"])

show(`files over ${maxFileLines} lines`, tree.flatMap(longFile))
show(`functions over ${maxStatements} statements`, tree.flatMap(functionsOf).flatMap(large))
show("uses of any", tree.flatMap(anys))
show("names to avoid", tree.flatMap(emptyNames))
show("exports that only tests use", await onlyTested())

function show(what: string, found: readonly string[]): void {
  if (found.length === 0) return
  console.log(`\n${found.length} ${what}:`)
  for (const line of found.slice(0, mostShown)) console.log(`  ${line}`)
  if (found.length > mostShown) console.log(`  and ${found.length - mostShown} more`)
}

/** What the program would not miss: neither another file nor its own uses it. */
async function onlyTested(): Promise<readonly string[]> {
  const knip = Bun.spawn(
    [
      "npx",
      "knip",
      "-c",
      "scripts/without-tests.json",
      "--include",
      "exports,files",
      "--reporter",
      "json",
      "--no-exit-code",
    ],
    { cwd: root, stdout: "pipe", stderr: "ignore" },
  )
  const { issues } = JSON.parse(await new Response(knip.stdout).text()) as { readonly issues: readonly Unused[] }
  return issues
    .flatMap(({ file, files, exports }) => (files.length > 0 ? [file] : exports.map(({ name }) => `${file} ${name}`)))
    .toSorted()
}

interface Unused {
  readonly file: string
  readonly files: readonly unknown[]
  readonly exports: readonly { readonly name: string }[]
}

function longFile({ path, text }: Source): readonly string[] {
  const lines = lineAt(text.trimEnd(), text.length)
  return lines > maxFileLines ? [`${path} ${lines} lines`] : []
}

function large({ path, line, name, statements }: FunctionSize): readonly string[] {
  return statements > maxStatements ? [`${path}:${line} ${name} ${statements} statements`] : []
}

function anys(source: Source): readonly string[] {
  return [...source.code.matchAll(/(?:[:<,|&(=]|\bas|\bextends)\s*any\b|\bany\s*\[\s*\]/g)].map((match) =>
    breach(source, match.index, lineOf(source, match.index)),
  )
}

function lineOf({ text }: Source, at: number): string {
  return text.slice(text.lastIndexOf("\n", at) + 1, text.indexOf("\n", at)).trim()
}

/** Declared names and names of files that could stand for anything. */
function emptyNames(source: Source): readonly string[] {
  const file = source.path.replace(/^.*\/|\.\w+$/g, "")
  const declared = [...source.code.matchAll(/\b(?:class|interface|type|function|const|let|enum)\s+(\w+)/g)]
  return [
    ...(isEmptyName(file) ? [source.path] : []),
    ...declared
      .filter((match) => isEmptyName(match[1] ?? ""))
      .map((match) => breach(source, match.index, match[1] ?? "")),
  ]
}

function isEmptyName(name: string): boolean {
  const parts = name.split(/[-_]|(?<=[a-z0-9])(?=[A-Z])/).map((part) => part.toLowerCase())
  return emptyWholes.has(name) || /^I[A-Z][a-z]/.test(name) || parts.some((part) => emptyParts.has(part))
}
