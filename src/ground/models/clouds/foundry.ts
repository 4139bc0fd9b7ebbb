/** Claude in Microsoft Foundry: the Messages API at an address of Azure's, with its key or a token of Entra's. */

import { openMessages } from "#ground/models/anthropic/messages.ts"
import type { Dialect } from "#ground/models/anthropic/request.ts"
import type { Credential } from "#ground/models/credential.ts"
import type { Voice } from "#ground/models/failure.ts"
import type { Address } from "#ground/models/port.ts"
import type { PortParts, ProviderPort } from "#ground/models/provider.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { CloudEnvironment } from "./aws-profile.ts"
import { readEntraToken } from "./entra-token.ts"
import { openCredentialCache } from "./credential-cache.ts"
import { gatewayErrorWords } from "./gateway-error-words.ts"

export interface FoundryChoice extends Pick<Address, "headers" | "secrets" | "soon"> {
  readonly env: CloudEnvironment
  readonly resource?: string
  readonly baseUrl?: string
  readonly apiKey?: string
  /** A gateway adds the key. */
  readonly skipAuth: boolean
  readonly commandEnv: () => { readonly [name: string]: string }
}

/** Why no request can be sent. */
export function foundryProblem({ resource, baseUrl }: FoundryChoice): string | undefined {
  if (baseUrl !== undefined) return undefined
  if (resource === undefined)
    return "No resource is set for Microsoft Foundry. Set ANTHROPIC_FOUNDRY_RESOURCE to its name, or ANTHROPIC_FOUNDRY_BASE_URL to its address."
  return /^[a-z0-9-]+$/i.test(resource)
    ? undefined
    : `ANTHROPIC_FOUNDRY_RESOURCE is ${JSON.stringify(resource)}, which is not the name of a resource. For a whole address, set ANTHROPIC_FOUNDRY_BASE_URL.`
}

export function openFoundry(choice: FoundryChoice, dialect: Dialect, parts: PortParts): Result<ProviderPort, string> {
  const problem = foundryProblem(choice)
  if (problem !== undefined) return failed(problem)
  const { resource = "", headers, secrets, soon } = choice
  const address: Address = {
    name: "foundry",
    baseUrl: choice.baseUrl ?? `https://${resource}.services.ai.azure.com/anthropic`,
    credential: credentialOf(choice, parts),
    voice: choice.skipAuth ? gatewayErrorWords(who, "CLAUDE_CODE_SKIP_FOUNDRY_AUTH") : voiceOf(choice),
    ...(headers && { headers }),
    ...(secrets && { secrets }),
    ...(soon && { soon }),
  }
  // A name is that of a deployment, which its owner chose.
  return ok(openMessages(address, dialect, parts))
}

function credentialOf({ apiKey, skipAuth, env, commandEnv }: FoundryChoice, { clock, network }: PortParts): Credential {
  if (skipAuth) return { headers: () => Promise.resolve(ok({})) }
  if (apiKey !== undefined) return { headers: () => Promise.resolve(ok({ "x-api-key": apiKey })) }
  const tokens = openCredentialCache(
    () => readEntraToken({ env, command: { env: commandEnv(), clock, network } }),
    clock,
  )
  return {
    async headers(signal) {
      const got = await tokens.get(signal)
      return got.ok ? ok({ authorization: `Bearer ${got.value.token}` }) : got
    },
    refresh: tokens.refresh,
  }
}

const who = "Microsoft Foundry"

const voiceOf = ({ apiKey }: FoundryChoice): Voice => ({
  who,
  noKey: (why) => why,
  key: () =>
    apiKey === undefined
      ? { which: "The token for Azure", advice: "Run az login, or set ANTHROPIC_FOUNDRY_API_KEY." }
      : { which: "The key in ANTHROPIC_FOUNDRY_API_KEY", advice: "Change the variable." },
})
