/** What terminals send, as keys, in whatever portions it comes. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { type Key, openKeys } from "#faces/tui/keys.ts"
import type { Clock } from "#lib/clock.ts"

function read(...portions: readonly string[]): string[] {
  const keys: Key[] = []
  let due: (() => void) | undefined
  const clock: Clock = {
    now: () => 0,
    sleep: () => Promise.resolve(),
    after(_, callback) {
      due = callback
      return () => (due = undefined)
    },
  }
  const reader = openKeys({ clock, onKey: (key) => keys.push(key) })
  for (const portion of portions) reader.push(portion)
  due?.()
  return keys.map((key) => (key.kind === "key" ? `<${key.name}>` : key.kind === "paste" ? `[${key.text}]` : key.text))
}

test.each([
  ["abc", ["abc"]],
  ["a\r", ["a", "<enter>"]],
  ["\u0003", ["<ctrl+c>"]],
  ["\u001b", ["<escape>"]],
  ["\u001b\u001b", ["<escape>", "<escape>"]],
  ["\u001b[A\u001bOB", ["<up>", "<down>"]],
  ["\u001b[1;5C", ["<ctrl+right>"]],
  ["\u001b[Z", ["<shift+tab>"]],
  ["\u001b[3~", ["<delete>"]],
  ["\u001bb\u001b\u007f", ["<alt+b>", "<alt+backspace>"]],
  ["\u001b\r", ["<alt+enter>"]],
  ["\u001b[13;2u", ["<shift+enter>"]],
  ["\u001b[27;2;13~", ["<shift+enter>"]],
  ["\u001b[99;5u\u001b[27u", ["<ctrl+c>", "<escape>"]],
  ["\u001b[200~two\r\nlines\u001b[A\u001b[201~x", ["[two\nlines\u001b[A]", "x"]],
  ["日本👩‍💻", ["日本👩‍💻"]],
  ["\b\u0000\u001f", ["<ctrl+h>", "<ctrl+space>", "<ctrl+_>"]],
  ["\u001bOP\u001b[15~\u001b[24~\u001b[2~", ["<f1>", "<f5>", "<f12>", "<insert>"]],
  // An escape before a sequence is alt, and before nothing it is a key.
  ["\u001b\u001b[D", ["<alt+left>"]],
  ["\u001b\u001b[1;5D", ["<ctrl+alt+left>"]],
  // As terminals tell keys that can tell them apart: ctrl+shift+-, alt+b, a letter with shift, ctrl+space.
  ["\u001b[45;6u\u001b[98;3u\u001b[97;2u\u001b[32;5u", ["<ctrl+shift+->", "<alt+b>", "A", "<ctrl+space>"]],
  // Locks do not count, keys of the window system are no letters, and neither are keys without a sign.
  ["\u001b[97;65u\u001b[99;9u\u001b[57358u\u001b[57441;2u", ["a", "<super+c>"]],
  // The number pad.
  ["\u001b[57404u\u001b[57413u\u001b[57414u\u001b[57417u", ["5", "+", "<enter>", "<left>"]],
  // Numbers that are no character.
  ["\u001b[55296u\u001b[1114112u\u001b[7u\u001b[155ux", ["x"]],
  ["\u001b[?62;c", []],
])("%j", (input, expected) => {
  expect(read(input)).toEqual(expected)
})

test("sequences that come in parts are the same keys", () => {
  const whole = "x\u001b\u001b[D\u001b[1;5Cy\u001b[200~pasted\ntext\u001b[201~\u001bOA\u001b[13;2uz"
  fc.assert(
    fc.property(fc.nat(whole.length), (cut) => {
      expect(read(whole.slice(0, cut), whole.slice(cut)).join("")).toBe(read(whole).join(""))
    }),
  )
})

test("a long paste in many portions is one paste, whatever it holds and wherever it is cut", () => {
  const text = `${"a line of it\n".repeat(200_000)}\u001b[20`
  const whole = `\u001b[200~${text}\u001b[201~x`
  const portions = Array.from({ length: Math.ceil(whole.length / 1021) }, (_, i) =>
    whole.slice(i * 1021, (i + 1) * 1021),
  )
  const [paste, rest] = read(...portions)
  expect(paste === `[${text}]`).toBe(true)
  expect(rest).toBe("x")
  expect(read("\u001b[200~never ended")).toEqual([])
  expect(read("\u001b[200~\u001b[201~")).toEqual(["[]"])
})
