/** Access tokens of Microsoft Entra: of an application by its secret, or of the user by Azure's own tool. */

import type { Clock } from "#lib/clock.ts"
import { objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { CloudEnvironment } from "./aws-profile.ts"
import { askFor, type CommandParts, form, runCommand } from "./outside.ts"

export interface EntraToken {
  readonly token: string
  readonly expiresAt?: number
}

const scope = "https://ai.azure.com/.default"
const limitMs = 30_000

/** A failure says in sentences what is missing. */
export async function readEntraToken(parts: {
  readonly env: CloudEnvironment
  readonly command: CommandParts
}): Promise<Result<EntraToken, string>> {
  const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: id, AZURE_CLIENT_SECRET: secret } = parts.env
  if (tenant && id && secret) return ofApplication({ tenant, id, secret }, parts)
  const got = await runCommand(
    ["az", "account", "get-access-token", "--scope", scope, "--output", "json"],
    parts.command,
  )
  const token = got.ok ? printedToken(got.value) : undefined
  if (token) return ok(token)
  const why = got.ok ? "az printed no token" : got.failure
  return failed(`No key for Microsoft Foundry was found (${why}). Set ANTHROPIC_FOUNDRY_API_KEY, or run az login.`)
}

async function ofApplication(
  { tenant, id, secret }: { readonly tenant: string; readonly id: string; readonly secret: string },
  { env, command: { clock } }: { readonly env: CloudEnvironment; readonly command: CommandParts },
): Promise<Result<EntraToken, string>> {
  const host = (env["AZURE_AUTHORITY_HOST"] || "https://login.microsoftonline.com").replace(/\/+$/, "")
  const fields = { grant_type: "client_credentials", client_id: id, client_secret: secret, scope }
  const url = `${host}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`
  const got = await askFor(url, { ...form(fields), limitMs }, clock)
  const token = got.ok ? grantedToken(got.value, clock) : undefined
  if (token) return ok(token)
  const why = got.ok ? "the answer has none" : got.failure
  return failed(
    `No token could be had from Microsoft Entra: ${why}. Check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET.`,
  )
}

function grantedToken(text: string, clock: Clock): EntraToken | undefined {
  const { access_token: token, expires_in: seconds } = objectIn(text) ?? {}
  if (typeof token !== "string" || token === "") return undefined
  return { token, ...(typeof seconds === "number" && { expiresAt: clock.now() + seconds * 1000 }) }
}

function printedToken(text: string): EntraToken | undefined {
  const { accessToken: token, expires_on: seconds } = objectIn(text) ?? {}
  if (typeof token !== "string" || token === "") return undefined
  return { token, ...(typeof seconds === "number" && { expiresAt: seconds * 1000 }) }
}
