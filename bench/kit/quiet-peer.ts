/** Another agent of the field benchmark in a terminal, after a turn: how often anything of it wakes up. Only Linux tells. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { cacheFolder, install, installedIn } from "../field/install.ts"
import { openFieldModel, says } from "../field/model.ts"
import type { Peer, Situation } from "../field/peer.ts"
import { makeFieldPlace, processesIn } from "../field/place.ts"
import { environment } from "../field/run-peer.ts"

export interface InTerminal {
  readonly peer: Peer
  readonly argv: (situation: Situation) => readonly string[]
  /** What it would ask before the first conversation, answered in its own file. */
  readonly settings: (work: string) => { readonly path: string; readonly text: string }
}

const words = "Done, at the very end."

/** In so many seconds after a turn, and in as many after those. */
export async function peerWakeUps(
  { peer, argv, settings }: InTerminal,
  seconds: number,
): Promise<readonly [number, number]> {
  const cache = cacheFolder()
  install(cache, peer)
  const place = makeFieldPlace(cache)
  const model = await openFieldModel({ tools: [peer.shellTool], script: () => says(words) })
  const situation = { place, url: model.url }
  const { path, text } = settings(place.work)
  mkdirSync(dirname(join(place.home, path)), { recursive: true })
  writeFileSync(join(place.home, path), text)
  let screen = ""
  const decoder = new TextDecoder()
  const child = Bun.spawn([...peer.program(installedIn(cache, peer)), ...argv(situation)], {
    cwd: place.work,
    env: { ...environment(peer, situation), TERM: "xterm-256color" },
    terminal: {
      cols: 100,
      rows: 30,
      data(terminal, chunk) {
        const part = decoder.decode(chunk, { stream: true })
        screen += part
        // It waits for a terminal that says where its cursor is and what it is.
        if (part.includes("\x1b[6n")) terminal.write("\x1b[1;1R")
        if (part.includes("\x1b[c")) terminal.write("\x1b[?62;22c")
      },
    },
  })
  try {
    // Nothing says that it can be typed to.
    await Bun.sleep(12_000)
    child.terminal?.write("say it")
    await Bun.sleep(1_000)
    child.terminal?.write("\r")
    await Bun.sleep(10_000)
    const shown = Bun.stripANSI(screen).replaceAll(/\s/g, "")
    if (!shown.includes("attheveryend")) throw new Error(`${peer.title} did not answer. Its screen says:\n${shown}`)
    return [await wakeUpsIn(place.root, seconds), await wakeUpsIn(place.root, seconds)]
  } finally {
    child.kill("SIGKILL")
    await child.exited
    child.terminal?.close()
    await model.close()
    place.remove()
  }
}

async function wakeUpsIn(root: string, seconds: number): Promise<number> {
  const before = sleepsIn(root)
  await Bun.sleep(seconds * 1_000)
  return [...sleepsIn(root)].reduce((sum, [thread, count]) => sum + count - (before.get(thread) ?? 0), 0)
}

/** How often each thread has gone to sleep by its own will. */
function sleepsIn(root: string): ReadonlyMap<string, number> {
  const status = (pid: number, thread: string): string => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8")
    } catch {
      return ""
    }
  }
  return new Map(
    processesIn(root).flatMap((pid) =>
      readdirSync(`/proc/${pid}/task`).map((thread) => {
        const count = /^voluntary_ctxt_switches:\s*(\d+)/m.exec(status(pid, thread))?.[1]
        return [thread, Number(count ?? 0)] as const
      }),
    ),
  )
}
