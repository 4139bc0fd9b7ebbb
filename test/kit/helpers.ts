/** Programs of the tests as one, which `npm test` builds: the first argument says which, the others are its own. */

import { provideLibraries } from "#ground/bundled/libraries.ts"
import type { built } from "./helper.ts"

const programs: { readonly [name in (typeof built)[number]]: () => Promise<unknown> } = {
  "drive-session.ts": () => import("./drive-session.ts"),
  "fleet/fleet-process.ts": () => import("./fleet/fleet-process.ts"),
  "fleet/hand.ts": () => import("./fleet/hand.ts"),
  "fleet/preparing.ts": () => import("./fleet/preparing.ts"),
  "fleet/short-worker.ts": () => import("./fleet/short-worker.ts"),
  "team/hands-process.ts": () => import("./team/hands-process.ts"),
  "team/post.ts": () => import("./team/post.ts"),
  "waiting-session.ts": () => import("./waiting-session.ts"),
}

provideLibraries()
const [name] = process.argv.splice(2, 1)
await programs[name as keyof typeof programs]()
