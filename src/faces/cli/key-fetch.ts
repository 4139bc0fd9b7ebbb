/** The one way for requests about keys and lists of models. */

import type { KeyFetch } from "#ground/models/ask-server.ts"
import type { Setting } from "./setting.ts"

export const keyFetch = (_: Setting): KeyFetch => fetch
