/** The plain lexer accepts what is certainly just words, and nothing else. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { plainWords } from "#kits/permissions/plain-command.ts"

describe("plain commands", () => {
  const accepted: readonly [string, readonly string[]][] = [
    ["ls", ["ls"]],
    ["npm run  test", ["npm", "run", "test"]],
    ["  git\tlog ", ["git", "log"]],
    ["git commit -m 'a b'", ["git", "commit", "-m", "a b"]],
    ['echo "x y"z', ["echo", "x yz"]],
    ["echo '$HOME `id`'", ["echo", "$HOME `id`"]],
    ["echo '' x", ["echo", "", "x"]],
    ["./run --flag=1,2 a@b:c", ["./run", "--flag=1,2", "a@b:c"]],
    ["echo 'größe 日本'", ["echo", "größe 日本"]],
    ["printf '%s\\n' a", ["printf", "%s\\n", "a"]],
    ["/opt/a=b/tool x", ["/opt/a=b/tool", "x"]],
  ]
  test.each(accepted)("%j is plain", (command, words) => expect(plainWords(command)).toEqual([...words]))

  const refused: readonly string[] = [
    "",
    "   ",
    "''",
    "a;b",
    "a && b",
    "a | b",
    "a & b",
    "a\nb",
    "a\rb",
    "a > f",
    "a < f",
    "a 2>&1",
    "(a)",
    "{ a; }",
    "$(a)",
    "echo $X",
    'echo "$X"',
    "echo `a`",
    'echo "`a`"',
    "ls *",
    "ls ?",
    "ls [ab]",
    "ls {a,b}",
    "ls ~",
    "a\\ b",
    'echo "a\\b"',
    'echo "hi!"',
    "A=b cmd",
    "A+=b cmd",
    "'A=b' cmd",
    "=ls",
    "! ls",
    "if true",
    "time ls",
    "let x",
    "# a",
    "a #b",
    "echo 'open",
    'echo "open',
    "echo 'two\nlines'",
    "echo '\u0007'",
    "echo '\u202e'",
    "echo '\u200b'",
    "écho x",
    "ls\u00a0x",
    "test -v 'a[$(id)]'",
    "printf -v 'a[0]' x",
    "unset 'a[$(id)]'",
    "read '$(id)'",
    `echo ${"a".repeat(10_001)}`,
  ]
  test.each(refused)("%j is not understood", (command) => expect(plainWords(command)).toBeUndefined())

  test("an unquoted metacharacter is never accepted", () => {
    const meta = [..."|&;()<>$`\\\"'*?[]#~!{}^\n\r"]
    const anything = fc.string({
      unit: fc.constantFrom(...meta, ..."ab =-/.\t ", "é", "\u202e", "\u0000"),
      maxLength: 30,
    })
    fc.assert(
      fc.property(anything, (command) => {
        if (plainWords(command) === undefined) return
        // What is left outside quotes holds only characters that mean themselves.
        const bare = command.replace(/'[^']*'/g, "").replace(/"[^"]*"/g, "")
        expect(bare).toMatch(/^[A-Za-z0-9_@%+=:,./ \t-]*$/)
        for (const [, inside = ""] of command.replace(/'[^']*'/g, "").matchAll(/"([^"]*)"/g))
          expect(inside).not.toMatch(/[$`\\!]/)
      }),
      { numRuns: 3000 },
    )
  })

  test("bash reads the same words", () => {
    const commands = accepted.map(([command]) => command)
    const shown = (command: string): string[] => {
      // The first word is only an argument here, so that nothing of it runs.
      const { stdout } = Bun.spawnSync(["bash", "--noprofile", "--norc", "-c", `printf '%s\\0' ${command}`])
      return stdout.toString().split("\0").slice(0, -1)
    }
    for (const command of commands) expect(shown(command)).toEqual([...(plainWords(command) ?? [])])
  })

  test("random plain words, quoted either way, come back as they were", () => {
    const word = fc.string({ unit: fc.constantFrom(..."abXY09_-./:,@%+ é"), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const command = ["cmd", ...words.map((text, i) => (i % 2 === 0 ? `'${text}'` : `"${text}"`))].join(" ")
        expect(plainWords(command)).toEqual(["cmd", ...words])
      }),
    )
  })
})
