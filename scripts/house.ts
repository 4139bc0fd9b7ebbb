/**
 * The figures of the source, for `npm run check -- --house`. With the path of another checkout both stand beside each
 * other: the other one first, this one second.
 */

import { dirname, resolve } from "node:path"
import { functionsOf } from "../test/house/walls/functions.ts"
import { type Graph, importGraph } from "../test/house/walls/graph.ts"
import { readTree, type Source } from "../test/house/walls/source.ts"
import { typeNames } from "../test/house/walls/type-names.ts"

/**
 * What somebody reads who follows a thing through the program: the places that it must pass, each found by what is
 * written there, so that another checkout may call its files differently. Between two of them lies the shortest way along
 * imports, down, up, or down from the file that puts both together. It is the least there is to read.
 */
const walks: { readonly [name: string]: readonly RegExp[] } = {
  "a team task": [
    /name: "TeamCreate"/,
    /name: "TaskCreate"/,
    /insert into (?:team_)?tasks/,
    /export const \w*[tT]ask\w*[\s\S]*name: "Task",/,
    /"--?member|memberProcesses\(/,
    /export async function openSession\b/,
    /board\.claim\(/,
  ],
  "a permission question": [
    /export function openExecutor\b/,
    /export function openConsent\b/,
    /export function openQuestions\b/,
    /export (?:async )?function startWorker\b/,
    /insert into fleet_approvals/,
    /ApprovalCard\(/,
    /decisionProblem\(/,
    /export function open(?:Door|OpHandler)\b/,
  ],
}

const here = resolve(import.meta.dir, "..")
const other = process.argv[2]
const columns = await Promise.all([...(other === undefined ? [] : [resolve(other)]), here].map(figuresOf))

/** Folders with fewer files are comfortable. */
const broad = 40
const isTold = (name: string): boolean =>
  !name.startsWith("files in ") || columns.some((column) => Number(column.get(name) ?? 0) >= broad)
const names = [...new Set(columns.flatMap((column) => [...column.keys()]))].filter(isTold)
const rows = names.map((name) => [name, ...columns.map((column) => column.get(name) ?? "0")])
const width = (at: number): number => Math.max(...rows.map((row) => (row[at] ?? "").length)) + 2
for (const row of rows)
  console.log(
    row
      .map((cell, at) => cell.padEnd(width(at)))
      .join("")
      .trimEnd(),
  )

async function figuresOf(root: string): Promise<ReadonlyMap<string, string>> {
  const tree = (await readTree(root, ["src"])).filter(({ path }) => !path.endsWith(".mjs"))
  const lines = tree.map(({ text }) => text.split("\n").length - 1).toSorted((a, b) => a - b)
  const functions = tree.flatMap(functionsOf)
  const by = (size: "statements" | "nesting"): readonly number[] =>
    functions.map((each) => each[size]).toSorted((a, b) => a - b)
  const over = (limit: number): string => String(functions.filter(({ statements }) => statements > limit).length)
  const graph = importGraph(tree)
  return new Map([
    ["lines", String(lines.reduce((sum, count) => sum + count, 0))],
    ["files", String(tree.length)],
    ["lines of a file: median / p90 / longest", spread(lines, 0.5, 0.9, 1)],
    ["functions", String(functions.length)],
    ["statements of one: median / p90 / p99 / most", spread(by("statements"), 0.5, 0.9, 0.99, 1)],
    ["functions over 40 / 60 / 90 statements", [40, 60, 90].map(over).join(" / ")],
    ["nesting of one: p90 / p99 / deepest", spread(by("nesting"), 0.9, 0.99, 1)],
    ["types with several meanings", String([...typeNames(tree).values()].filter(({ length }) => length > 1).length)],
    ...Object.entries(walks).map(([name, places]): [string, string] => [`files of ${name}`, walk(tree, graph, places)]),
    ...breadths(tree),
  ])
}

function spread(sorted: readonly number[], ...shares: readonly number[]): string {
  return shares.map((share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]).join(" / ")
}

/** How many files each folder has of its own, the broadest first. */
function breadths(tree: readonly Source[]): readonly (readonly [string, string])[] {
  const folders = Map.groupBy(tree, ({ path }) => dirname(path))
  return [...folders]
    .map(([folder, files]) => [`files in ${folder}`, String(files.length)] as const)
    .toSorted((a, b) => Number(b[1]) - Number(a[1]))
}

function walk(tree: readonly Source[], graph: Graph, places: readonly RegExp[]): string {
  const found = places.flatMap((place) => tree.find(({ text }) => place.test(text))?.path ?? [])
  const files = new Set(found.flatMap((from, index) => between(graph, from, found[index + 1] ?? from)))
  const missed = places.length - found.length
  return missed === 0 ? String(files.size) : `${files.size} (${missed} places not found)`
}

function between(graph: Graph, from: string, to: string): readonly string[] {
  const up = waysTo(graph, from)
  const over = waysTo(graph, to)
  const ways = [...up.keys()]
    .filter((top) => over.has(top))
    .map((top) => [...(up.get(top) ?? []), ...(over.get(top) ?? [])])
  return ways.toSorted((a, b) => a.length - b.length)[0] ?? [from, to]
}

/** For each file that reaches this one along imports, the shortest way. */
function waysTo(graph: Graph, target: string): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>()
  for (const [path, uses] of graph) for (const used of uses) users.set(used, [...(users.get(used) ?? []), path])
  const ways = new Map<string, readonly string[]>([[target, [target]]])
  for (const [path, way] of ways)
    for (const user of users.get(path) ?? []) if (!ways.has(user)) ways.set(user, [...way, user])
  return ways
}
