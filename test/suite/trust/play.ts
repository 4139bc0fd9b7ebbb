/** Plays one row of the tables about trust: a folder, what was trusted of it, a run, and what came of it outside of the program. */

import { afterAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import type { JsonValue } from "#lib/json.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { openPlace, type Place, type Run, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, says } from "../../kit/script.ts"

/** By path in the project. What is no text is written as JSON. `MARKS` and `NET` stand for places of the row. */
export type Files = { readonly [path: string]: JsonValue }

export interface Row {
  readonly name: string
  /** What was there when the person trusted the folder; not given: they never did. */
  readonly trusted?: Files
  /** What `codewright trust` printed then. */
  readonly shows?: readonly string[]
  /** What it must not have printed. */
  readonly hides?: readonly string[]
  /** What is there when the program runs, over what was trusted. */
  readonly files?: Files
  /** What is gone by then. */
  readonly gone?: readonly string[]
  /** Links in the project, by path, with where they lead relative to the folder that holds it. */
  readonly links?: { readonly [path: string]: string }
  /** Pipes that nobody writes into, in the folder that holds the project. */
  readonly pipes?: readonly string[]
  /** The person's own settings. */
  readonly mine?: { readonly [key: string]: JsonValue }
  /** Commands of the program that the person gave before the run, each of which must work. */
  readonly before?: readonly (readonly string[])[]
  /** Where it runs; in the project when absent. */
  readonly at?: "home" | "above home"
  readonly argv?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  /** A command of shell that the model asks for. */
  readonly wants?: string
  readonly replies?: readonly ScenarioReply[]
  /** The marks that were left: exactly these. */
  readonly ran?: readonly string[]
  /** The addresses that were reached, with what was sent as Authorization: exactly these. */
  readonly heard?: readonly string[]
  /** What standard error holds, and what it does not. */
  readonly says?: readonly string[]
  readonly silent?: true
  readonly code?: number
  /** What the model was told, and what not. */
  readonly told?: readonly string[]
  readonly untold?: readonly string[]
  /** A file of the folder that holds the project, as it is afterwards. */
  readonly kept?: { readonly [path: string]: string }
}

/** Where addresses of the rows lead to. What is asked of it is kept by the row's name. */
export interface Net extends Disposable {
  readonly port: number
  readonly heardOf: (row: string) => readonly string[]
}

export function openNet(): Net {
  const heard = new Map<string, string[]>()
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const url = new URL(request.url)
      const [, row = "", name = ""] = url.pathname.split("/")
      const sent = request.headers.get("authorization") ?? ""
      const words = [name, url.search.slice(1), sent].filter((word) => word !== "").join(" ")
      heard.set(row, [...(heard.get(row) ?? []), words])
      return new Response("{}", {
        status: name === "hook" ? 200 : 404,
        headers: { "content-type": "application/json" },
      })
    },
  })
  return {
    port: server.port ?? 0,
    heardOf: (row) => [...new Set(heard.get(row) ?? [])].toSorted(),
    [Symbol.dispose]: () => void server.stop(true),
  }
}

/** Rows wait for each other's processes, so they get time for all of them. */
const patienceMs = 300_000

/** Makes a test of each row. */
export function playAll(rows: readonly Row[]): void {
  const net = openNet()
  afterAll(() => net[Symbol.dispose]())
  for (const [i, row] of rows.entries()) test.concurrent(row.name, () => play(row, net, `row-${i}`), patienceMs)
}

async function play(row: Row, net: Net, id: string): Promise<void> {
  using place = openPlace()
  const marks = join(place.path, "work", "marks")
  const put = (text: string): string =>
    text
      .replaceAll("MARKS", marks)
      .replaceAll("WORK", place.work)
      .replaceAll("HOME", place.home)
      .replaceAll("NET", `http://127.0.0.1:${net.port}/${id}`)
  const write = (files: Files = {}): void => {
    for (const [path, value] of Object.entries(files))
      place.write(path, put(typeof value === "string" ? value : JSON.stringify(value)))
  }
  mkdirSync(marks)
  const rule = { permissions: { allow: ["WebFetch(domain:127.0.0.1)"] } }
  place.write("../state/settings.json", JSON.stringify({ ...rule, ...row.mine }))
  place.write("../outside/secret.txt", "OUTSIDE-TEXT")
  const env = { ...row.env }
  if (row.trusted) {
    write(row.trusted)
    const trusted = await runCodewright({ place, argv: ["trust"], env })
    expect({ code: trusted.code, stderr: trusted.stderr }).toMatchObject({ code: 0 })
    for (const text of row.shows ?? []) expect(trusted.stdout).toContain(put(text))
    for (const text of row.hides ?? []) expect(trusted.stdout).not.toContain(put(text))
  }
  write(row.files)
  for (const path of row.gone ?? []) await Bun.file(join(place.work, path)).delete()
  for (const path of row.pipes ?? []) Bun.spawnSync(["mkfifo", join(place.path, path)])
  for (const [path, to] of Object.entries(row.links ?? {})) {
    mkdirSync(dirname(join(place.work, path)), { recursive: true })
    symlinkSync(join(place.path, to), join(place.work, path))
  }
  for (const argv of row.before ?? []) {
    const { code, stderr } = await runCodewright({ place, argv: argv.map(put), env })
    expect({ argv, code, stderr }).toMatchObject({ code: 0 })
  }
  const wanted = row.wants === undefined ? [] : [calls(bash(row.wants))]
  const replies: readonly ScenarioReply[] = JSON.parse(put(JSON.stringify(row.replies ?? [...wanted, says("Done.")])))
  const run = await runCodewright({
    place,
    argv: row.argv ?? ["-p", "go"],
    env,
    ...(row.at && { cwd: row.at === "home" ? place.home : place.path }),
    scenario: replies,
    refusals: "expected",
  })
  expectOutcome(row, run, { place, marks, heard: net.heardOf(id), put })
}

function expectOutcome(
  row: Row,
  run: Run,
  seen: { place: Place; marks: string; heard: readonly string[]; put: (text: string) => string },
): void {
  const said = JSON.stringify(run.requests.map(({ body }) => body))
  const left = existsSync(seen.marks) ? readdirSync(seen.marks).toSorted() : []
  expect({ ran: left, stderr: run.stderr }).toEqual({ ran: [...(row.ran ?? [])].toSorted(), stderr: run.stderr })
  expect(seen.heard).toEqual([...(row.heard ?? [])].toSorted())
  if (row.code !== undefined)
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: row.code, stderr: run.stderr })
  for (const [path, text] of Object.entries(row.kept ?? {}))
    expect(readFileSync(join(seen.place.path, path), "utf8")).toBe(seen.put(text))
  for (const text of row.says ?? []) expect(run.stderr).toContain(seen.put(text))
  if (row.silent) expect(run.stderr).toBe("")
  for (const text of row.told ?? []) expect(said).toContain(text)
  for (const text of row.untold ?? []) expect(said).not.toContain(text)
  // Whatever a secret is named in, its value is shown to nobody.
  for (const value of Object.values(row.env ?? {}))
    if (value.length > 20) expect(run.stdout + run.stderr).not.toContain(value)
}

export const mark = (name: string): string => `touch MARKS/${name}`

/** Settings with hooks. */
export const hooks = (
  event: string,
  ...all: readonly (JsonValue | string)[]
): { readonly [key: string]: JsonValue } => ({
  hooks: {
    [event]: [{ hooks: all.map((hook) => (typeof hook === "string" ? { type: "command", command: hook } : hook)) }],
  },
})

/** A program as a server, which leaves a mark and ends. */
export const program = (name: string, more: { readonly [key: string]: JsonValue } = {}): JsonValue => ({
  command: "sh",
  args: ["-c", mark(name)],
  ...more,
})

export const servers = (all: { readonly [name: string]: JsonValue }): JsonValue => ({ mcpServers: all })
