/** Deny rules looked behind a few launchers; most others ran what was denied. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { bash, rulesFrom } from "../unit/kits/permissions/judge.ts"

const decided = (command: string, deny = "Bash(rm:*)"): string =>
  bash(command, { mode: "bypassPermissions", rules: rulesFrom({ allow: ["Bash"], deny: [deny] }) }).behavior

const flag = fc.stringMatching(/^--?[a-z]{1,6}$/)
/** No program that exists. */
const launcher = fc.stringMatching(/^[a-z]{3,8}-[a-z]{2,6}$/)
const program = fc.constantFrom("rm", "/bin/rm", "./rm")

test("whatever program starts it, with whatever flags, it is denied", () =>
  fc.assert(
    fc.property(launcher, fc.array(flag, { maxLength: 3 }), program, (name, flags, denied) => {
      expect(decided([name, ...flags, denied, "x"].join(" "))).toBe("deny")
    }),
  ))

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

test("however deep it is quoted, it is never allowed", () =>
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("sh -c", "tmux new", "unknown-tool", "npm exec -c", "env bash -c", "vim -c"), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.constantFrom("rm x", "r''m x", "/bin/rm x", "cd a && rm x", "a=1 rm x", "$(echo rm) x"),
      (shells, command) => {
        const text = shells.reduce<string>((inner, shell) => `${shell} ${quoted(inner)}`, command)
        expect(decided(text)).not.toBe("allow")
      },
    ),
  ))

describe("what only mentions it is not denied", () => {
  test.each([
    "grep 'rm -rf' file",
    "echo rm x",
    "git log --grep 'rm x'",
    "git commit -m 'rm x'",
    "git rm --cached x",
    "docker rm x",
    "npm rm x",
    "npm run rm",
    "make rm",
    "eslint src/rm.ts",
    "gh pr create --title 'rm x' --body 'rm y'",
    "uv run pytest",
  ])("%s", (command) => expect(decided(command)).toBe("allow"))
})

test("more words than are compared are asked about", () => {
  const many = Array.from({ length: 500 }, (_, i) => `w${i}`).join(" ")
  expect(decided(`unknown-tool ${many} rm x`)).toBe("ask")
  expect(decided(`unknown-tool ${many}`)).toBe("allow")
})
