/** The OpenID provider of the settings, with the secret of our client from where the settings say it is. */

import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import type { OpenIdSettings } from "#ground/settings/settings.ts"
import type { OpenIdSignIn } from "#faces/web/openid.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

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
  const secret = await secretOf(settings, loaded.env, home)
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

/** No session may read them. */
export function openIdSecretFiles({ loaded, home }: Pick<StartupContext, "loaded" | "home">): readonly string[] {
  const file = loaded.settings.server?.openid?.clientSecretFile
  return file === undefined ? [] : [fromHome(file, home)]
}

const fromHome = (path: string, home: string): string => resolve(path.replace(/^~(?=\/)/, home))

async function secretOf(
  { clientSecretEnv, clientSecretFile, clientSecretHelper }: OpenIdSettings,
  env: { readonly [name: string]: string | undefined },
  home: string,
): Promise<Result<string | undefined, string>> {
  if (clientSecretHelper !== undefined)
    return runKeyHelper(clientSecretHelper, childEnvironment(env), "clientSecretHelper")
  if (clientSecretFile !== undefined) return fileWith(fromHome(clientSecretFile, home))
  if (clientSecretEnv === undefined) return ok(undefined)
  const secret = env[clientSecretEnv] ?? ""
  return secret === "" ? failed(`the variable ${clientSecretEnv} is not set.`) : ok(secret)
}

function fileWith(path: string): Result<string, string> {
  try {
    const secret = readFileSync(path, "utf8").trim()
    return secret === "" ? failed(`${path} is empty.`) : ok(secret)
  } catch (error) {
    return failed(`the secret cannot be read from ${path} (${String(error)}).`)
  }
}
