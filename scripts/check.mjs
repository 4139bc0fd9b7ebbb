/** `npm run check`: the quick form for before a commit. Stops at the first failing stage. With paths, only their types. */

import { listen, passOn } from "./processes.mjs"
import { bun, root, setUp, setUpBun } from "./setup.mjs"
import { format, hasTests, lint, pageTypes, quickSuites, tests, types, unused, withCleanHome } from "./stages.mjs"

const args = process.argv.slice(2)
if (args.length > 0) setUpBun()
else setUp()
// `bun check <paths>` comes here because a script of that name exists; it shall mean what it says.
if (args.length > 0) await passOn([bun, "check", "--no-script", ...args], { cwd: process.cwd() })
else if (await withCleanHome(everyStage)) await passOn([bun, "scripts/shown.ts"], { cwd: root })
else process.exitCode = 1

async function everyStage(env) {
  const walls = { ...tests("test/house"), name: "walls" }
  const groups = ["test/unit", ...quickSuites].filter(hasTests).map(tests)
  for (const { name, argv } of [format(), lint(), types(), ...pageTypes(), unused(), walls, ...groups]) {
    const start = performance.now()
    const { code, output } = await listen(argv, { cwd: root, env })
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`${code === 0 ? "ok    " : "FAILED"} ${name.padEnd(12)} ${seconds} s`)
    if (code === 0) continue
    console.log(output.trimEnd())
    return false
  }
  return true
}
