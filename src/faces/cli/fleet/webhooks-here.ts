/** The webhooks of the settings, with their secrets, and how letters are sent from here. */

import { systemClock } from "#lib/clock.ts"
import { digestOf } from "#lib/digest.ts"
import type { Network } from "#lib/network.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { isMailAddress, sendMail } from "#ground/mail/sendmail.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import type { MailSettings, WebhookSettings } from "#ground/settings/settings.ts"
import { discordLetter, jsonLetter, mailLetter, ntfyLetter, slackLetter } from "#fleet/letters.ts"
import { signature, type Letter, type Webhook } from "#fleet/webhooks.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { readSecret, type SecretPlaces } from "./server-secrets.ts"

const usualVariable = "CODEWRIGHT_WEBHOOK_SECRET"
const longestMs = 15_000
const mostAnswerBytes = 100_000
const usualMailCommand = ["sendmail", "-t", "-i"]

type WebhookContext = Pick<StartupContext, "loaded" | "network" | "home">

/** The failure is a sentence; so is what is reported of a message that did not arrive. */
export async function webhooksHere(
  where: WebhookContext,
  report: (text: string) => void,
): Promise<Result<readonly Webhook[], string>> {
  const { webhooks = [], url: page } = where.loaded.settings.server ?? {}
  if (page !== undefined && !isAddress(page)) return failed(`server.url is not an address: ${page}`)
  const hooks: Webhook[] = []
  for (const [at, settings] of webhooks.entries()) {
    const onFailure = (why: string): void => report(`server.webhooks[${at}]: ${why} The message is sent again later.`)
    const made =
      settings.mail === undefined
        ? await chatHook(settings, where, onFailure)
        : mailHook(settings.mail, settings, where, onFailure)
    if (!made.ok) return failed(`server.webhooks[${at}]${made.failure.startsWith(".") ? "" : ": "}${made.failure}`)
    hooks.push({ ...made.value, ...optional("for", settings.for) })
  }
  const twice = hooks.find(({ url }, at) => hooks.findIndex((other) => other.url === url) !== at)
  return twice ? failed("server.webhooks has the same address twice, with the same format and person.") : ok(hooks)
}

async function chatHook(
  settings: WebhookSettings,
  where: WebhookContext,
  onFailure: (why: string) => void,
): Promise<Result<Webhook, string>> {
  const { format = "json", allowPrivate = false } = settings
  const here = { env: where.loaded.env, home: where.home }
  const referred = await readSecret(settings, "url", here)
  if (!referred.ok) return referred
  const url = settings.url ?? referred.value
  if (url === undefined) return failed("set url, urlEnv, urlFile, urlHelper or mail.")
  // An address that is not in the settings is a secret.
  if (!isAddress(url)) return failed(`.url is not an address${settings.url === undefined ? "." : `: ${url}`}`)
  const secret = await secretOf(settings, here)
  if (!secret.ok) return secret
  const page = where.loaded.settings.server?.url
  const ntfy = placeAtNtfy(url)
  if (format === "ntfy" && !ntfy) return failed(`.url must end with the topic, as in https://ntfy.sh/<topic>`)
  const post = poster({ url: format === "ntfy" && ntfy ? ntfy.server : url, allowPrivate }, where.network)
  return ok({
    url: keyOf(url, settings),
    async send(letter, signal) {
      const body = JSON.stringify(bodyOf(letter, { format, page, topic: ntfy?.topic ?? "" }))
      const sent = await post(body, headersOf(letter, { format, secret: secret.value, body }), signal)
      if (!sent.ok && !signal.aborted) onFailure(sent.failure)
      return sent.ok
    },
  })
}

/** Only our own format needs one. */
async function secretOf(settings: WebhookSettings, places: SecretPlaces): Promise<Result<string | undefined, string>> {
  const { format = "json", secretFile, secretHelper } = settings
  if (format !== "json") return readSecret(settings, "secret", places)
  const { secretEnv = usualVariable } = settings
  const isUsual = secretFile === undefined && secretHelper === undefined
  if (isUsual && (places.env[secretEnv] ?? "") === "")
    return failed(
      `there is no secret for the signature. Set the variable ${secretEnv}, secretFile to a file with it, or secretHelper to a command that prints it.`,
    )
  return readSecret({ ...settings, secretEnv }, "secret", places)
}

function mailHook(
  to: string,
  { urlEnv, url, format }: WebhookSettings,
  where: WebhookContext,
  onFailure: (why: string) => void,
): Result<Webhook, string> {
  const { mail, url: page } = where.loaded.settings.server ?? {}
  if (url !== undefined || urlEnv !== undefined || format !== undefined)
    return failed("a webhook with mail has no url and no format.")
  if (!mail) return failed("to send mails, set server.mail.from and the program that sends them.")
  const { from, command = usualMailCommand }: MailSettings = mail
  if (command.length === 0) return failed("server.mail.command is empty.")
  const wrong = [to, from].find((each) => !isMailAddress(each))
  if (wrong !== undefined) return failed(`${JSON.stringify(wrong)} is not a mail address. Write it as ann@example.com.`)
  const env = childEnvironment(where.loaded.env)
  return ok({
    url: `mail://mail/#${digestOf(to)}`,
    async send(letter, signal) {
      const message = mailLetter(letter, page, { from, to, date: new Date(systemClock.now()) })
      const isSent = await sendMail({ command, env, clock: systemClock }, message, signal)
      if (!isSent && !signal.aborted) onFailure(`${command[0]} (server.mail.command) failed or was not found.`)
      return isSent
    },
  })
}

const isAddress = (url: string): boolean => /^https?:\/\//.test(url) && URL.canParse(url)

/** What the database knows it by. Addresses of chats are secrets, so only their hosts are in it. */
const keyOf = (url: string, { format = "json", for: reader }: WebhookSettings): string =>
  format === "json" && reader === undefined
    ? url
    : `https://${new URL(url).host}/#${digestOf([url, format, reader ?? ""])}`

function placeAtNtfy(url: string): { readonly server: string; readonly topic: string } | undefined {
  const [, server, topic] = /^(https?:\/\/[^?#]+\/)([\w-]{1,64})\/?$/.exec(url) ?? []
  return server !== undefined && topic !== undefined ? { server, topic } : undefined
}

function bodyOf(
  letter: Letter,
  {
    format,
    page,
    topic,
  }: {
    readonly format: NonNullable<WebhookSettings["format"]>
    readonly page: string | undefined
    readonly topic: string
  },
): object {
  switch (format) {
    case "json":
      return jsonLetter(letter, page)
    case "slack":
      return slackLetter(letter, page)
    case "discord":
      return discordLetter(letter, page)
    case "ntfy":
      return ntfyLetter(letter, page, topic)
  }
}

/** Ours are signed; ntfy takes an access token, and chats have the secret in their address. */
function headersOf(
  { delivery }: Letter,
  {
    format,
    secret,
    body,
  }: { readonly format: WebhookSettings["format"]; readonly secret: string | undefined; readonly body: string },
): Readonly<Record<string, string>> {
  if (format === "ntfy") return secret === undefined ? {} : { authorization: `Bearer ${secret}` }
  if (format !== "json" || secret === undefined) return {}
  const seconds = Math.floor(systemClock.now() / 1000)
  return {
    "codewright-delivery": delivery.id,
    "codewright-signature": `t=${seconds},v1=${signature(secret, seconds, body)}`,
  }
}

type Post = (
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Result<void, string>>

/** The address is resolved once and never redirected; it must be on the public internet unless the settings say otherwise. */
const poster =
  ({ url, allowPrivate }: { readonly url: string; readonly allowPrivate: boolean }, network: Network): Post =>
  async (body, headers, signal) => {
    const [{ post }, { guardedAddresses }] = await Promise.all([
      import("#ground/web/post.ts"),
      import("#ground/web/addresses.ts"),
    ])
    const late = new AbortController()
    const stop = systemClock.after(longestMs, () => late.abort())
    // Asked only about what is not on the public internet.
    let isRefused = false
    const allows = (): boolean => {
      isRefused = !allowPrivate
      return allowPrivate
    }
    const sent = await post(
      {
        clock: systemClock,
        network,
        purpose: { why: "webhook", chosenBy: "user" },
        policy: guardedAddresses(allows),
      },
      { url, body, headers, signal: AbortSignal.any([signal, late.signal]), mostBytes: mostAnswerBytes },
    )
    stop()
    // The rest of the address may be a secret.
    const { host } = new URL(url)
    if (isRefused)
      return failed(`${host} is not on the public internet. To send there, add "allowPrivate": true to the webhook.`)
    if (late.signal.aborted) return failed(`${host} does not answer.`)
    if (!sent.ok) return failed(`${sent.failure.replace(/\.$/, "")}.`)
    const { status } = sent.value
    return status >= 200 && status < 300 ? ok(undefined) : failed(`${host} answered with status ${status}.`)
  }
