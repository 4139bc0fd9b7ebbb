/** `bun test/kit/web/serve-seeded.ts`: the page of a seeded fleet, to look at by hand. Prints links that sign in, one for each line of input. */

import { temporaryFolder } from "../tmp.ts"
import { openFleetPage } from "./open-fleet-page.ts"

using folder = temporaryFolder()
const server = await openFleetPage(folder)
console.log(server.signInLink())
for await (const _line of console) console.log(server.signInLink())
await server.close()
