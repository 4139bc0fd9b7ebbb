/**
 * Reads the output of a test run: what failed, where, and how many passed. Node's own runner in both its styles;
 * others as far as they look similar.
 */

export interface Failure {
  readonly name: string
  /** Where the assertion is, as the output names it. */
  readonly file: string
  readonly line: number
  readonly expected?: string
  readonly actual?: string
}

export interface Counts {
  readonly passed: number
  readonly failed: number
}

const failureHeads = [/^\s*not ok \d+ - (.+)$/m, /^\s*✖ (?!failing tests)(.+?)(?: \([\d.]+m?s\))?$/m, /^FAILED (\S+)/m]
const place = /(?:file:\/\/)?([^\s('":]+\.(?:[cm]?[jt]sx?|py|go|rs|rb)):(\d+)/g

/** The first failure that names a file of the project. */
export function firstFailure(output: string): Failure | undefined {
  const head = failureHeads.map((pattern) => pattern.exec(output)).find((found) => found !== null)
  if (!head) return undefined
  const rest = output.slice(head.index)
  const places = [...rest.matchAll(place)].map(([, file = "", line]) => ({ file, line: Number(line) }))
  const own = places.filter(({ file }) => !file.includes("node_modules"))
  // The test itself is the surest place; a thrown error names the source first.
  const found = own.find(({ file }) => isTestFile(file)) ?? own[0]
  if (found === undefined) return undefined
  return { name: (head[1] ?? "").trim(), ...found, ...valuesIn(rest) }
}

export function countsIn(output: string): Counts | undefined {
  const passed = /^\s*[#ℹ] pass (\d+)/m.exec(output) ?? /(\d+) pass(?:ed)?\b/.exec(output)
  const failed = /^\s*[#ℹ] fail (\d+)/m.exec(output) ?? /(\d+) fail(?:ed|ures?)?\b/.exec(output)
  return passed || failed ? { passed: Number(passed?.[1] ?? 0), failed: Number(failed?.[1] ?? 0) } : undefined
}

/** Files of the project in the stack of an error, except tests. */
export function sourcesNamed(output: string): readonly string[] {
  const files = [...output.matchAll(place)].map(([, file = ""]) => file)
  return [...new Set(files)].filter((file) => !isTestFile(file) && !file.includes("node_modules"))
}

export const isTestFile = (path: string): boolean =>
  /(^|\/)(tests?|__tests__|spec)\/|[._-](test|spec)\.\w+$|\/test_\w+\.py$/.test(path)

function valuesIn(output: string): Pick<Failure, "expected" | "actual"> {
  const expected = valueOf(output, "expected")
  const actual = valueOf(output, "actual")
  return { ...(expected !== undefined && { expected }), ...(actual !== undefined && { actual }) }
}

/** On the same line, or as an indented block below. */
function valueOf(output: string, name: string): string | undefined {
  const found = new RegExp(`^( *)${name}:(?: (.+?),?)?$((?:\\n\\1 +\\S.*)*)`, "m").exec(output)
  if (found === null) return undefined
  return (
    found[2] ??
    (found[3] ?? "")
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean)
      .join(", ")
  )
}
