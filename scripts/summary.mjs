/** Counting what a run of `bun test` came to. */

/** Reads the closing summary of `bun test`. A run that failed without counting a failure (a crash, no tests) counts as one. */
export function summaryOf({ code, output }) {
  // The report file leaves out files that do not load, so the summary on the screen is the truth.
  const end = output.lastIndexOf("\nRan ")
  const block = /(?:^ *\d+ (?:pass|skip|todo|fail|error|errors|expect\(\) calls|filtered out|snapshots).*\n)+$/m.exec(
    end === -1 ? "" : output.slice(0, end + 1),
  )
  const count = (word) => Number(new RegExp(`^ *(\\d+) ${word}\\b`, "m").exec(block?.[0] ?? "")?.[1] ?? 0)
  const failed = count("fail")
  return {
    passed: count("pass"),
    failed: code !== 0 && failed === 0 ? 1 : failed,
    skipped: count("skip") + count("todo"),
  }
}

/**
 * The files in which something failed, as the run named them, if running them once more says anything: not if the run
 * did not reach its end, nor if a property has a counterexample, which the next run may not find.
 */
export function failedFiles(output) {
  if (!output.includes("\nRan ") || output.includes("Property failed after ")) return []
  const files = new Set()
  let file
  for (const line of output.split("\n")) {
    const heading = /^(\S+\.test\.tsx?):$/.exec(line)
    if (heading) file = heading[1]
    // The list at the end belongs to no file.
    else if (/^\d+ tests? failed:$/.test(line)) file = undefined
    else if (file !== undefined && line.startsWith("(fail)")) files.add(file)
  }
  return [...files]
}

/** Passes on what deserves a look: not the tests that passed, nor the headings of files with nothing else to say. */
export function withoutPasses(say) {
  let heading
  return (line) => {
    // The counts at the end belong to no file.
    if (/^ +\d+ pass$|^\d+ tests? (skipped|failed):$/.test(line)) heading = undefined
    if (/\.test\.tsx?:$/.test(line)) heading = line
    else if (!line.startsWith("(pass)") && (heading === undefined || line !== "")) {
      if (heading !== undefined) say(heading)
      heading = undefined
      say(line)
    }
  }
}

/** Two counts as one. */
export const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})
