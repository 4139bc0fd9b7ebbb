/** What a room brings to a session. */

import type { Middleware } from "./middleware.ts"
import type { AnyTool } from "./tool.ts"

export interface Kit {
  readonly name: string
  readonly tools?: readonly AnyTool[]
  /** One layer around every call; the order of kits is the order of layers. */
  readonly middleware?: Middleware
  readonly close?: () => Promise<void>
}
