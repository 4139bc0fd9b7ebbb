/** Runs calls through all layers. It is handed out before the layers are known, and sealed once they are. */

import type { Call, Middleware, Next } from "#agent/words/middleware.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { later } from "#lib/later.ts"
import type { SessionOptions } from "#session/opening/options.ts"

export interface Calls {
  readonly call: Next
  readonly tools: () => readonly AnyTool[]
  readonly seal: (layers: readonly Middleware[], tools: () => readonly AnyTool[]) => void
}

export function openCalls({ onCall, onRun }: Pick<SessionOptions, "onCall" | "onRun">): Calls {
  const sealed = later<{ readonly call: Next; readonly tools: () => readonly AnyTool[] }>("The layers of calls")
  const run: Next = (call) => sealed.get().call(call)
  return {
    call: onCall ? watched(run, onCall) : run,
    tools: () => sealed.get().tools(),
    seal: (layers, tools) => sealed.settle({ call: layered(layers, onRun), tools }),
  }
}

const watched =
  (run: Next, onCall: (call: Call) => () => void): Next =>
  async (call) => {
    const over = onCall(call)
    try {
      return await run(call)
    } finally {
      over()
    }
  }

/** The layers as one function: the first is outermost, the tool itself innermost. */
function layered(layers: readonly Middleware[], onRun: SessionOptions["onRun"]): Next {
  const run: Next = (call) => call.tool.run(call.parsed, call)
  const innermost: Next = onRun ? async (call) => (await onRun(call), run(call)) : run
  return layers.toReversed().reduce<Next>((next, layer) => (call) => layer(call, next), innermost)
}
