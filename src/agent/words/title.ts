/** The title of a call: from its tool, or as much as the input alone reveals. */

import type { ToolUseBlock } from "./message.ts"
import type { Gathers } from "./tool.ts"

export interface CallHead {
  readonly title: string
  readonly gathers?: Gathers
}

const mostTitle = 200

export function plainTitle({ name, input }: Pick<ToolUseBlock, "name" | "input">): string {
  const first = Object.values(input).find((value) => typeof value === "string") ?? ""
  return `${name} ${first.split("\n", 1)[0] ?? ""}`.trim().slice(0, mostTitle)
}
