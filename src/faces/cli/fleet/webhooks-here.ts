/** The webhooks of the settings, with their secrets, and how letters are sent from here. */

import { systemClock } from "#lib/clock.ts"
import type { Network } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import type { WebhookSettings } from "#ground/settings/settings.ts"
import type { Webhook } from "#fleet/webhooks.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

const usualVariable = "CODEWRIGHT_WEBHOOK_SECRET"
const longestMs = 15_000
const mostAnswerBytes = 100_000

/** The failure is a sentence. */
export async function webhooksHere({
  loaded,
  network,
}: Pick<StartupContext, "loaded" | "network">): Promise<Result<readonly Webhook[], string>> {
  const hooks: Webhook[] = []
  for (const [at, settings] of (loaded.settings.server?.webhooks ?? []).entries()) {
    const secret = await secretOf(settings, loaded.env)
    if (!secret.ok) return failed(`server.webhooks[${at}]: ${secret.failure}`)
    const { url } = settings
    if (!/^https?:\/\//.test(url) || !URL.canParse(url))
      return failed(`server.webhooks[${at}].url is not an address: ${url}`)
    hooks.push({ url, secret: secret.value, send: sender(settings, network) })
  }
  return ok(hooks)
}

async function secretOf(
  { secretEnv = usualVariable, secretHelper }: WebhookSettings,
  env: { readonly [name: string]: string | undefined },
): Promise<Result<string, string>> {
  if (secretHelper !== undefined) return runKeyHelper(secretHelper, childEnvironment(env), "secretHelper")
  const secret = env[secretEnv] ?? ""
  if (secret !== "") return ok(secret)
  return failed(
    `there is no secret for the signature. Set the variable ${secretEnv}, or secretHelper to a command that prints it.`,
  )
}

/** The address is resolved once and never redirected; it must be on the public internet unless the settings say otherwise. */
const sender =
  ({ url, allowPrivate = false }: WebhookSettings, network: Network): Webhook["send"] =>
  async (body, headers, signal) => {
    const [{ post }, { guardedAddresses }] = await Promise.all([
      import("#ground/web/post.ts"),
      import("#ground/web/addresses.ts"),
    ])
    const late = new AbortController()
    const stop = systemClock.after(longestMs, () => late.abort())
    const sent = await post(
      {
        clock: systemClock,
        network,
        purpose: { why: "webhook", chosenBy: "user" },
        policy: guardedAddresses(() => allowPrivate),
      },
      { url, body, headers, signal: AbortSignal.any([signal, late.signal]), mostBytes: mostAnswerBytes },
    )
    stop()
    return sent.ok ? sent.value.status : undefined
  }
