/** Each wall, shown something it must catch and something it must let pass. */

import { expect, test } from "bun:test"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { decisionFaults } from "../../scripts/decisions.ts"
import { circleBreaches } from "./walls/circles.ts"
import { importsOf } from "./walls/imports.ts"
import { brokenLinks, missingPaths, unusedWords } from "./walls/documents.ts"
import { exportBreaches } from "./walls/exports.ts"
import { floatingBreaches } from "./walls/floating.ts"
import { functionsOf, sizeBreaches } from "./walls/functions.ts"
import { distances, importGraph, useGraph } from "./walls/graph.ts"
import { moduleBreaches } from "./walls/modules.ts"
import { networkModuleBreaches } from "./walls/network-modules.ts"
import {
  chance,
  connections,
  environment,
  machine,
  type Place,
  placeBreaches,
  shellStrings,
  time,
  voice,
} from "./walls/places.ts"
import { breadthBreaches, mapBreaches } from "./walls/rooms.ts"
import { earlyNames } from "./walls/shape.ts"
import { source } from "./walls/source.ts"
import { stateBreaches } from "./walls/state.ts"
import { storeyBreaches } from "./walls/storeys.ts"
import { toolNameBreaches } from "./walls/tool-names.ts"
import { typeNameBreaches } from "./walls/type-names.ts"
import { vagueNames } from "./walls/vague-names.ts"

const file = (path: string, ...lines: readonly string[]) => source(`src/${path}`, lines.join("\n"))

test.each([
  ["lib/a.ts", `import { b } from "#agent/b.ts"`, "agent lies above"],
  ["lib/a.ts", `import type { B } from "#agent/b.ts"`, "agent lies above"],
  ["lib/a.ts", `type B = import("#agent/b.ts").B`, "agent lies above"],
  ["lib/a.ts", `const b = await import("#agent/b.ts")`, "agent lies above"],
  ["lib/a.ts", `export type {\n  B,\n} from "#agent/b.ts"`, "agent lies above"],
  ["lib/a.ts", `import "#agent/b.ts"`, "agent lies above"],
  ["agent/a.ts", `import { b } from "#ground/settings/b.ts"`, "ground/settings lies above"],
  ["ground/settings/a.ts", `import { b } from "#ground/models/b.ts"`, "ground/models is on the same storey"],
  ["kits/plan/a.ts", `import { b } from "#kits/todo/b.ts"`, "kits/todo is on the same storey"],
  ["session/a.ts", `import { b } from "#team/b.ts"`, "team lies above"],
  ["team/a.ts", `import { b } from "#fleet/b.ts"`, "fleet lies above"],
  ["faces/view/a.ts", `import { b } from "#session/b.ts"`, "faces/view may not know session"],
  ["faces/view/a.ts", `import { b } from "#agent/loop.ts"`, "faces/view may not know agent"],
  ["faces/view/a.ts", `import { b } from "#faces/wire/b.ts"`, "faces/wire is on the same storey"],
  ["faces/tui/a.ts", `import { b } from "#faces/web/b.ts"`, "faces/web is on the same storey"],
  ["faces/tui/a.ts", `import { b } from "#faces/cli/b.ts"`, "faces/cli lies above"],
  ["faces/tui/a.ts", `import { b } from "#kits/plan/b.ts"`, "faces/tui may not know kits/plan"],
  ["faces/tui/a.ts", `import { b } from "#ground/models/b.ts"`, "faces/tui may not know ground/models"],
  ["faces/tui/a.ts", `import { b } from "#sim/b.ts"`, "sim is on the same storey"],
  ["session/a.ts", `import { b } from "#sim/b.ts"`, "sim lies above"],
  ["sim/a.ts", `import { b } from "#agent/loop.ts"`, "sim may not know agent"],
  ["sim/a.ts", `import { b } from "#ground/models/b.ts"`, "sim may not know ground/models"],
  ["lib/a.ts", `import { b } from "#attic/b.ts"`, "there is no such room"],
  ["attic/a.ts", "", "stands in no room"],
  ["ground/a.ts", "", "stands in no room"],
  ["stray.ts", "", "stands in no room"],
  ["lib/a.ts", `import { b } from "#lib/b.ts"`, "`#` stays in the room"],
  ["agent/words/a.ts", `import { b } from "../b.ts"`, "`../` is not used"],
  ["main.ts", `import { b } from "./lib/b.ts"`, "`./` leaves the room"],
])("storeys: %s with %j", (path, text, fault) => {
  const breaches = storeyBreaches([file(path, text)])
  expect(breaches).toHaveLength(1)
  expect(breaches[0]).toContain(fault)
})

test("storeys: what the house allows", () => {
  const tree = [
    file("lib/a.ts", `import { z } from "zod"`, `import { b } from "./b.ts"`, `import { readFile } from "node:fs"`),
    file("agent/a.ts", `import { b } from "#lib/b.ts"`, `import type { C } from "./words/c.ts"`),
    file("ground/workspace/shell/a.ts", `import { b } from "#ground/workspace/paths.ts"`),
    file("session/a.ts", `import { b } from "#kits/plan/b.ts"`, `import { c } from "#ground/models/c.ts"`),
    file("faces/view/a.ts", `import type { B } from "#team/task.ts"`, `import type { C } from "#agent/words/c.ts"`),
    file("faces/tui/a.tsx", `import { b } from "#session/b.ts"`, `import { c } from "#faces/view/c.ts"`),
    file("faces/cli/a.ts", `import { b } from "#kits/plan/b.ts"`, `import { c } from "#sim/c.ts"`),
    file("sim/a.ts", `import { b } from "#lib/b.ts"`, `import type { C } from "#agent/words/c.ts"`),
    file("main.ts", `import { version } from "../package.json"`, `const c = await import("#faces/cli/run.ts")`),
    file("lib/c.ts", `// import { b } from "#agent/b.ts"`, "const text = 'import x from \"#agent/b.ts\"'"),
  ]
  expect(storeyBreaches(tree)).toEqual([])
})

test("breadth: a folder with a file too many", () => {
  const tree = Array.from({ length: 61 }, (_, at) => file(`lib/${at}.ts`))
  expect(breadthBreaches(tree)).toEqual(["src/lib has 61 files beside each other; at most 60"])
  expect(breadthBreaches(tree.slice(1))).toEqual([])
})

test("circles: one over three files, closed by a type", () => {
  const tree = [
    file("lib/a.ts", `import { b } from "./b.ts"`),
    file("lib/b.ts", `import { c } from "./c.ts"`, `import { d } from "./d.ts"`),
    file("lib/c.ts", `import type { A } from "./a.ts"`, `import { d } from "./d.ts"`),
    file("lib/d.ts"),
  ]
  expect(circleBreaches(tree)).toEqual(["src/lib/a.ts -> src/lib/b.ts -> src/lib/c.ts -> src/lib/a.ts"])
  expect(circleBreaches(tree.slice(1))).toEqual([])
})

test("graph: who can see a file, nearest first, by imports and by names in strings", () => {
  const tree = [
    file("lib/a.ts"),
    file("lib/b.ts", `import type { A } from "./a.ts"`),
    file("main.ts", `import { b } from "#lib/b.ts"`),
    source("test/kit/run.ts", `const program = join(root, "bin/codewright")`),
    source("test/suite/c.test.ts", `import { run } from "../kit/run.ts"`),
    source("test/unit/a.test.ts", `import { a } from "#lib/a.ts"`),
    source("test/unit/d.test.ts", `const text = read(join(import.meta.dir, "../corpus/d.jsonl"))`),
    source("test/unit/e.test.ts", "const golden = `goldens`"),
  ]
  const names = new Set(["test/corpus/d.jsonl", "test/unit/goldens"])
  const tests = (...from: readonly string[]): readonly (readonly [string, number])[] =>
    [...distances(useGraph(tree, names), from)].filter(([path]) => path.includes(".test."))
  expect(tests("src/lib/a.ts")).toEqual([
    ["test/unit/a.test.ts", 1],
    ["test/suite/c.test.ts", 4],
  ])
  expect(tests("test/corpus/d.jsonl")).toEqual([["test/unit/d.test.ts", 1]])
  expect(tests("test/unit/goldens")).toEqual([["test/unit/e.test.ts", 1]])
  expect(importGraph(tree).get("test/kit/run.ts")).toEqual([])
})

test.each([
  "let count = 0",
  "export let count = 0",
  "var count = 0",
  "const seen = new Map<string, number>()\nconst f = () => seen.set('a', 1)",
  "export const seen: Set<string> = new Set()\nconst f = () => { seen.add('a') }",
  "const list: string[] = []\nfunction f() { list.push('a') }",
  "const table = {}\nfunction f() { table['a'] = 1 }",
  "const table = { n: 0 }\nfunction f() { table.n += 1 }",
  "const table = { n: 0 }\nfunction f() { table.n++ }",
  "const table = { n: 0 }\nfunction f() { delete table.n }",
  "const table = {}\nfunction f() { Object.assign(table, { a: 1 }) }",
  "class A {\n  static count = 0\n}",
  "globalThis.cache = 1",
])("state: %j", (text) => {
  expect(stateBreaches([file("lib/a.ts", text)])).toHaveLength(1)
})

test("state: what may stay", () => {
  const text = [
    "const names = ['a', 'b'] as const",
    "const known: ReadonlySet<string> = new Set(names)",
    "function f() {\n  let count = 0\n  const seen = new Map()\n  seen.set('a', count++)\n  return known.has('a')\n}",
    "const table = { a: 1 }\nconst same = (n: number) => table.a === n && table.a <= n && other.table.a",
    "const made = () => { const list: string[] = []\n  list.push('a')\n  return list }",
    "class A {\n  static readonly one = 1\n  static make() {}\n}",
  ]
  expect(stateBreaches([file("lib/a.ts", ...text)])).toEqual([])
})

test.each([
  ["agent/a.ts", `import { readFile } from "node:fs/promises"`],
  ["agent/words/a.ts", `import type { Stats } from "node:fs"`],
  ["agent/a.ts", `import { join } from "path"`],
  ["agent/a.ts", `import { file } from "bun"`],
  ["faces/view/a.ts", `import { Database } from "bun:sqlite"`],
  ["faces/wire/a.ts", `const os = await import("node:os")`],
  ["kits/plan/a.ts", `import { env } from "node:process"`],
  ["kits/plan/a.ts", `import { setTimeout as sleep } from "node:timers/promises"`],
])("modules: %s with %j", (path, text) => {
  expect(moduleBreaches([file(path, text)])).toHaveLength(1)
  expect(moduleBreaches([file("ground/workspace/a.ts", `import { join, resolve } from "node:path"`)])).toEqual([])
})

test("modules that open connections", () => {
  const caught = `import { request as ask } from "node:https"`
  expect(networkModuleBreaches([file("ground/web/a.ts", caught)])).toHaveLength(1)
  expect(networkModuleBreaches([file("ground/network/a.ts", caught)])).toEqual([])
  const fine = `import { createServer, type Server } from "node:http"\nimport type { Socket } from "node:net"`
  expect(networkModuleBreaches([file("sim/a.ts", fine)])).toEqual([])
})

const places: readonly (readonly [name: string, place: Place, path: string, ...caught: readonly string[]])[] = [
  [
    "machine",
    machine,
    "ground/workspace/a.ts",
    "Bun.file(p)",
    "process.cwd()",
    "Buffer.from(a)",
    "globalThis.Bun.spawn([])",
  ],
  [
    "environment",
    environment,
    "ground/settings/a.ts",
    "process.env.A",
    "Bun.env.A",
    "const { env } = process",
    `process["env"]`,
  ],
  [
    "voice",
    voice,
    "faces/tui/a.ts",
    "console.log(1)",
    "process.exit(1)",
    "process.stdout.write(a)",
    "process.exitCode = 1",
  ],
  [
    "time",
    time,
    "lib/clock.ts",
    "Date.now()",
    "new Date()",
    "Date()",
    "performance.now()",
    "setTimeout(f, 1)",
    "setInterval(f, 1)",
  ],
  [
    "chance",
    chance,
    "lib/ids.ts",
    "Math.random()",
    "crypto.randomUUID()",
    "randomBytes(8)",
    "crypto.getRandomValues(a)",
  ],
  [
    "connections",
    connections,
    "ground/network/a.ts",
    "await fetch(url, { method: a })",
    "if (await fetch(url)) { go() }",
    "globalThis.fetch(url)",
    "const ports = { send: fetch }",
    "new WebSocket(url)",
    "Bun.connect({ hostname: a, port: 1 })",
    "https.request(url)",
  ],
]

test.each([
  `if (tool.name === "Bash") run()`,
  `const isEdit = call?.tool !== "Edit"`,
  `tools.some(({ name }) => name === "Task")`,
  `if ("Read" === call.tool.name) run()`,
])("names of tools: %j", (text) => {
  expect(toolNameBreaches([file("session/a.ts", text)])).toHaveLength(1)
  expect(toolNameBreaches([file("kits/tools/a.ts", text)])).toEqual([])
  expect(toolNameBreaches([file("session/a.ts", `// ${text}`)])).toEqual([])
})

test("names of types: three meanings are one too many", () => {
  const two = [file("lib/a.ts", "export interface Look {}"), file("agent/b.ts", "type Look = string")]
  expect(typeNameBreaches([...two, file("lib/c.ts", "// type Look", "type Looks = Look")])).toEqual([])
  expect(typeNameBreaches([...two, file("lib/c.ts", "interface Look {}")])).toHaveLength(1)
})

test.each([
  "function take(lease: Lease) {}",
  "const held = new Map<string, number>()",
  "let given: string | undefined",
  "const { lease: held } = row",
  "const [first, told = 1] = list",
  "const f = (...given: string[]) => given",
  "function f({ a: { b: look } }: A) {}",
  "interface A { readonly tell: (text: string) => void }",
  "interface A { give(): void }",
  "const a = { hold: () => 1 }",
  "const a = { hold() {} }",
  "class A { take() {} }",
  "type F = (given: string) => void",
  "try {} catch (given) {}",
])("vague names: %s", (text) => {
  expect(vagueNames([file("lib/a.ts", text)])).toHaveLength(1)
})

test("vague names: what data has, what is passed on, and longer names", () => {
  const text = [
    "interface A { readonly held: boolean; readonly told?: string }",
    "const { held, told } = entry",
    "const a = { held: true, given: lease }",
    "const heldPaths = a.held; const takeLease = (row: A) => row.take()",
    "// take, look, tell",
    'const words = ["take", "look"]',
  ]
  expect(vagueNames([file("lib/a.ts", ...text)])).toEqual([])
})

test("names of tools: where they are data", () => {
  const text = `const tools = ["Read", "Edit"]; if (rule.kind === "Bash") go(); const b = { name: "Bash" }`
  expect(toolNameBreaches([file("session/a.ts", text)])).toEqual([])
})

test.each(places)("places: %s", (_name, place, home, ...caught) => {
  for (const text of caught) {
    expect(placeBreaches([file("agent/a.ts", text)], place)).toHaveLength(1)
    expect(placeBreaches([file(home, text)], place)).toEqual([])
  }
  expect(
    placeBreaches(
      [file("agent/a.ts", `// ${caught.join(" ")}`, `const a = ${JSON.stringify(caught.join(" "))}`)],
      place,
    ),
  ).toEqual([])
})

test("places: what only looks alike", () => {
  const text =
    "new Date(at); this.process.env; clock.setTimeout; call.console.log(); updateDate(1); myprocess.exit(1); network.fetch(p, u); serve({ fetch(request) { go() } }); type A = { fetch: B }"
  for (const [, place] of places) expect(placeBreaches([file("agent/a.ts", text)], place)).toEqual([])
})

test.each([
  `spawn(a, { shell: true })`,
  `spawn(a, { shell: "/bin/sh" })`,
  "exec(`ls ${a}`)",
  "execSync('ls')",
  "child_process.exec('ls')",
])("shell strings: %j", (text) => {
  expect(placeBreaches([file("ground/workspace/a.ts", text)], shellStrings)).toHaveLength(1)
  expect(
    placeBreaches([file("lib/a.ts", "pattern.exec(text); const shell = true; db.exec(sql)")], shellStrings),
  ).toEqual([])
})

test.each([
  `export * from "./b.ts"`,
  `export * as b from "./b.ts"`,
  `export type * from "./b.ts"`,
  `export { b } from "./b.ts"`,
  `export type { B } from "./b.ts"`,
  `import { b } from "./b.ts"\nexport { b }`,
  `import { type B, c } from "./b.ts"\nexport type { B }`,
  "export default 1",
  "const a = 1\nexport { a as default }",
])("exports: %j", (text) => {
  expect(exportBreaches([file("lib/a.ts", text)])).toHaveLength(1)
  expect(exportBreaches([source("src/index.ts", text)])).toHaveLength(text.includes("default") ? 1 : 0)
})

test("exports: what may leave", () => {
  const text = [
    `import { b } from "./b.ts"`,
    "export const a = b",
    "const c = 1",
    "export { c }",
    "export type D = typeof c",
  ]
  expect(exportBreaches([file("lib/a.ts", ...text)])).toEqual([])
})

test("rooms: one that the map forgot", () => {
  const tree = [file("lib/a.ts"), file("ground/workspace/b.ts"), file("kits/plan/c.ts")]
  const map = "`lib` is the cellar, `ground/workspace` the floor, and kits/planning is something else."
  expect(mapBreaches(tree, map)).toEqual(["src/kits/plan is not named in docs/ARCHITECTURE.md"])
  expect(mapBreaches(tree, `${map} kits/plan too.`)).toEqual([])
})

test("documents: paths and names that are not there", () => {
  const files = ["src/ground/team/link.ts", "src/team/hosts/here.ts", "test/kit/runs.ts"]
  const named = (text: string) => missingPaths({ path: "a.md", text }, files)
  expect(
    named("`ground/team/link.ts`, `ground/team/`, `link.ts`, `test/kit`, `team/hosts/{here}.ts`, `./x.ts`"),
  ).toEqual([])
  expect(named("`ground/team/postgres`, `gone.ts`, `team/hosts/{here,away}.ts`, `ink.ts`")).toEqual([
    "a.md names ground/team/postgres, which does not exist",
    "a.md names gone.ts, which does not exist",
    "a.md names team/hosts/away.ts, which does not exist",
    "a.md names ink.ts, which does not exist",
  ])
})

test("documents: links to files and headings", () => {
  const to = { path: "docs/b.md", text: "# B\n\n## What it costs, and `why`\n" }
  const linked = (text: string) =>
    brokenLinks([{ path: "docs/guides/a.md", text }, to], ["docs/b.md", "docs/guides/a.md", "src/a.ts"])
  const whole =
    "# A\n[a](#a) [b](../b.md) [c](../b.md#what-it-costs-and-why) [d](https://x.y) [e](../../src) `[f](gone.md)`"
  expect(linked(whole)).toEqual([])
  expect(linked("[a](b.md) [b](../b.md#cost) [c](#a)")).toEqual([
    "docs/guides/a.md links to b.md: no such file",
    "docs/guides/a.md links to ../b.md#cost: no such heading",
    "docs/guides/a.md links to #a: no such heading",
  ])
})

test("documents: words of the glossary that nothing uses", () => {
  const sources = [file("team/lead.ts", "const seat = 1"), file("team/hosts/here.ts", "/** Set aside. */")]
  const rows =
    "| seat (of a member) | a | `team/lead.ts` | b |\n| set aside | c | `team/hosts` | |\n| parked | d | `team/hosts/here.ts` | |\n"
  expect(unusedWords(rows, sources)).toEqual(["team/hosts/here.ts does not say parked (parked)"])
})

test("documents: decisions without rooms, with an unknown status, or superseded by nothing", () => {
  const of = (number: number, status: string) => ({
    name: `000${number}-x.md`,
    text: `# ${number}. X\n\nRooms: \`lib\`, \`agent\`. Status: ${status}.\n\nText.\n`,
  })
  expect(decisionFaults([of(1, "in force"), of(2, "superseded by [3](0003-x.md)"), of(3, "in force")])).toEqual([])
  const wrong = [
    of(1, "draft"),
    of(2, "partly superseded by [1](0001-x.md) (a part)"),
    of(3, "superseded"),
    of(4, "superseded by [9](0009-x.md)"),
  ]
  expect(
    decisionFaults([...wrong, { name: "0005-x.md", text: "# 6. X\n\nRooms: `lib`. Status: in force.\n" }]),
  ).toEqual([
    '0001-x.md does not begin with "# <number>. <title>", then "Rooms: `…`. Status: in force." or "superseded by"',
    "0002-x.md is superseded by 1?",
    "0003-x.md is superseded and names 0 later ones",
    "0004-x.md is superseded by 9?",
    "0005-x.md calls itself 6",
  ])
})

test("types: forgotten promises and objects in templates are found, kept promises and strings are not", async () => {
  const root = await mkdtemp(join(tmpdir(), "codewright-house-"))
  try {
    const options = { target: "esnext", module: "esnext", strict: true, types: [], noEmit: true }
    await writeFile(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["a.ts"] }))
    await writeFile(
      join(root, "a.ts"),
      [
        "declare const work: () => Promise<number>; declare const maybe: (() => Promise<void>) | undefined; declare const on: boolean",
        "export async function run() {",
        "  work()",
        "  maybe?.()",
        "  on && work()",
        "  on ? work() : undefined",
        "  work().then(() => 1)",
        "  void work()",
        "  await work()",
        "  const kept = work()",
        "  let late: Promise<number>",
        "  late = work()",
        "  work().catch(() => 1)",
        "  String(1)",
        "  return [kept, late]",
        "}",
        "declare const complaint: string | { readonly message: string }; declare const tag: (...all: unknown[]) => string",
        "export const said = `${complaint} (changed)`",
        "export const list = `${[1, 2]}`",
        "export const plain = `${1} ${on} ${typeof complaint === 'string' ? complaint : complaint.message} ${/a/}`",
        "export const tagged = tag`${complaint}`",
      ].join("\n"),
    )
    const lines = (await floatingBreaches(root)).map((breach) => breach.split(" ")[0])
    expect(lines).toEqual(["a.ts:3", "a.ts:4", "a.ts:5", "a.ts:6", "a.ts:7", "a.ts:18", "a.ts:19"])
  } finally {
    await rm(root, { recursive: true })
  }
})

test("early names: used above their declaration, in a function", async () => {
  const folder = await mkdtemp(join(tmpdir(), "walls-"))
  const files = {
    "early.ts": "export function h() {\n  const i = () => j\n  const j = 1\n  return [i, k()]\n  function k() {}\n}\n",
    "taken.ts": "export function l(m: { n: number }) {\n  const o = () => n\n  const { n } = m\n  return o\n}\n",
    "below.ts": "export function p() {\n  return q\n}\nconst q = 1\n",
  }
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    const early = await earlyNames(resolve(import.meta.dir, "../.."), folder)
    expect(early.map((one) => one.replace(/^.*\/([\w.]+:\d+).*$/, "$1"))).toEqual(["early.ts:2", "taken.ts:2"])
  } finally {
    await rm(folder, { recursive: true })
  }
})

const sizes = (text: string): unknown =>
  functionsOf(file("lib/a.ts", text)).map(({ name, statements, nesting }) => [name, statements, nesting])

test.each([
  ["function a() { b(); c(); return 1 }", [["a", 3, 0]]],
  ["const a = () => b()", [["a", 1, 0]]],
  [
    "const o = { m() { b() }, n: () => 1 }",
    [
      ["m", 1, 0],
      ["n", 1, 0],
    ],
  ],
  // Packing changes nothing.
  ["function a() { const b = 1, c = 2; d(), e() }", [["a", 4, 0]]],
  ["function a() { return b ? c : d ? e : f }", [["a", 3, 2]]],
  // What is inside counts outside, too.
  [
    "function a() { return () => { b(); c() } }",
    [
      ["a", 3, 1],
      ["", 2, 0],
    ],
  ],
  ["function a() { if (b) for (const c of d) { e() } }", [["a", 4, 2]]],
  ["function a() { if (b) c(); else if (d) e(); else f() }", [["a", 5, 1]]],
])("size of functions: %s", (text, found) => {
  expect(sizes(text)).toEqual(found)
})

test("size of functions: too many statements, and too deep", () => {
  const many = (count: number): string => `function many() {\n${"  a()\n".repeat(count)}}`
  const deep = (levels: number): string => `function deep() { ${"if (a) { ".repeat(levels)}b()${" }".repeat(levels)} }`
  expect(sizeBreaches([file("lib/a.ts", many(90), deep(5))])).toEqual([])
  expect(sizeBreaches([file("lib/a.ts", many(91), deep(6))])).toHaveLength(2)
})

test("storeys: a session has storeys of its own", () => {
  const upwards = (path: string, to: string): readonly string[] =>
    storeyBreaches([file(path, `import { b } from "#session/${to}"`)])
  expect(upwards("session/journal/a.ts", "turn/b.ts")).toEqual([expect.stringContaining("session/turn lies above")])
  expect(upwards("session/request/a.ts", "opening/b.ts")).toEqual([
    expect.stringContaining("session/opening lies above"),
  ])
  expect(upwards("session/adapters/a.ts", "b.ts")).toEqual([expect.stringContaining("session lies above")])
  expect(upwards("session/turn/a.ts", "replay/b.ts")).toEqual([expect.stringContaining("is on the same storey")])
  expect(upwards("session/open.ts", "journal/b.ts")).toEqual([])
  expect(upwards("faces/tui/a.ts", "port/b.ts")).toEqual([])
})

test("a program that is started by its first line is read like any other", () => {
  const found = importsOf(source("scripts/a.mjs", '#!/usr/bin/env node\nimport { b } from "./b.mjs"\nb()\n'))
  expect(found.map(({ specifier }) => specifier)).toEqual(["./b.mjs"])
})
