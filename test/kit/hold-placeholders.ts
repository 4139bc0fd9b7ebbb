/** A process that needs placeholders until it is killed; the arguments are the lists of all processes, and the folder to put them in. */

import { join } from "node:path"
import { openPlaceholders } from "#ground/sandbox/placeholders.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"

const [registry = "", folder = ""] = process.argv.slice(2)
openPlaceholders({ clock: systemClock, ids: systemIds, registry }).acquire([
  { path: join(folder, "settings"), because: "a test", placeholder: { kind: "folder" } },
  { path: join(folder, "commondir"), because: "a test", placeholder: { kind: "file", text: "." } },
])
process.stdout.write("ready\n")
await Bun.sleep(600_000)
