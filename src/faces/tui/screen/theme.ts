/** The looks there are. Rows are styled in the terminal's own sixteen colours, by role; a theme says what each role becomes. */

import { styles } from "./style.ts"

type Role = "accent" | "good" | "bad" | "caution" | "special" | "link"

export const themeNames = ["dark", "light", "dark-color-blind", "light-color-blind", "ansi", "none"] as const
export type ThemeName = (typeof themeNames)[number]

export const themeLabels: { readonly [name in ThemeName]: string } = {
  dark: "Dark",
  light: "Light",
  "dark-color-blind": "Dark (color-blind friendly)",
  "light-color-blind": "Light (color-blind friendly)",
  ansi: "Terminal colors",
  none: "No colors",
}

const written: { readonly [role in Role]: string } = {
  accent: "36",
  good: "32",
  bad: "31",
  caution: "33",
  special: "35",
  link: "34",
}

/** The Markdown renderer's own codes, for inline code and dim marks. */
const markdownCode = "38;5;215"
const markdownGround = "48;5;236"
const markdownQuiet = "38;5;242"

/** Backgrounds of changed lines and words, as rows are written. */
const writtenTints = ["48;5;22", "48;5;28", "48;5;52", "48;5;88"] as const

/** Of a line that was added, of its words, of a line that was removed, of its words. */
type Tints = readonly string[]

interface Palette {
  readonly roles: { readonly [role in Role]: string }
  readonly code: string
  readonly ground: string
  readonly quiet: string
  /** Out of 256 colours, and out of all. */
  readonly tints: { readonly few: Tints; readonly any: Tints }
}

const colour = (number: number): string => `38;5;${number}`
const few = (...numbers: readonly number[]): Tints => numbers.map((number) => `48;5;${number}`)
const any = (...colours: readonly string[]): Tints => colours.map((rgb) => `48;2;${rgb}`)

const ansiTints: Tints = ["49", "7", "49", "7"]

const palettes: { readonly [name in Exclude<ThemeName, "none">]: Palette } = {
  dark: {
    roles: {
      accent: colour(80),
      good: colour(114),
      bad: colour(203),
      caution: colour(221),
      special: colour(177),
      link: colour(75),
    },
    code: colour(215),
    ground: "48;5;236",
    quiet: colour(244),
    tints: {
      // There is one dark green: words are underlined on it, because code on a brighter one cannot be read.
      few: [...few(22), "48;5;22;4", ...few(52, 88)],
      any: any("18;44;28", "26;74;44", "58;24;28", "104;38;44"),
    },
  },
  light: {
    roles: {
      accent: colour(23),
      good: colour(28),
      bad: colour(160),
      caution: colour(94),
      special: colour(127),
      link: colour(25),
    },
    code: colour(94),
    ground: "48;5;254",
    quiet: colour(243),
    tints: {
      few: few(194, 157, 224, 217),
      any: any("221;248;228", "171;238;188", "255;232;230", "255;194;188"),
    },
  },
  "dark-color-blind": {
    roles: {
      accent: colour(159),
      good: colour(75),
      bad: colour(208),
      caution: colour(227),
      special: colour(183),
      link: colour(117),
    },
    code: colour(223),
    ground: "48;5;236",
    quiet: colour(244),
    tints: {
      few: few(17, 25, 52, 94),
      any: any("16;34;60", "28;70;122", "60;38;10", "112;68;14"),
    },
  },
  "light-color-blind": {
    roles: {
      accent: colour(23),
      good: colour(25),
      bad: colour(130),
      caution: colour(58),
      special: colour(54),
      link: colour(19),
    },
    code: colour(94),
    ground: "48;5;254",
    quiet: colour(243),
    tints: {
      few: few(189, 153, 223, 215),
      any: any("221;240;255", "176;220;255", "255;237;220", "255;209;156"),
    },
  },
  // Sixteen colours have no gentle ones: lines have none, and words are inverse.
  ansi: { roles: written, code: "36", ground: "49", quiet: "2", tints: { few: ansiTints, any: ansiTints } },
}

export function themed(name: ThemeName, showsAnyColour = false): (text: string) => string {
  if (name === "none") return (text) => text.replaceAll(styles, (_, parameters: string) => colorless(parameters))
  const { roles, code, ground, quiet, tints } = palettes[name]
  const chosen = showsAnyColour ? tints.any : tints.few
  const codes = new Map<string, string>([
    ...Object.entries(roles).map(([role, own]): [string, string] => [written[role as Role], own]),
    [markdownCode, code],
    [markdownGround, ground],
    [markdownQuiet, quiet],
    ...writtenTints.map((tint, i): [string, string] => [tint, chosen[i] ?? tint]),
  ])
  return (text) =>
    text.replaceAll(styles, (found, parameters: string) => {
      const own = codes.get(parameters)
      return own === undefined ? found : `\u001b[${own}m`
    })
}

/** Weights stay, and changed words are underlined: only colors are unwanted. */
function colorless(parameters: string): string {
  if (parameters === writtenTints[1] || parameters === writtenTints[3]) return "\u001b[4m"
  const kept = parameters.replaceAll(colorCodes, "").replaceAll(/^;+|;+$/g, "")
  return kept === "" && parameters !== "" ? "" : `\u001b[${kept}m`
}

/** One of 16, one of 256, or any; then those that restore the terminal's own. */
const colorCodes = /(?<![\d])(?:[34]8[;:](?:5[;:]\d+|2(?:[;:]\d*){3,4})|(?:[349]|10)[0-7]|[34]9)(?!\d)/g

/** In any case, and as settings of earlier versions spell it. */
export const themeNamed = (name: string | undefined): ThemeName | undefined =>
  themeNames.find((known) => known === name?.toLowerCase().replace("colour", "color"))
