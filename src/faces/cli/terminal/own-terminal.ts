/** The terminal we were started in, and the colours that fit it. */

import { processTerminal } from "#faces/tui/process-terminal.ts"
import { type ThemeName, themeNamed } from "#faces/tui/screen/theme.ts"
import type { Terminal } from "#faces/tui/terminal.ts"
import { systemClock } from "#lib/clock.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export const ownTerminal = ({ environment }: Pick<StartupContext, "environment">): Terminal =>
  processTerminal(systemClock, {
    term: environment.term,
    program: environment.termProgram,
    isWindowsTerminal: environment.windowsTerminal,
    isXterm: environment.xterm,
    showsAnyColour: /^(?:truecolor|24bit)$/i.test(environment.colorTerm ?? ""),
  })

/** From settings; otherwise what the terminal can show, dark or light like its background. */
export function themeOf({
  environment,
  loaded,
}: Pick<StartupContext, "environment" | "loaded">): ThemeName | "detected" {
  if (environment.noColor) return "none"
  const named = themeNamed(loaded.settings.theme)
  if (named) return named
  return showsManyColours(environment.term ?? "", environment.termProgram) ? "detected" : "ansi"
}

const showsManyColours = (term: string, program: string | undefined): boolean =>
  program !== undefined || /256|direct|kitty|ghostty|alacritty|foot|wezterm/.test(term)
