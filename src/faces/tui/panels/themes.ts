/** The panel of themes: each is worn while it is pointed at. */

import { displayRows } from "#faces/tui/parts/display.ts"
import { documentRows } from "#faces/tui/parts/markdown.ts"
import { cyan, dim, green, magenta, red, yellow } from "#faces/tui/screen/style.ts"
import { themeLabels, type ThemeName, themeNames } from "#faces/tui/screen/theme.ts"
import type { ListDefinition, PanelOutcome } from "./panel.ts"

export function themesPanel<T>(parts: {
  readonly current: ThemeName
  readonly setTheme: (theme: ThemeName) => void
  readonly keep: (theme: ThemeName) => Promise<PanelOutcome<T>>
}): ListDefinition<T> {
  const { current, setTheme, keep } = parts
  const named = (key: string): ThemeName => themeNames.find((name) => name === key) ?? current
  return {
    kind: "list",
    title: "Choose a theme",
    empty: "",
    search: "none",
    enterLabel: "save",
    load: async () =>
      themeNames.map((name) => ({
        key: name,
        text: themeLabels[name],
        ...(name === current && { mark: "current" as const }),
      })),
    points: ({ key }) => setTheme(named(key)),
    left: () => setTheme(current),
    preview: async () => sample,
    choose({ key }) {
      setTheme(named(key))
      return keep(named(key))
    },
  }
}

const sample = (columns: number): readonly string[] => [
  `${cyan(">")} make the greeting warmer`,
  "",
  ...documentRows("I'll change **one line** in `greet.ts`.", columns - 2).map((row) => `  ${row}`),
  "",
  `${green("●")} Edit greet.ts`,
  ...displayRows(
    {
      kind: "diff",
      path: "greet.ts",
      created: false,
      hunks: [
        {
          oldStart: 1,
          oldLines: 3,
          newStart: 1,
          newLines: 3,
          lines: [" export function greet(name) {", '-  return "Hi " + name', '+  return "Welcome, " + name', " }"],
        },
      ],
    },
    columns - 4,
    "folded",
  ).map((row) => `    ${row}`),
  "",
  `${green("accept edits")} ${dim("·")} ${magenta("plan")} ${dim("·")} ${yellow("a warning")} ${dim("·")} ${red("an error")}`,
]
