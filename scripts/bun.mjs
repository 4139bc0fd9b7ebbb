/** Sets up, then runs the pinned Bun with the given arguments, for scripts written in TypeScript. */

import { passOn } from "./processes.mjs"
import { bun, root, setUp } from "./setup.mjs"

setUp()
await passOn([bun, ...process.argv.slice(2)], { cwd: root })
