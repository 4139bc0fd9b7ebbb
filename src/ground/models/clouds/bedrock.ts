/** Claude on Amazon Bedrock: the Messages API with the model in the path, signed, and framed as an event stream. */

import { openMessages } from "#ground/models/anthropic/messages.ts"
import type { EnvelopeParts, Dialect, Envelope } from "#ground/models/anthropic/request.ts"
import type { Credential, UnsignedRequest } from "#ground/models/credential.ts"
import type { HttpRefusal, Voice } from "#ground/models/failure.ts"
import type { Address } from "#ground/models/port.ts"
import type { PortParts, ProviderPort } from "#ground/models/provider.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type AwsCredentials, readAwsCredentials } from "./aws-credentials.ts"
import { type AwsPlaces, readRegion } from "./aws-profile.ts"
import { bedrockFramings } from "./event-stream.ts"
import { type CredentialCache, openCredentialCache } from "./credential-cache.ts"
import { gatewayErrorWords } from "./gateway-error-words.ts"
import { bedrockId, withWindow } from "./model-ids.ts"

export interface BedrockChoice extends AwsPlaces, Pick<Address, "headers" | "secrets" | "soon"> {
  readonly baseUrl?: string
  /** A gateway signs for us. */
  readonly skipAuth: boolean
  /** The token of `AWS_BEARER_TOKEN_BEDROCK`, which makes a signature unnecessary. */
  readonly bearer?: string
  /** The environment of commands. */
  readonly commandEnv: () => { readonly [name: string]: string }
  /** Runs the command of `awsAuthRefresh`. */
  readonly renew?: () => Promise<Result<unknown, string>>
}

/** Why no request can be sent. */
export function bedrockProblem(choice: BedrockChoice): string | undefined {
  return regionOf(choice) === undefined
    ? "No AWS region is set for Amazon Bedrock. Set AWS_REGION, such as us-east-1, or add a region to your profile in ~/.aws/config."
    : undefined
}

/** A gateway that signs for us chooses the region itself. */
const regionOf = (choice: BedrockChoice): string | undefined =>
  readRegion(choice) || (choice.baseUrl !== undefined && choice.skipAuth ? "us-east-1" : undefined)

export function openBedrock(choice: BedrockChoice, dialect: Dialect, parts: PortParts): Result<ProviderPort, string> {
  const region = regionOf(choice)
  if (region === undefined) return failed(bedrockProblem(choice) ?? "")
  const { baseUrl = addressIn(region), headers, secrets, soon } = choice
  const keys = openKeys(choice, parts)
  const address: Address = {
    name: "bedrock",
    baseUrl,
    // The version goes into the body, and one in a header would be in its way.
    formatHeaders: {},
    credential: credentialOf(choice, keys, { region, clock: parts.clock }),
    refine: refineRefusal,
    voice: voiceOf(choice, keys),
    ...(headers && { headers }),
    ...(secrets && { secrets }),
    ...(soon && { soon }),
  }
  const idOf = (model: string): string => withWindow(dialect.idOf(model), (id) => bedrockId(id, region))
  return ok(openMessages(address, { ...dialect, idOf, envelope }, parts, bedrockFramings))
}

const addressIn = (region: string): string =>
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`

function envelope({ id, delivery, betas }: EnvelopeParts): Envelope {
  return {
    fields: { anthropic_version: "bedrock-2023-05-31", ...(betas.length > 0 && { anthropic_beta: betas }) },
    path: `/model/${encodeURIComponent(id)}/${delivery === "stream" ? "invoke-with-response-stream" : "invoke"}`,
    headers: [],
  }
}

function openKeys(choice: BedrockChoice, { clock, network }: PortParts): CredentialCache<AwsCredentials> {
  const { commandEnv, renew } = choice
  return openCredentialCache(async (why) => {
    const renewed = why === "refused" ? await renew?.() : undefined
    if (renewed && !renewed.ok) return renewed
    const read = await readAwsCredentials({ ...choice, command: { env: commandEnv(), clock, network } })
    if (read.ok || why === "refused" || !renew) return read
    // Those that expired may be gone altogether.
    const brought = await renew()
    return brought.ok ? readAwsCredentials({ ...choice, command: { env: commandEnv(), clock, network } }) : brought
  }, clock)
}

function credentialOf(
  { bearer, skipAuth }: BedrockChoice,
  keys: CredentialCache<AwsCredentials>,
  place: { readonly region: string; readonly clock: Clock },
): Credential {
  if (skipAuth) return { headers: () => Promise.resolve(ok({})) }
  if (bearer !== undefined) return { headers: () => Promise.resolve(ok({ authorization: `Bearer ${bearer}` })) }
  return {
    headers: () => Promise.resolve(ok({})),
    refresh: keys.refresh,
    async sign(request, signal) {
      const got = await keys.get(signal)
      return got.ok ? ok(await signed(request, got.value, place)) : got
    },
    secrets() {
      const kept = keys.kept()
      return kept ? [kept.secretAccessKey, ...(kept.sessionToken === undefined ? [] : [kept.sessionToken])] : []
    },
  }
}

async function signed(
  { url, headers, body }: UnsignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, clock }: { readonly region: string; readonly clock: Clock },
): Promise<Headers> {
  const { AwsV4Signer } = await import("aws4fetch")
  const signer = new AwsV4Signer({
    method: "POST",
    url,
    headers,
    body,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service: "bedrock",
    region,
    datetime: new Date(clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
  })
  return (await signer.sign()).headers
}

function voiceOf({ bearer, skipAuth }: BedrockChoice, keys: CredentialCache<AwsCredentials>): Voice {
  if (skipAuth) return gatewayErrorWords("Amazon Bedrock", "CLAUDE_CODE_SKIP_BEDROCK_AUTH")
  return {
    who: "Amazon Bedrock",
    noKey: (why) => why,
    key: () =>
      bearer === undefined
        ? {
            which: `The AWS key ${keys.kept()?.from ?? "for Amazon Bedrock"}`,
            advice: "Renew it, for example with aws sso login, or set awsAuthRefresh to the command that does.",
          }
        : { which: "The token in AWS_BEARER_TOKEN_BEDROCK", advice: "Change or unset the variable." },
  }
}

/** Errors by their names at AWS: what is wrong with the credentials, and what passes. */
const credentialErrors =
  /^(?:ExpiredToken|UnrecognizedClient|InvalidSignature|IncompleteSignature|InvalidClientTokenId|MissingAuthenticationToken|NotAuthorized|RequestExpired|SignatureDoesNotMatch)/

const modelErrors = /model identifier is invalid|on-demand throughput|access to the model/i
const otherModel =
  "Set ANTHROPIC_MODEL to an inference profile that your account may use; aws bedrock list-inference-profiles shows them."

export function refineRefusal(refusal: Omit<HttpRefusal, "voice">): Omit<HttpRefusal, "voice"> {
  const { status, headers, message } = refusal
  const name = headers.get("x-amzn-errortype")?.split(":")[0] ?? ""
  if (
    credentialErrors.test(name) ||
    (status === 403 && /security token|api key is|authentication failed/i.test(message))
  )
    return { ...refusal, names: [...refusal.names, "authentication_error"] }
  if (name.startsWith("ServiceQuotaExceeded")) return { ...refusal, status: 429 }
  if (name.startsWith("ServiceUnavailable")) return { ...refusal, names: [...refusal.names, "overloaded_error"] }
  return modelErrors.test(message) ? { ...refusal, message: `${message} ${otherModel}` } : refusal
}
