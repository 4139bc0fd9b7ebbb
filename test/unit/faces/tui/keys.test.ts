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
  for (const portion of portions) reader.take(portion)
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
  ["\u001b[?62;c", []],
])("%j", (input, expected) => {
  expect(read(input)).toEqual(expected)
})

test("sequences that come in parts are the same keys", () => {
  const whole = "x\u001b[1;5Cy\u001b[200~pasted\ntext\u001b[201~\u001bOA\u001b[13;2uz"
  fc.assert(
    fc.property(fc.nat(whole.length), (cut) => {
      expect(read(whole.slice(0, cut), whole.slice(cut)).join("")).toBe(read(whole).join(""))
    }),
  )
})
