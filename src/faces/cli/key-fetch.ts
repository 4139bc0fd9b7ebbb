/** The one way for requests about keys and lists of models. */

import type { KeyFetch } from "#ground/models/ask-server.ts"
import type { Setting } from "./setting.ts"

export const keyFetch =
  ({ network }: Setting): KeyFetch =>
  (url, init) =>
    network.fetch({ why: "key", chosenBy: "user" }, url, init)
