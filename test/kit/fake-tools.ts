/** Tools whose behaviour is in their input, for testing the executor and the loop without a workspace. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { reads, writes } from "#agent/words/footprint.ts"
import { type AnyTool, answered, refused } from "#agent/words/tool.ts"
import { picture } from "./picture.ts"

export interface Watch {
  /** Calls running at this moment, by name of their lane. */
  readonly running: string[]
  /** Violations of the rules of concurrency, as they were seen. */
  readonly violations: string[]
  /** Ids in the order in which they started. */
  readonly started: string[]
  most: number
}

export const openWatch = (): Watch => ({ running: [], violations: [], started: [], most: 0 })

const pictureBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: picture } } as const

const input = shape.object({
  id: shape.string(),
  ms: shape.number().default(0),
  fate: shape.choice(["ok", "fail", "throw", "garbage", "hang", "picture"]).default("ok"),
})

/** `Look` only reads, `Act` changes something. */
export function fakeTools(watch: Watch): AnyTool[] {
  const make = (name: "Look" | "Act"): AnyTool =>
    defineTool({
      name,
      description: `${name} for tests`,
      input,
      title: ({ id }) => `${name} ${id}`,
      footprint: ({ id }) => (name === "Look" ? reads(`/${id}`) : writes(`/${id}`)),
      async run({ id, ms, fate }, { signal }) {
        watch.started.push(id)
        if (name === "Act" && watch.running.length > 0)
          watch.violations.push(`Act ${id} beside ${watch.running.join()}`)
        if (watch.running.includes("Act")) watch.violations.push(`${name} ${id} beside an Act`)
        watch.running.push(name)
        watch.most = Math.max(watch.most, watch.running.length)
        try {
          if (fate === "hang") await new Promise((_, reject) => signal.addEventListener("abort", reject))
          else if (ms > 0) await Bun.sleep(ms)
          if (fate === "throw") throw new Error(`${id} broke`)
          if (fate === "garbage") return undefined as never
          if (fate === "picture") return answered([{ type: "text", text: `${id} seen` }, pictureBlock])
          return fate === "fail" ? refused(`${id} failed`) : answered(`${id} done`)
        } finally {
          watch.running.splice(watch.running.indexOf(name), 1)
        }
      },
    })
  return [make("Look"), make("Act")]
}
