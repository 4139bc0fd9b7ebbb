/** Globs as people write them in the heads of files. */

/** Whether one of the globs means the path; a bare name means it in every folder. One that cannot be read means nothing. */
export const meansPath = (globs: readonly string[], path: string): boolean =>
  globs.some((glob) => matches(glob.replace(/^\.?\//, ""), path))

function matches(glob: string, path: string): boolean {
  try {
    return new Bun.Glob(glob).match(path) || (!glob.includes("/") && new Bun.Glob(`**/${glob}`).match(path))
  } catch {
    return false
  }
}

/** Globs separated by commas, where a comma between braces separates nothing. */
export const splitGlobs = (text: string): readonly string[] =>
  (text.match(/(?:\{[^}]*\}|[^,{])+/g) ?? []).map((part) => part.trim()).filter((glob) => glob !== "")
