/** Light or dark: as the system says, unless the user chose. */

import { useEffect, useState } from "react"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const key = "codewright.theme"

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(kept)
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = theme
    keep(theme)
  }, [theme])
  return [theme, setTheme]
}

/** Browsers may forbid to keep anything. */
function kept(): Theme {
  try {
    return themes.find((each) => each === localStorage.getItem(key)) ?? "system"
  } catch {
    return "system"
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(key, theme)
  } catch {
    // Then it holds until the page is closed.
  }
}
