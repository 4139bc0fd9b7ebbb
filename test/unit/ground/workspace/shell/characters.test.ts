/** Which characters make a command unreadable: looked at one by one, since most commands never reach the pattern for them. */

import { expect, test } from "bun:test"
import { badCharacter } from "#ground/workspace/shell/characters.ts"

const around = (code: number): string => `echo a${String.fromCodePoint(code)}b`

test("of ASCII, everything that shows itself is read, besides line breaks and tabs", () => {
  for (let code = 0; code < 128; code++) {
    const isShown = (code >= 0x20 && code < 0x7f) || code === 9 || code === 10
    expect([code, badCharacter(around(code)) === undefined]).toEqual([code, isShown])
  }
})

test("beyond it, what is invisible or turns the line around is named", () => {
  for (const [code, name] of [
    [0x85, "U+0085"],
    [0xad, "U+00AD"],
    [0x034f, "U+034F"],
    [0x115f, "U+115F"],
    [0x200b, "U+200B"],
    [0x2028, "U+2028"],
    [0x202e, "U+202E"],
    [0x3164, "U+3164"],
    [0xe000, "U+E000"],
    [0xfeff, "U+FEFF"],
    [0xe0041, "U+E0041"],
  ] as const)
    expect(badCharacter(around(code))).toBe(`it holds the invisible character ${name}`)
  for (const text of ["grüße", "日本", "👩‍💻", "a\u00a0b"]) expect(badCharacter(text)).toBeUndefined()
  expect(badCharacter("a\ud800b")).toBe("it holds half a character")
})
