/** Runs of many steps, ours and bare ones of the same shape. */

import { type AgentOptions, type AgentRun, runAgent } from "./agent.ts"
import { calls, reads, runs, says } from "./answers.ts"
import type { BareProgram } from "./bare-program.ts"
import type { Piece } from "./model-server.ts"
import { makePlace } from "./place.ts"

const settleMs = 200

/** A session that reads one small file a step. */
export async function runReads(steps: number, more: Pick<AgentOptions, "env" | "argv"> = {}): Promise<AgentRun> {
  const place = makePlace({ files: steps })
  // A file that was written this very moment is looked at more closely than those one usually meets.
  await Bun.sleep(settleMs)
  const answers = [...place.files.map((path, i) => [calls(i, reads(path))]), [says("Done.")]]
  try {
    return await runAgent({ place, answers, ...more })
  } finally {
    place.remove()
  }
}

/** A session that runs `true` in each step: behind a wall, as a command that only reads, or without one, since a rule allows all commands. */
export function runShell(steps: number, how: "confined" | "allowed"): Promise<AgentRun> {
  const answers = Array.from({ length: steps }, (_, i) => [calls(i, runs("true"))])
  const rule = how === "confined" ? "Bash(true)" : "Bash"
  return runAgent({ answers: [...answers, [says("Done.")]], flags: ["--allowed-tools", rule] })
}

/** As many bare round trips as a session made requests, with bodies that grow as its bodies grew. */
export function runBareLike({ exchanges }: AgentRun, bare: BareProgram): Promise<AgentRun> {
  const first = exchanges[0]?.bytes ?? 1
  const growth = Math.round(((exchanges.at(-1)?.bytes ?? first) - first) / Math.max(1, exchanges.length - 1))
  return runBare(bare, exchanges.length, first, growth)
}

export function runBare(bare: BareProgram, requests: number, first = 1, growth = 0): Promise<AgentRun> {
  const answers: (readonly Piece[])[] = Array.from({ length: requests }, () => [says("Done.")])
  return runAgent({ answers, argv: (url) => [bare.path, url, `${requests}`, `${first}`, `${growth}`] })
}
