/** `npm start`: sets up, then runs Codewright from source; without arguments it plays the demo. */

import { join } from "node:path"
import { passOn } from "./processes.mjs"
import { root, setUp } from "./setup.mjs"

setUp()
const args = process.argv.slice(2)
// npm runs scripts in the package's folder; the person stands somewhere else, perhaps.
const cwd = (process.env.npm_lifecycle_event === "start" && process.env.INIT_CWD) || process.cwd()
await passOn([join(root, "bin/codewright"), ...(args.length === 0 ? ["demo"] : args)], { cwd })
