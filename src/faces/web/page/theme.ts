/** Light or dark: as the system says, unless the user chose. */

import { useEffect } from "react"
import { useKept } from "./kept.ts"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useKept("codewright.theme", themes)
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = theme
  }, [theme])
  return [theme, setTheme]
}
