/** `npm run fmt`: formats the given files, or all of ours. */

import { passOn } from "./processes.mjs"
import { bun, setUpBun } from "./setup.mjs"
import { folders } from "./stages.mjs"

setUpBun()
const args = process.argv.slice(2)
const named = args.some((arg) => !arg.startsWith("-"))
// Without --no-script Bun would call this script again.
await passOn([bun, "fmt", "--no-script", ...args, ...(named ? [] : folders())], { cwd: process.cwd() })
