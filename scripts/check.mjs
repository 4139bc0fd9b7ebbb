/**
 * `npm run check`: the quick form for before a commit. Stops at the first failing stage.
 *   --all     also the tests that take long or are far from the change
 *   --house   only the figures of the source; with the path of another checkout, both beside each other
 * With paths, only their types.
 */

import { listen, passOn } from "./processes.mjs"
import { bun, root, setUp, setUpBun } from "./setup.mjs"
import { format, lint, pageTypes, tests, types, walls, withCleanHome } from "./stages.mjs"
import { withoutPasses } from "./summary.mjs"

const [first, ...rest] = process.argv.slice(2)
if (first === undefined || first === "--all" || first === "--house") setUp()
else setUpBun()
if (first === "--house") await passOn([bun, "scripts/house.ts", ...rest], { cwd: root })
// `bun check <paths>` comes here because a script of that name exists; it shall mean what it says.
else if (first !== undefined && first !== "--all")
  await passOn([bun, "check", "--no-script", first, ...rest], { cwd: process.cwd() })
else if (!(await withCleanHome((env) => everyStage(env, first === "--all")))) process.exitCode = 1

async function everyStage(env, all) {
  const start = performance.now()
  // Each lane computes on one core.
  const lanes = [[format(), lint(), types(), ...pageTypes()], [walls()]]
  const outcomes = await Promise.all(lanes.map((lane) => inTurn(lane, env)))
  if (outcomes.includes(false) || !(await testsOfTheChange(env, all))) return false
  console.log(`ok     all of it    ${seconds(start)} s`)
  return true
}

async function testsOfTheChange(env, all) {
  const { code, output } = await listen([bun, "scripts/tests-that-see.ts", ...(all ? ["--all"] : [])], { cwd: root })
  if (code !== 0) {
    console.log(output.trimEnd())
    return false
  }
  const { changed, files, heavy, far } = JSON.parse(output)
  const left = [
    [heavy.length, "take long"],
    [far.length, "are farther away"],
  ]
  const told = left.filter(([count]) => count > 0).map(([count, why]) => `${count} that ${why}`)
  console.log(
    `       ${changed.length} files changed; ${files.length} test files see it${told.length > 0 ? `; left to npm test: ${told.join(", ")}` : ""}`,
  )
  return files.length === 0 || (await inTurn([tests(files)], env))
}

async function inTurn(stages, env) {
  for (const { name, argv } of stages) {
    const start = performance.now()
    const { code, output } = await listen(argv, { cwd: root, env })
    console.log(`${code === 0 ? "ok    " : "FAILED"} ${name.padEnd(12)} ${seconds(start)} s`)
    if (code === 0) continue
    const say = withoutPasses(console.log)
    for (const line of output.trimEnd().split("\n")) say(line)
    return false
  }
  return true
}

function seconds(start) {
  return ((performance.now() - start) / 1000).toFixed(1)
}
