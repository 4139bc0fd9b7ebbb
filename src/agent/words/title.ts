/** The head line of a call: as its tool says it, or as far as the input alone tells it. */

import type { ToolUseBlock } from "./message.ts"
import type { Gathers } from "./tool.ts"

/** What faces show of a call before and after it runs. */
export interface CallHead {
  readonly title: string
  readonly gathers?: Gathers
}

const mostTitle = 200

export function plainTitle({ name, input }: Pick<ToolUseBlock, "name" | "input">): string {
  const first = Object.values(input).find((value) => typeof value === "string") ?? ""
  return `${name} ${first.split("\n", 1)[0] ?? ""}`.trim().slice(0, mostTitle)
}
