/** The table of storeys, and the wall between them: a file imports from its own room and from storeys below. */

import { importsOf, target } from "./imports.ts"
import { breach, type Source } from "./source.ts"

interface Storey {
  readonly room: RegExp
  readonly height: number
  /** The only places outside the room that it may import from, when "all storeys below" is too much. */
  readonly knows?: RegExp
}

const faceKnows = /^(lib|agent\/words|session|team|fleet|faces\/view|faces\/wire)\//

const storeys: readonly Storey[] = [
  { room: /^lib$/, height: 0 },
  { room: /^agent$/, height: 1 },
  { room: /^ground\/[\w-]+$/, height: 2 },
  { room: /^kits\/[\w-]+$/, height: 3 },
  // A session has storeys of its own: what it keeps, what it sends, what it is opened with, what faces see, how kits
  // meet the ground, and how a turn goes. The stages of opening stand on all of them.
  { room: /^session\/journal$/, height: 4.1 },
  { room: /^session\/request$/, height: 4.2 },
  { room: /^session\/opening$/, height: 4.3 },
  { room: /^session\/port$/, height: 4.4 },
  { room: /^session\/slash$/, height: 4.5 },
  { room: /^session\/adapters$/, height: 4.6 },
  { room: /^session\/(turn|replay)$/, height: 4.7 },
  { room: /^session$/, height: 4.9 },
  { room: /^team$/, height: 5 },
  // What a fleet keeps and its port; then that port over a database, and the worker that stands on both.
  { room: /^fleet$/, height: 6.1 },
  { room: /^fleet\/database$/, height: 6.2 },
  { room: /^fleet\/work$/, height: 6.3 },
  // Sessions of one user on this machine, looked after as the worker does.
  { room: /^fleet\/background$/, height: 6.4 },
  { room: /^fleet\/workflow$/, height: 6.5 },
  { room: /^faces\/(view|wire)$/, height: 7, knows: /^(lib|agent\/words|team)\// },
  { room: /^faces\/cli$/, height: 9 },
  { room: /^faces\/[\w-]+$/, height: 8, knows: faceKnows },
  // Beside the house rather than in it: only who chooses what to start may start it.
  { room: /^sim$/, height: 8, knows: /^(lib|agent\/words)\// },
  { room: /^(main|index)\.ts$/, height: 10 },
]

/** The room of a file in `src`: `lib`, `ground/workspace`, `faces/tui`; main.ts and index.ts are rooms of their own. */
export function roomOf(path: string): string {
  const [first = "", second = "", ...rest] = path.replace(/^src\//, "").split("/")
  // The port of what a fleet keeps is in several files.
  if (first === "fleet" && second === "store") return first
  if (first === "session" || first === "fleet") return rest.length > 0 ? `${first}/${second}` : first
  return ["ground", "kits", "faces"].includes(first) ? `${first}/${second}` : first
}

/** Breaches of the storeys, of the way imports are written, and files that stand in no room. */
export function storeyBreaches(tree: readonly Source[]): readonly string[] {
  return tree.flatMap((source) => {
    const home = storeyOf(source.path)
    if (!home) return [breach(source, 0, "stands in no room of the house")]
    return importsOf(source).flatMap(({ specifier, at }) => {
      const to = target(source.path, specifier)
      const fault =
        to === undefined ? undefined : (spelling(source.path, specifier, to) ?? climb(source.path, home, to))
      return fault === undefined ? [] : [breach(source, at, `imports ${specifier}: ${fault}`)]
    })
  })
}

function storeyOf(path: string): Storey | undefined {
  const room = roomOf(path)
  return storeys.find((storey) => storey.room.test(room))
}

/** `./` inside the room, `#` outside it and upwards; `../` only to package.json, which no `#` can name. */
function spelling(from: string, specifier: string, to: string): string | undefined {
  if (specifier.includes("../")) return to === "package.json" ? undefined : "`../` is not used; write `#room/file.ts`"
  const sameRoom = roomOf(from) === roomOf(to)
  const below = to.startsWith(from.slice(0, from.lastIndexOf("/") + 1))
  if (specifier.startsWith("./") && !sameRoom) return "`./` leaves the room; write `#room/file.ts`"
  if (specifier.startsWith("#") && sameRoom && below) return "`#` stays in the room; write `./`"
  return undefined
}

function climb(from: string, home: Storey, to: string): string | undefined {
  const room = roomOf(to)
  if (to === "package.json" || room === roomOf(from)) return undefined
  const there = storeyOf(to)
  if (!there) return "there is no such room"
  if (there.height > home.height) return `${room} lies above`
  if (there.height === home.height) return `${room} is on the same storey`
  if (home.knows && !home.knows.test(to.replace(/^src\//, ""))) return `${roomOf(from)} may not know ${room}`
  return undefined
}
