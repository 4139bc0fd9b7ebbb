/** Whether a session is one that the host of background sessions looks after: costs one look at a file. */

import { existsSync } from "node:fs"
import { join } from "node:path"

export const isBackground = (state: string, id: string): boolean => existsSync(join(state, "background", `${id}.json`))
