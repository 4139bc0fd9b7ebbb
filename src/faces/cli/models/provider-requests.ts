/** The one way for requests about keys and lists of models. */

import type { SendRequest } from "#ground/models/ask-server.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export const providerRequests =
  ({ network }: StartupContext): SendRequest =>
  (url, init) =>
    network.fetch({ why: "key", chosenBy: "user" }, url, init)
