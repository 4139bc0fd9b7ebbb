/** Completions in real shells, and the manual page: nothing of the tables is missing in either. */

import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { commands } from "#faces/cli/commands.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { hasShell, openCompleting, shells } from "../../kit/shell-completion.ts"
import { shareOf } from "../../kit/turns.ts"
import { entriesOf, saidBy, writeLog } from "../../kit/write-log.ts"

const spellings = (table: readonly Flag[] | undefined): readonly string[] =>
  (table ?? []).filter(({ hidden }) => !hidden).flatMap(({ name, also = [] }) => [`--${name}`, ...also])

const hostile = "$(touch pwned) `touch pwned` '; touch pwned; \"\u001b[31m\t* \\"
const id = (n: number): string => `${n}a1b2c3d-0000-4000-8000-000000000001`
const begun = ({ state, work }: Place, n: number, prompt: string): string =>
  writeLog(join(state, "projects", work.replace(/[^A-Za-z0-9]/g, "-"), `${id(n)}.jsonl`), entriesOf([saidBy(prompt)]), {
    sessionId: id(n),
    cwd: work,
  })

test("bash shows titles only where it lists: menu-complete would put them into the line", async () => {
  using place = openPlace()
  for (const n of [1, 2]) begun(place, n, "$(touch pwned)")
  const { offers } = await openCompleting("bash", place)
  const line = "codewright --resume "
  const titled = (n: number): string => `${id(n)}  $(touch pwned)`
  expect((await offers([line], "list"))[0]?.toSorted()).toEqual([titled(1), titled(2)])
  expect((await offers([`${line}1`], "list"))[0]).toEqual([id(1)])
  for (const key of ["tab", "menu"] as const) expect((await offers([line], key))[0]?.toSorted()).toEqual([id(1), id(2)])
})

// Where a shell is not installed, its tests are skipped; CI installs all three.
describe.each(shells)("%s", (shell) => {
  test.skipIf(!hasShell(shell))("offers every command, verb and flag", async () => {
    using place = openPlace()
    const { offers } = await openCompleting(shell, place)
    // fish takes ten times as long for a line as the others, so by day it is asked about a third of the commands.
    const asked = shell === "fish" ? shareOf(commands, 0, 3) : commands
    const helps = await Promise.all(asked.map(async ({ name, help }) => ({ name, ...(await help()) })))
    // fish offers short flags after one dash and long ones after two.
    const dashes = ["-", "--"]
    const lines = [
      "codewright ",
      ...dashes.map((dash) => `codewright ${dash}`),
      ...helps.flatMap(({ name }) => [`codewright ${name} `, ...dashes.map((dash) => `codewright ${name} ${dash}`)]),
    ]
    const answers = await offers(lines)
    const at = (line: string): readonly string[] => answers[lines.indexOf(line)] ?? []
    const flagsAt = (line: string): readonly string[] =>
      [...new Set(dashes.flatMap((dash) => at(`${line} ${dash}`)))].toSorted()
    expect(at("codewright ").toSorted()).toEqual(commands.map(({ name }) => name).toSorted())
    expect(flagsAt("codewright")).toEqual([...spellings(flags)].toSorted())
    for (const { name, verbs = [], table, verbTables = {}, usage } of helps) {
      const written = [...usage, ...verbs.map(([text]) => text)].flatMap((text) => text.match(/--[a-z][a-z-]+/g) ?? [])
      const wanted = [...spellings(table), ...Object.values(verbTables).flatMap(spellings), ...written, "--help", "-h"]
      expect([name, flagsAt(`codewright ${name}`)]).toEqual([name, [...new Set(wanted)].toSorted()])
      for (const [verb] of verbs)
        expect([name, at(`codewright ${name} `)]).toEqual([name, expect.arrayContaining([verb.split(" ")[0] ?? ""])])
    }
  })

  test.skipIf(!hasShell(shell))("offers the values of flags, and what follows a verb", async () => {
    using place = openPlace({ "notes.txt": "", "folder/in.txt": "" })
    begun(place, 1, "fix the parser")
    const { offers } = await openCompleting(shell, place)
    const files = shell === "fish" ? ["folder/", "notes.txt"] : ["<files>"]
    const folders = shell === "fish" ? ["folder/"] : ["<folders>"]
    const cases: readonly (readonly [line: string, offered: readonly string[]])[] = [
      ["codewright doc", ["docs", "doctor"]],
      ["codewright --output-format ", ["json", "stream-json", "text"]],
      ["codewright -p --effort m", ["max", "medium"]],
      ["codewright --model son", ["sonnet"]],
      ["codewright models test opusp", ["opusplan"]],
      ["codewright login openr", ["openrouter"]],
      ["codewright --settings ", files],
      ["codewright --add-dir ", folders],
      ["codewright --add-dir folder ", folders],
      ["codewright --gates plan g", ["git"]],
      ["codewright --resume ", [id(1)]],
      ["codewright -r 1a", [id(1)]],
      ["codewright -r zz", []],
      ["codewright -c --model opus ", []],
      ["codewright sessions show ", [id(1)]],
      ["codewright sessions delete x ", [id(1)]],
      ["codewright sessions export --format h", ["html"]],
      ["codewright doctor --repair ", [id(1)]],
      ["codewright rewind ", [id(1)]],
      ["codewright config set them", ["theme"]],
      ["codewright config set theme light --to ", ["local", "project", "user"]],
      ["codewright permissions add ", ["allow", "ask", "deny"]],
      ["codewright permissions explain NotebookE", ["NotebookEdit"]],
      ["codewright hooks test PreT", ["PreToolUse"]],
      ["codewright docs sandb", ["sandbox"]],
      ["codewright trust ", folders],
      ["codewright completions ", ["bash", "fish", "zsh"]],
    ]
    const answers = await offers(cases.map(([line]) => line))
    expect(cases.map(([line], at) => [line, (answers[at] ?? []).toSorted()])).toEqual(
      cases.map(([line, offered]) => [line, [...offered]]),
    )
    const [attached = []] = await offers(["codewright --effort=m"])
    expect(attached.map((each) => each.replace(/^.*=/, "")).toSorted()).toEqual(["max", "medium"])
  })

  test.skipIf(!hasShell(shell))("evaluates neither titles nor what is typed", async () => {
    using place = openPlace()
    for (const n of [1, 2]) begun(place, n, hostile)
    const { offers } = await openCompleting(shell, place)
    const typed = ["$(touch pwned)", "`touch pwned`"].flatMap((text) => [
      `codewright --resume ${text}`,
      `codewright ${text} --model `,
      `codewright --model ${text}`,
      `codewright config set ${text}`,
    ])
    const [sessions] = await offers(["codewright --resume ", ...typed])
    expect(sessions?.toSorted()).toEqual([id(1), id(2)])
    expect(await Bun.file(join(place.work, "pwned")).exists()).toBe(false)
  })
})

describe("the manual page", () => {
  test("has every command, verb and flag, and of those for programs too", async () => {
    const { code, stdout } = await runCodewright({ argv: ["--man"] })
    expect(code).toBe(0)
    // As a reader sees them: a dash is a dash.
    const page = stdout.replaceAll("\\-", "-")
    const rows = new Set([...page.matchAll(/^\.TP\n\\fB(.*)\\fR$/gm)].flatMap(([, name = ""]) => name.split(", ")))
    const has = (word: string): boolean => [...rows].some((row) => row.split(/[ [=]/)[0] === word)
    const missing = (words: readonly string[]): readonly string[] => words.filter((word) => !has(word))
    expect(missing(commands.map(({ name }) => name))).toEqual([])
    expect(missing(flags.flatMap(({ name, also = [] }) => [`--${name}`, ...also]))).toEqual([])
    for (const { name, help } of commands) {
      const { verbs = [], table, verbTables = {} } = await help()
      const [, own = ""] = page.split(`\n.SS codewright ${name}\n`)
      const part = own.split(/\n\.S[HS] /)[0] ?? ""
      const wanted = [...spellings(table), ...Object.values(verbTables).flatMap(spellings)]
      const verbNames = verbs.map(([text]) => text.split(" ")[0] ?? "")
      const absent = (word: string): boolean => !new RegExp(`^\\\\fB(.*, )?${word}(?![\\w-])`, "m").test(part)
      expect([name, [...wanted, ...verbNames].filter(absent)]).toEqual([name, []])
    }
  })

  test.skipIf(Bun.which("groff") === null)("is valid for groff, with every warning on", async () => {
    using place = openPlace()
    const { stdout } = await runCodewright({ argv: ["--man"] })
    const file = place.write("codewright.1", stdout)
    const groff = Bun.spawnSync(["groff", "-ww", "-man", "-Tutf8", file])
    expect([groff.exitCode, groff.stderr.toString()]).toEqual([0, ""])
    expect(groff.stdout.toString()).toContain("Continue the newest session of this folder.")
  })
})
