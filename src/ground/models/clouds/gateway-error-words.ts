/** What is said where a gateway adds the credentials, and its address refuses us all the same. */

import type { Voice } from "#ground/models/failure.ts"

export const gatewayErrorWords = (who: string, variable: string): Voice => ({
  who,
  key: () => ({
    which: "A request without credentials",
    advice: `${variable} is set, so the gateway should add them. Check its address, or set ANTHROPIC_CUSTOM_HEADERS to what it asks for.`,
  }),
})
