/** `bun test/kit/web/serve-seeded.ts`: the page of a seeded fleet, to look at by hand. Prints links that sign in, one for each line of input. */

import { temporaryFolder } from "../tmp.ts"
import { openFleetPage } from "./open-fleet-page.ts"

using folder = temporaryFolder()
const server = await openFleetPage(folder)
process.stdout.write(`${server.signInLink()}\n`)
for await (const line of console) process.stdout.write(`${line === "" ? server.signInLink() : server.url}\n`)
await server.close()
