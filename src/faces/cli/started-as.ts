/** How to start this program again, the way it was started: by npm, by its name on the PATH, or by its path. */

import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { processEnvironment } from "#ground/settings/environment.ts"
import { tilde } from "#lib/tilde.ts"

/** Arguments can be appended. */
export function startedAs(home: string): string {
  const env = processEnvironment()
  if (env.npm_lifecycle_event === "start") return "npm start --"
  const own = real(isCompiled ? process.execPath : resolve(Bun.main, "../../bin/codewright"))
  const found = Bun.which("codewright", { PATH: env.PATH ?? "" })
  if (found !== null && real(found) === own) return "codewright"
  const short = tilde(own, home)
  return /^[\w@%+=:,./~-]+$/.test(short) ? short : `'${own.replaceAll("'", "'\\''")}'`
}

const isCompiled = Bun.main.startsWith("/$bunfs/")

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
