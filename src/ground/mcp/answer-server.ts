/** What a server asks and tells by itself. Only older servers ask like this; newer ones ask in their results. */

import type { Client } from "@modelcontextprotocol/client"
import type { JsonObject } from "#lib/json.ts"
import { plainText } from "#lib/plain-text.ts"
import type { McpHost } from "./connection.ts"
import { elicitAsk, rootsList } from "./input-requests.ts"
import type { openPatience } from "./patience.ts"

export function answerServer(client: Client, host: McpHost, patience: ReturnType<typeof openPatience>): void {
  client.setRequestHandler("roots/list", () => ({ roots: rootsList(host.roots()) }))
  client.setRequestHandler("elicitation/create", async ({ params }, context) => {
    // A server asks because of something it was asked to do; without a request in progress the user is not disturbed.
    if (!patience.isBusy()) return { action: "cancel" }
    const go = patience.pause()
    try {
      const signal = AbortSignal.any([context.mcpReq.signal, patience.busySignal()])
      const answer = await host.elicit(elicitAsk(params as unknown as JsonObject), signal)
      return answer.action === "accept" ? { action: "accept", content: { ...answer.content } } : answer
    } finally {
      go()
    }
  })
  client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
    host.onElicited(plainText(params.elicitationId)),
  )
  client.setNotificationHandler("notifications/tools/list_changed", () => host.onChanged("tools"))
  client.setNotificationHandler("notifications/prompts/list_changed", () => host.onChanged("prompts"))
  client.setNotificationHandler("notifications/resources/list_changed", () => host.onChanged("resources"))
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => host.onUpdated(params.uri))
}
