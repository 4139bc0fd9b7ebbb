/** This program, as it is started again. */

/** Bun would load files of the folder it is started in, and that folder may not be trusted. */
export const bareBun: readonly string[] = ["--no-env-file", "--config=/dev/null", "--no-install"]

/** In an executable of our own, what runs is inside it. */
export const isCompiled = (): boolean => Bun.main.startsWith("/$bunfs/")

/** Undefined where another program has imported us. Arguments can be appended. */
export function ownProgram(): readonly string[] | undefined {
  if (isCompiled()) return [process.execPath]
  return Bun.main.endsWith("/src/main.ts") ? [process.execPath, ...bareBun, Bun.main, "--"] : undefined
}
