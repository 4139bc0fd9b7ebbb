/** How far a call of an MCP server came, for whoever continues it in another process. */

import type { JsonObject } from "#lib/json.ts"

export type ServerCallState =
  /** The server wants these requests answered, and then the same call again with its own `state`. */
  | {
      readonly type: "asks"
      readonly round: number
      readonly requests: JsonObject
      readonly state?: string
    }
  /** The call runs at the server, which tells by this id how it stands. */
  | { readonly type: "task"; readonly taskId: string }
  /** It was made again with answers, and what came of that is not known: it cannot be continued. */
  | { readonly type: "sent" }

export type ContinuedCall = Exclude<ServerCallState, { readonly type: "sent" }>
