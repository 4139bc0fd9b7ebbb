/** Settings of the look that name something that does not exist: they are said, not passed over. */

import { themeNamed, themeNames } from "#faces/tui/screen/theme.ts"
import { tilde } from "#lib/tilde.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

const editorModes: readonly string[] = ["normal", "vim"]

export function appearanceWarnings({ loaded, home }: Pick<StartupContext, "loaded" | "home">): readonly string[] {
  const { theme, editorMode, statusLine } = loaded.settings
  const where = (key: string): string => {
    const from = loaded.explain(key).from[0]
    const at = from?.at ? `:${from.at.line}:${from.at.column}` : ""
    return from?.file === undefined ? "" : ` in ${tilde(from.file, home)}${at}`
  }
  return [
    ...(theme === undefined || themeNamed(theme)
      ? []
      : [`theme "${theme}"${where("theme")} does not exist. Choose ${listed(themeNames)}.`]),
    ...(editorMode === undefined || editorModes.includes(editorMode)
      ? []
      : [`editorMode "${editorMode}"${where("editorMode")} does not exist. Choose ${listed(editorModes)}.`]),
    ...(statusLine === undefined || statusLine.type === "command"
      ? []
      : [`statusLine type "${statusLine.type}"${where("statusLine")} is not known. The type is "command".`]),
  ]
}

const listed = (names: readonly string[]): string => `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`
