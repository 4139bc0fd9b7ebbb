import { describe, expect, test } from "bun:test"
import { exactly } from "#ground/workspace/shell/argument.ts"
import type { Shape } from "#ground/workspace/shell/shape.ts"
import { sortOut } from "#ground/workspace/shell/sort-out.ts"
import type { Family, KnownProgram } from "#ground/workspace/shell/programs/program.ts"
import { allReaders } from "#ground/workspace/shell/tables/readers.ts"
import { destructiveActions } from "#ground/workspace/shell/tables/destructive.ts"
import { isFree } from "./decided.ts"
import { place } from "./place.ts"

/** Every shape in the tables with the words that lead to it. */
function shapes(
  program: KnownProgram,
  words: readonly string[],
): readonly { readonly words: readonly string[]; readonly shape: Shape }[] {
  if ("subcommands" in program) return ofFamily(program, words)
  return "judge" in program ? [] : [{ words, shape: program }]
}

function ofFamily({ alone, subcommands }: Family, words: readonly string[]): ReturnType<typeof shapes> {
  const inner = Object.entries(subcommands).flatMap(([name, program]) => shapes(program, [...words, name]))
  return alone ? [{ words, shape: alone }, ...inner] : inner
}

const all = Object.entries(allReaders()).flatMap(([name, program]) => shapes(program, [name]))

describe("the tables", () => {
  test("hold only flags and operands that are written as they should be", () => {
    for (const { words, shape } of all) {
      for (const entry of (shape.flags ?? "").split(" ").filter((each) => each !== ""))
        expect(`${words.join(" ")} ${entry}`).toMatch(/ --?[\w.-]+(?:[:?](?:text|word|number|path|write))?$/)
      if (typeof shape.operands === "string")
        for (const entry of shape.operands.split(" ").filter((each) => each !== ""))
          expect(`${words.join(" ")} ${entry}`).toMatch(/ (?:text|word|number|path|write)[?*+]?$/)
    }
  })

  test("write nothing: a program that only reads has no flag or operand that is written", () => {
    for (const { words, shape } of all) {
      const operands = typeof shape.operands === "string" ? shape.operands : ""
      expect(`${words.join(" ")}: ${shape.flags ?? ""} ${operands}`).not.toMatch(/[:? ]write/)
    }
  })

  test("know no flag that runs a program, writes a file or follows links", () => {
    const never =
      "--output --outfile --pre --exec --exec-batch --ext-diff --textconv --to-command --compress-program --use-compress-program --open-files-in-pager --upload-pack --receive-pack --config-env --web --watch --edit --follow-symlinks --hostname-bin --search-zip --init-file --rcfile --eval --require --files0-from"
    for (const { words, shape } of all)
      for (const flag of never.split(" "))
        expect(`${words.join(" ")} ${String(sortOut([exactly(flag), exactly("x")], shape))}`).toContain(
          "is not on the list",
        )
  })

  test("let no interpreter run what it is fed", () => {
    const names =
      "node nodejs deno bun npx python python3 ruby gem php perl java javac gcc g++ clang cc make cmake psql mysql sqlite3 rustc bash sh dash zsh awk ssh"
    for (const name of names.split(" ")) {
      expect([name, isFree(name, place)]).toEqual([name, false])
      expect([name, isFree(`cat x | ${name} -`, place)]).toEqual([name, false])
    }
  })

  test("refuse a word that only looks like two flags of the list", () => {
    expect(isFree("ls '--all --almost-all'", place)).toBe(false)
    expect(isFree("sort '-b -d'", place)).toBe(false)
  })

  test("say of every destructive deed what is at risk", () => {
    for (const { what, risk } of destructiveActions) {
      expect(what.length).toBeGreaterThan(1)
      expect(risk.length).toBeGreaterThan(10)
    }
  })

  test("a name that every object has is no program", () => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"])
      expect(isFree(name, place)).toBe(false)
  })
})
