/** `npm start`: sets up, then runs Codewright from source; without arguments it plays the demo. */

import { delimiter, join, sep } from "node:path"
import { passOn } from "./processes.mjs"
import { root, setUp } from "./setup.mjs"

setUp()
const args = process.argv.slice(2)
// npm runs scripts in the package's folder; the person stands somewhere else, perhaps.
const cwd = (process.env.npm_lifecycle_event === "start" && process.env.INIT_CWD) || process.cwd()
// To try it out takes no account, but nobody who named a model gets another one.
const named = ["ANTHROPIC_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"].some(
  (name) => process.env[name],
)
const env = { ...process.env, PATH: ownPath(), ...(!named && { ANTHROPIC_MODEL: "sim" }) }
await passOn([join(root, "bin/codewright"), ...(args.length === 0 ? ["demo"] : args)], { cwd, env })

/** Without what npm puts in front of it: our own tools, such as a language server, are not the person's. */
function ownPath() {
  const above = root.split(sep).map((_, at, parts) => parts.slice(0, at + 1).join(sep))
  const added = new Set(above.map((folder) => `${folder}${sep}node_modules${sep}.bin`))
  const entries = (process.env.PATH ?? "").split(delimiter)
  return entries.filter((entry) => !added.has(entry) && !entry.endsWith("node-gyp-bin")).join(delimiter)
}
