/** Folders that builds, tests and checkers fill, and fill again when they are gone. */

const names: ReadonlySet<string> = new Set([
  ".cache",
  ".eslintcache",
  ".mypy_cache",
  ".next",
  ".nuxt",
  ".nyc_output",
  ".output",
  ".parcel-cache",
  ".pytest_cache",
  ".ruff_cache",
  ".svelte-kit",
  ".turbo",
  ".vite",
  "__pycache__",
  "build",
  "coverage",
  "dist",
  "htmlcov",
  "out",
  "storybook-static",
  "target",
])

/** Whether a path is such a folder or is in one. The part after the last slash only counts when it is a whole name. */
export const isOutput = (path: string): boolean => path.split("/").some((name) => names.has(name))
