/**
 * `npm test`: everything there is to check, and one closing line that counts it. With paths, only the tests below them;
 * with `--times`, how long each file took is written down, which is for a quiet machine.
 */

import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { ranInMemory } from "./in-memory.mjs"
import { listen } from "./processes.mjs"
import { bun, root, setUp } from "./setup.mjs"
import { alone, everyTest, format, lint, pageTypes, tests, types, unused, withCleanHome } from "./stages.mjs"
import { add, failedFiles, summaryOf, withoutPasses } from "./summary.mjs"

/** More than these are no accident of a busy machine. */
const mostUnsteady = 5

setUp()
if (await ranInMemory(fileURLToPath(import.meta.url))) process.exit()
const args = process.argv.slice(2)
const record = args.includes("--times")
const paths = args.filter((arg) => !arg.startsWith("--"))
const checks = paths.length > 0 ? [] : [format(), lint(), types(), ...pageTypes(), unused()]
/** Files that failed in company and passed alone. */
const unsteady = []
const total = await withCleanHome(async (home) => {
  // They need nothing that is built, compute while most tests wait, and say at once what they have to say.
  const checking = inTurn(checks, home)
  const [programs, postgres] = await Promise.all([builtPrograms(), openPostgres()])
  const env = { ...programs, ...postgres.env, ...home }
  const runs = paths.length > 0 ? [tests(paths)] : everyTest({ record })
  const [checked, ...ran] = await Promise.all([checking, ...runs.map((run) => test(run, env))])
  const sum = await secondTry(ran, env)
  await postgres.close()
  return add(checked, sum)
})

const skipIsFailure = process.env.CODEWRIGHT_NO_SKIP === "1" && total.skipped > 0
if (skipIsFailure) console.log("CODEWRIGHT_NO_SKIP=1: skipped tests count as a failure here.")
if (total.failed > 0 || skipIsFailure) process.exitCode = 1
for (const file of unsteady) console.log(`unsteady: ${file} failed beside others and passed alone`)
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`)

/** Built once for the sources as they are, so that no test that starts one waits for the compiler. */
async function builtPrograms() {
  const { code, output } = await listen([bun, "test/kit/built-program.ts"], { cwd: root })
  if (code !== 0) throw new Error(output)
  const [program, helpers] = output.trim().split("\n")
  return { CODEWRIGHT_TEST_PROGRAM: program, CODEWRIGHT_TEST_HELPERS: helpers }
}

/** One server for all tests, each with a database of its own on it. Without Postgres those tests say that they are skipped. */
async function openPostgres() {
  const child = spawn(bun, ["test/kit/database/shared-postgres.ts"], { cwd: root, stdio: ["pipe", "pipe", "ignore"] })
  const ended = new Promise((resolve) => child.on("close", resolve))
  const url = await Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), ended.then(() => "")])
  return {
    env: `${url}` === "" ? {} : { CODEWRIGHT_TEST_POSTGRES: `${url}`.trim() },
    async close() {
      child.stdin.end()
      await ended
    },
  }
}

async function inTurn(stages, env) {
  let sum = { passed: 0, failed: 0, skipped: 0 }
  for (const stage of stages) sum = add(sum, await check(stage, env))
  return sum
}

/** A check counts as one test, so that the closing line and the exit code agree. */
async function check({ name, argv }, env) {
  const { code, output } = await listen(argv, { cwd: root, env })
  console.log(code === 0 ? `== ${name}: ok` : `== ${name}: FAILED\n${output.trimEnd()}`)
  return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 }
}

async function test({ name, argv }, env) {
  console.log(`== ${name}`)
  return listen(argv, { cwd: root, env, onLine: withoutPasses(console.log) })
}

/** What these runs came to, once what failed in company has been tried alone. */
async function secondTry(ran, env) {
  const sum = ran.map(summaryOf).reduce(add)
  if (sum.failed === 0 || process.env.CODEWRIGHT_SECOND_TRY !== "1") return sum
  const files = ran.map((run) => (summaryOf(run).failed > 0 ? failedFiles(run.output) : []))
  // A failure that belongs to no file is not tried again.
  if (ran.some((run, at) => summaryOf(run).failed > 0 && files[at].length === 0)) return sum
  const all = files.flat()
  if (all.length > mostUnsteady) return sum
  console.log(`== once more, alone: ${all.join(" ")}`)
  const second = summaryOf(await test(alone(all), env))
  if (second.failed > 0) return sum
  unsteady.push(...all)
  return { ...sum, passed: sum.passed + sum.failed, failed: 0 }
}
