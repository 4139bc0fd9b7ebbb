/** What the transcript of a long session takes: opened, at its beginning, scrolled through, and searched. */

import { mkdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { projectSlug } from "../src/ground/settings/state-folder.ts"
import { program } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { shown } from "./kit/figures.ts"
import { openModelServer } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { openPty } from "./kit/pty.ts"
import { answer, type Row, rowOf } from "./kit/row.ts"
import { writeSessionLog } from "./kit/session-log.ts"

const sessionId = "00000000-0000-4000-8000-000000000001"
const entries = 60_000
/** What may be held above the session before it is looked at, in MB. */
const mostAbove = 100

answer(
  ...(await looked("compacted", { compactedBefore: 2_000 })),
  ...(await looked("not compacted", { keptResults: 60 })),
)

async function looked(
  kind: string,
  shape: { readonly compactedBefore?: number; readonly keptResults?: number },
): Promise<readonly Row[]> {
  const place = makePlace()
  const server = openModelServer({ bodies: "dropped", answer: () => [says("Done.")] })
  const path = join(place.state, "projects", projectSlug(place.work), `${sessionId}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeSessionLog({ path, sessionId, cwd: place.work, entries, resultCharacters: 30_000, salt: 1, ...shape })
  const size = `${shown(statSync(path).size / 1e6, "MB")}, ${kind}`
  const pty = openPty({ place, url: server.url, argv: [program, "--trust", "--resume", sessionId] })
  await pty.shown("Ask anything")
  await Bun.sleep(1_500)
  const before = { memory: pty.residentMb(), cpu: pty.cpuMs(), ms: performance.now() - 1_500 - pty.spawnedAt }
  const rows: Row[] = [
    rowOf({ what: `a session of ${size}, on the screen`, ours: before.ms, unit: "ms" }),
    rowOf({ what: "processor time of the same", ours: before.cpu, unit: "ms" }),
    rowOf({ what: "memory of the same", ours: before.memory, unit: "MB" }),
  ]
  const step = async (what: string, keys: string, until: string): Promise<void> => {
    const cpu = pty.cpuMs()
    const start = performance.now()
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, pty.residentMb())), 20)
    pty.type(keys)
    await pty.shown(until, start)
    const ms = performance.now() - start
    await Bun.sleep(1_000)
    clearInterval(watch)
    rows.push(
      rowOf({ what: `${what}, until it is shown`, ours: ms, unit: "ms" }),
      rowOf({ what: "processor time of the same", ours: pty.cpuMs() - cpu, unit: "ms" }),
      rowOf({
        what: "most memory of the same",
        ours: most,
        unit: "MB",
        floor: { name: "before the transcript", value: before.memory },
        toReach: before.memory + mostAbove,
      }),
    )
  }
  await step("the transcript", "\u000f", "100%")
  await step("its beginning", "g", " 0%")
  await step("a hundred pages down", " ".repeat(100), "\u001b[?2026l")
  await step("its end", "G", "100%")
  await step("a search through all of it", "/please\r", " of 8")
  await pty.end()
  server.close()
  place.remove()
  return rows
}
