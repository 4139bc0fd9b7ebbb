/** `npm test`: everything there is to check, and one closing line that counts it. With paths, only the tests below them. */

import { listen } from "./processes.mjs"
import { root, setUp } from "./setup.mjs"
import { alone, format, hasTests, lint, pageTypes, tests, tsc, types, unused, withCleanHome } from "./stages.mjs"
import { add, failedFiles, summaryOf } from "./summary.mjs"

const groups = ["house", "unit", "suite", "regressions", "faces", "pty"].map((name) => `test/${name}`)

/** More than these are no accident of a busy machine. */
const mostUnsteady = 3

setUp()
const paths = process.argv.slice(2)
const checks = paths.length > 0 ? [] : [format(), lint(), types(), ...pageTypes(), tsc(), unused()]
const runs = (paths.length > 0 ? paths : groups.filter(hasTests)).map(tests)
/** Files that failed in company and passed alone. */
const unsteady = []
const total = await withCleanHome(async (env) => {
  let sum = { passed: 0, failed: 0, skipped: 0 }
  for (const stage of checks) sum = add(sum, await check(stage, env))
  for (const stage of runs) sum = add(sum, await test(stage, env))
  return sum
})

const skipIsFailure = process.env.CODEWRIGHT_NO_SKIP === "1" && total.skipped > 0
if (skipIsFailure) console.log("CODEWRIGHT_NO_SKIP=1: skipped tests count as a failure here.")
if (total.failed > 0 || skipIsFailure) process.exitCode = 1
for (const file of unsteady) console.log(`unsteady: ${file} failed beside others and passed alone`)
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`)

/** A check counts as one test, so that the closing line and the exit code agree. */
async function check({ name, argv }, env) {
  console.log(`== ${name}`)
  const { code, output } = await listen(argv, { cwd: root, env })
  if (code === 0) return { passed: 1, failed: 0, skipped: 0 }
  console.log(output.trimEnd())
  return { passed: 0, failed: 1, skipped: 0 }
}

async function test({ name, argv }, env) {
  console.log(`== ${name}`)
  const ran = await listen(argv, { cwd: root, env, onLine: withoutPasses(console.log) })
  const sum = summaryOf(ran)
  const files = sum.failed > 0 && process.env.CODEWRIGHT_SECOND_TRY === "1" ? failedFiles(ran.output) : []
  if (files.length === 0 || files.length > mostUnsteady) return sum
  console.log(`== once more, alone: ${files.join(" ")}`)
  const second = summaryOf(await listen(alone(files).argv, { cwd: root, env, onLine: withoutPasses(console.log) }))
  if (second.failed > 0) return sum
  unsteady.push(...files)
  return { ...sum, passed: sum.passed + sum.failed, failed: 0 }
}

/** Passes on what deserves a look: not the tests that passed, nor the headings of files with nothing else to say. */
function withoutPasses(say) {
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
