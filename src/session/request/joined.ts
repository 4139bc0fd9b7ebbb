/** Tools that join the listed ones while the session is open, from several lists. */

import type { AnyTool } from "#agent/words/tool.ts"

type ToolList = () => readonly AnyTool[]

/** Those that count, as the same value while every list is the same: requests are serialised again when it is another. */
export function joinedTools(lists: readonly (ToolList | undefined)[], counts: (tool: AnyTool) => boolean): ToolList {
  const present = lists.filter((list) => list !== undefined)
  let known: readonly (readonly AnyTool[])[] = []
  let joined: readonly AnyTool[] = []
  return () => {
    const now = present.map((list) => list())
    if (now.some((list, nth) => list !== known[nth])) joined = now.flat().filter(counts)
    known = now
    return joined
  }
}
