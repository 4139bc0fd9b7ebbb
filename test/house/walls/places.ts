/** Walls of the form "this is written only there": a table of what, and where it may stand. */

import { isPure } from "./modules.ts"
import { breach, type Source } from "./source.ts"

/** What may stand only in some places. The pattern never sees comments or the insides of strings. */
export interface Place {
  readonly what: string
  readonly pattern: RegExp
  readonly mayStand: (path: string) => boolean
}

/** Names at the start of an expression: `process.env`, but not `this.process.env` or `myProcess.env`. */
const bare = String.raw`(?<![.\w$#])`

const only =
  (...places: readonly string[]) =>
  (path: string): boolean =>
    places.some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place))

/** The globals of the runtime; its modules are the business of `moduleBreaches`. */
export const machine: Place = {
  what: "the machine (Bun, process, Buffer) has no place in a pure room",
  pattern: new RegExp(String.raw`${bare}(?:globalThis\.)?(?:Bun|process|Buffer)\s*[.[(]`, "g"),
  mayStand: (path) => !isPure(path),
}

/** Variables of the environment. */
export const environment: Place = {
  what: "the environment is read only in ground/settings",
  pattern: new RegExp(
    String.raw`${bare}(?:globalThis\.)?(?:process|Bun|import\.meta)\s*(?:\?\.|\.)\s*env\b|\{[^{}]*\benv\b[^{}]*\}\s*=\s*(?:process|Bun)\b|${bare}process\s*\[`,
    "g",
  ),
  mayStand: only("src/ground/settings/"),
}

/** Output, input and the end of the process. */
export const voice: Place = {
  what: "only faces, sim and main.ts speak to the outside or end the process",
  pattern: new RegExp(
    String.raw`${bare}(?:globalThis\.)?(?:console\s*[.[]|process\s*\.\s*(?:exit|exitCode|abort|stdout|stderr|stdin)\b|Bun\s*\.\s*(?:stdout|stderr|stdin)\b)`,
    "g",
  ),
  mayStand: only("src/faces/", "src/sim/", "src/main.ts"),
}

/** Clocks and timers; `new Date(value)` only converts and is free. */
export const time: Place = {
  what: "time and timers come from lib/clock.ts",
  pattern: new RegExp(
    String.raw`${bare}(?:globalThis\.)?(?:Date\s*\.\s*now\b|new\s+Date\b(?!\s*\(\s*[^)\s])|(?<!\bnew\s+)Date\s*\(|performance\s*\.\s*(?:now|timeOrigin)\b|setTimeout\b|setInterval\b|process\s*\.\s*(?:hrtime|uptime)\b|Bun\s*\.\s*(?:sleep|sleepSync|nanoseconds)\b|AbortSignal\s*\.\s*timeout\b)`,
    "g",
  ),
  mayStand: only("src/lib/clock.ts"),
}

/** Randomness. */
export const chance: Place = {
  what: "ids and random numbers come from lib/ids.ts",
  pattern: /\bMath\s*\.\s*random\b|\b(?:randomUUID|randomUUIDv7|randomUUIDv5|getRandomValues|randomBytes|randomInt)\b/g,
  mayStand: only("src/lib/ids.ts"),
}

/** Requests and sockets to other machines. Methods of this name, as servers have them, are something else. */
export const connections: Place = {
  what: "connections are made only in ground/network (and, for commands, by the sandbox's proxy); take a Network",
  pattern: new RegExp(
    String.raw`${bare}(?:globalThis\.|window\.)?fetch\b(?!\s*\??:)(?!\s*\([^()]*\)\s*(?::[^;{}]*)?\{)|new\s+(?:WebSocket|EventSource|XMLHttpRequest)\b|${bare}(?:Bun\s*\.\s*(?:connect|fetch)|createConnection|requestPlain|requestSecure)\b|${bare}(?:https?|http2|tls)\s*\.\s*(?:request|get|connect)\b`,
    "g",
  ),
  mayStand: only(
    "src/ground/network/",
    "src/ground/sandbox/network/",
    // Sockets of the file system.
    "src/ground/team/link.ts",
    "src/ground/workspace/processes/local-socket.ts",
    // Runs in a browser.
    "src/faces/web/page/",
  ),
}

/** Commands as one text, which someone will one day build from parts. */
export const shellStrings: Place = {
  what: "a process is started with a list of arguments, never with a shell string",
  pattern: /\bshell\s*:\s*(?:true\b|["'`])|(?<![.\w$])(?:exec|execSync)\s*\(|\bchild_process\s*\.\s*exec(?:Sync)?\b/g,
  mayStand: () => false,
}

/** Every place where something stands that may not. */
export function placeBreaches(tree: readonly Source[], place: Place): readonly string[] {
  return tree
    .filter((source) => !place.mayStand(source.path))
    .flatMap((source) =>
      [...source.code.matchAll(place.pattern)].map((match) =>
        breach(source, match.index, `${match[0].trim()}: ${place.what}`),
      ),
    )
}
