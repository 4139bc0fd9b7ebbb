/** Globs as written in the front matter of files. */

/** A glob without a slash matches in every folder. An invalid glob matches nothing. */
export const meansPath = (globs: readonly string[], path: string): boolean =>
  globs.some((glob) => matches(glob.replace(/^\.?\//, ""), path))

function matches(glob: string, path: string): boolean {
  try {
    return new Bun.Glob(glob).match(path) || (!glob.includes("/") && new Bun.Glob(`**/${glob}`).match(path))
  } catch {
    return false
  }
}

/** Split at commas, except commas inside braces. */
export const splitGlobs = (text: string): readonly string[] =>
  (text.match(/(?:\{[^}]*\}|[^,{])+/g) ?? []).map((part) => part.trim()).filter((glob) => glob !== "")
