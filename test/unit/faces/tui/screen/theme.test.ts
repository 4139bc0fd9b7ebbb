/** Themes: every role has a colour in each, and a theme changes nothing but colours. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  addedTint,
  blue,
  bold,
  code,
  cyan,
  dim,
  green,
  magenta,
  red,
  removedTint,
  tintedWord,
  yellow,
} from "#faces/tui/screen/style.ts"
import { themed, themeNamed, themeNames } from "#faces/tui/screen/theme.ts"

const sample = bold("b") + dim("d") + cyan("a") + green("g") + red("r") + yellow("y") + magenta("m")

test("the sixteen colours stay what they are in the terminal's own theme", () => {
  expect(themed("ansi")(sample)).toBe(sample)
})

test("every other theme has its own colours, different for what must be told apart", () => {
  for (const name of ["dark", "light", "dark-color-blind", "light-color-blind"] as const) {
    const dressed = themed(name)(sample)
    // oxlint-disable-next-line no-control-regex -- styles are control sequences.
    const colours = dressed.match(/\u001b\[38;5;\d+m/g) ?? []
    expect(new Set(colours).size).toBe(5)
    expect(dressed).toContain(bold("b") + dim("d"))
  }
})

test("nothing but colours changes, whatever is written", () => {
  const piece = fc.constantFrom(
    "\u001b[36m",
    "\u001b[39m",
    "\u001b[2J",
    "\u001b[1;31m",
    "\u001b[38;2;1;2;3m",
    "\u001b[4;48;5;28;1m",
    "\u001b[48;5;236m",
    "text",
    "\u001b[7C",
    "m",
  )
  fc.assert(
    fc.property(fc.array(piece), fc.constantFrom(...themeNames), (pieces, name) => {
      const text = pieces.join("")
      const dressed = themed(name)(text)
      // oxlint-disable-next-line no-control-regex -- styles are control sequences.
      const rest = (given: string): string => given.replaceAll(/\u001b\[[\d;:]*m/g, "")
      expect(rest(dressed)).toBe(rest(text))
      // oxlint-disable-next-line no-control-regex -- styles are control sequences.
      if (name === "none") expect(dressed).not.toMatch(/\u001b\[(?:[\d;]*;)?(?:3\d|4\d)[;m]/)
    }),
  )
})

test("without colors, weights stay, and words that changed are underlined", () => {
  const dress = themed("none")
  expect(dress(bold("b") + dim("d") + cyan("a"))).toBe(`${bold("b")}${dim("d")}a`)
  expect(dress("\u001b[1;31mx\u001b[0m\u001b[38;2;1;44;3my")).toBe("\u001b[1mx\u001b[0my")
  expect(dress(`${addedTint.line}a ${tintedWord("b", addedTint)}`)).toBe("a \u001b[4mb\u001b[24;27m")
})

test("a theme is known by its name, in whatever case, and by no other", () => {
  expect(themeNamed("Dark")).toBe("dark")
  expect(themeNamed("dark-colour-blind")).toBe("dark-color-blind")
  expect(themeNamed("solarized")).toBeUndefined()
  expect(themeNamed(undefined)).toBeUndefined()
})

type Rgb = readonly [number, number, number]

/** The colour that a sequence sets: one of 256, or any. */
function colourIn(dressed: string): Rgb {
  // oxlint-disable-next-line no-control-regex -- styles are control sequences.
  const [, few, any] = /\u001b\[[34]8;(?:5;(\d+)|2;(\d+;\d+;\d+))/.exec(dressed) ?? []
  if (any !== undefined) {
    const [r = 0, g = 0, b = 0] = any.split(";").map(Number)
    return [r, g, b]
  }
  const number = Number(few)
  if (number >= 232) return [8 + 10 * (number - 232), 8 + 10 * (number - 232), 8 + 10 * (number - 232)]
  const levels = [0, 95, 135, 175, 215, 255]
  const place = (by: number): number => levels[Math.floor((number - 16) / by) % 6] ?? 0
  return [place(36), place(6), place(1)]
}

/** As the guidelines for web content define it. */
function contrast(one: Rgb, other: Rgb): number {
  const luminance = (rgb: Rgb): number => {
    const [r = 0, g = 0, b = 0] = rgb.map((value) =>
      value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

test("everything can be read, also code in changed lines and changed words", () => {
  for (const name of ["dark", "light", "dark-color-blind", "light-color-blind"] as const)
    for (const showsAnyColour of [true, false]) {
      const [ground, text]: readonly [Rgb, Rgb] = name.startsWith("dark")
        ? [
            [0, 0, 0],
            [230, 230, 230],
          ]
        : [
            [255, 255, 255],
            [20, 20, 20],
          ]
      const dress = themed(name, showsAnyColour)
      const shown = (style: (given: string) => string): Rgb => colourIn(dress(style("x")))
      const tints = [addedTint, removedTint].flatMap(({ line, word }) => [colourIn(dress(line)), colourIn(dress(word))])
      for (const style of [cyan, green, red, yellow, magenta, blue, code])
        expect(contrast(shown(style), ground)).toBeGreaterThan(4.5)
      for (const tint of tints) {
        expect(contrast(text, tint)).toBeGreaterThan(4.5)
        for (const style of [yellow, magenta, blue, code]) expect(contrast(shown(style), tint)).toBeGreaterThan(3)
      }
      expect(contrast(shown(green), colourIn(dress(addedTint.line)))).toBeGreaterThan(3)
      expect(contrast(shown(red), colourIn(dress(removedTint.line)))).toBeGreaterThan(3)
    }
})
