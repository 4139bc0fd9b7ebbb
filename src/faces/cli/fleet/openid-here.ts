/** The OpenID provider of the settings, with the secret of our client from where the settings say it is. */

import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { OpenIdSignIn } from "#faces/web/openid.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { readSecret } from "./server-secrets.ts"

const usualHours = 12

/** Undefined where the settings name none. The failure is a sentence. */
export async function openIdHere({
  loaded,
  network,
  home,
}: Pick<StartupContext, "loaded" | "network" | "home">): Promise<Result<OpenIdSignIn | undefined, string>> {
  const settings = loaded.settings.server?.openid
  if (!settings) return ok(undefined)
  const { isAddress, openOpenIdProvider } = await import("#ground/openid/provider.ts")
  const { issuer, clientId, roles, scopes = ["profile", "email", "groups"], hours = usualHours } = settings
  if (!isAddress(issuer))
    return failed(`server.openid.issuer must be an https address, not '${issuer}'. http works only for this machine.`)
  if (Object.values(roles).every((groups) => groups.length === 0))
    return failed("server.openid.roles gives nobody a role. Name the groups for admin, operator or viewer.")
  const secret = await readSecret(settings, "clientSecret", { env: loaded.env, home })
  if (!secret.ok) return failed(`server.openid: ${secret.failure}`)
  const client = { issuer, clientId, scopes, ...optional("secret", secret.value) }
  return ok({
    title: settings.title ?? new URL(issuer).host,
    provider: openOpenIdProvider(client, { network, clock: systemClock }),
    roles,
    nameClaim: settings.nameClaim ?? "email",
    groupsClaim: settings.groupsClaim ?? "groups",
    forMs: hours * 60 * 60 * 1000,
  })
}
