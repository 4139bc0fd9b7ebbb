/** A model that does anything: real tools with good and bad input, faults of every kind, in an order that a seed decides. */

import type { Ids } from "#lib/ids.ts"
import { type FaultName, faultNames } from "#sim/faults.ts"
import type { ScenarioBlock, ScenarioFunction, ScenarioReply } from "#sim/scenario.ts"
import { bash, edit, read, use, write } from "./script.ts"

export const pick = <T>(ids: Ids, values: readonly T[]): T => values[Math.floor(ids.random() * values.length)] as T
export const chance = (ids: Ids, probability: number): boolean => ids.random() < probability

/** Faults that wait for real time, or send so much that folding it is all a test would do. */
const slow: readonly FaultName[] = ["ping_stall", "slow_drip", "huge_delta"]
const faults = faultNames.filter((name) => !slow.includes(name))

const files = ["a.txt", "b.txt", "c.txt"]

function randomCall(ids: Ids): ScenarioBlock {
  const file = pick(ids, files)
  const text = `${Math.floor(ids.random() * 100)}\n`.repeat(1 + Math.floor(ids.random() * 400))
  return pick<() => ScenarioBlock>(ids, [
    () => read(file),
    () => read(file),
    () => write(file, text),
    () => edit(file, "1", "2"),
    () => bash(`echo ${text.length} >> ${file}`),
    () => bash("exit 3"),
    () => use("Glob", { pattern: "*.txt" }),
    () => use("Reed", { file_path: file }),
    () => use("Read", { path: 7 }),
  ])()
}

/** Ends by itself after a few calls; a request that is made again gets the same answer, without its fault. */
export function randomScript(ids: Ids, steps: number): ScenarioFunction {
  const given = new Map<string, ScenarioReply>()
  let count = 0
  return ({ messages }) => {
    const asked = JSON.stringify(messages.slice(-2))
    const before = given.get(asked)
    const { fault: _gone, ...again } = before ?? {}
    const reply = before ? again : randomReply(ids, count++ >= steps)
    given.set(asked, reply)
    return reply
  }
}

function randomReply(ids: Ids, isLast: boolean): ScenarioReply {
  const content: ScenarioBlock[] = []
  if (chance(ids, 0.6)) content.push({ text: `thought ${Math.floor(ids.random() * 1e6)}` })
  const calls = isLast ? 0 : 1 + Math.floor(ids.random() * 3)
  for (let i = 0; i < calls; i++) {
    content.push(randomCall(ids))
    if (chance(ids, 0.2)) content.push({ text: `after call ${i}` })
  }
  if (content.length === 0) content.push({ text: "Done." })
  return { content, ...(chance(ids, 0.35) && { fault: pick(ids, faults) }) }
}
