/** Themes: every role has a colour in each, and a theme changes nothing but colours. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { bold, cyan, dim, green, magenta, red, yellow } from "#faces/tui/screen/style.ts"
import { themed, themeNamed, themeNames } from "#faces/tui/screen/theme.ts"

const sample = bold("b") + dim("d") + cyan("a") + green("g") + red("r") + yellow("y") + magenta("m")

test("the sixteen colours stay what they are in the terminal's own theme", () => {
  expect(themed("ansi")(sample)).toBe(sample)
})

test("every other theme has its own colours, different for what must be told apart", () => {
  for (const name of ["dark", "light", "dark-colour-blind", "light-colour-blind"] as const) {
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
      if (name === "none") expect(dressed).toBe(rest(text))
    }),
  )
})

test("a theme is known by its name, in whatever case, and by no other", () => {
  expect(themeNamed("Dark")).toBe("dark")
  expect(themeNamed("solarized")).toBeUndefined()
  expect(themeNamed(undefined)).toBeUndefined()
})
