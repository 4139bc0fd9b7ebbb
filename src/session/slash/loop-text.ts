/** What follows `/loop`: nothing, the word stop, or an interval and a prompt. */

import { intervalIn, intervalText, leastEveryMs, mostEveryMs } from "#agent/words/loop.ts"
import type { SlashAct } from "#session/port/command.ts"

const endWords: readonly string[] = ["stop", "clear", "off"]

export function loopAct(rest: string): SlashAct {
  if (rest === "") return { kind: "show", what: "loop", words: "" }
  if (endWords.includes(rest.toLowerCase())) return { kind: "ops", ops: [{ type: "set_loop", loop: null }] }
  const [, first = "", prompt = ""] = /^(\S+)\s+([\s\S]+)$/.exec(rest) ?? []
  const everyMs = intervalIn(first)
  if (everyMs === undefined || prompt.trim() === "")
    return wrong("Write how often and what: /loop 10m check the build. Intervals are like 30s, 10m, 2h or 1d.")
  if (everyMs < leastEveryMs || everyMs > mostEveryMs)
    return wrong(`The interval must be between ${intervalText(leastEveryMs)} and ${intervalText(mostEveryMs)}.`)
  return { kind: "ops", ops: [{ type: "set_loop", loop: { everyMs, prompt: prompt.trim() } }] }
}

const wrong = (text: string): SlashAct => ({ kind: "wrong", text })
