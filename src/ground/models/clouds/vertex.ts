/** Claude on Google Vertex AI: the Messages API with project, region and model in the path, and a token of Google's. */

import { openMessages } from "#ground/models/anthropic/messages.ts"
import { type EnvelopeParts, betaHeaders, type Dialect, type Envelope } from "#ground/models/anthropic/request.ts"
import type { Credential } from "#ground/models/credential.ts"
import type { Voice } from "#ground/models/failure.ts"
import type { Address } from "#ground/models/port.ts"
import type { PortParts, ProviderPort } from "#ground/models/provider.ts"
import { onceEach } from "#lib/once-each.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { CloudEnvironment } from "./aws-profile.ts"
import { type CredentialCache, openCredentialCache } from "./credential-cache.ts"
import { gatewayErrorWords } from "./gateway-error-words.ts"
import { type GoogleToken, readGoogleToken } from "./google-token.ts"
import { variableKey, vertexId, withWindow } from "./model-ids.ts"

export interface VertexChoice extends Pick<Address, "headers" | "secrets" | "soon"> {
  readonly env: CloudEnvironment
  readonly home: string
  readonly project?: string
  readonly region?: string
  readonly baseUrl?: string
  /** A gateway adds the token. */
  readonly skipAuth: boolean
  readonly commandEnv: () => { readonly [name: string]: string }
}

/** Why no request can be sent. */
export function vertexProblem({ project, region }: VertexChoice): string | undefined {
  if (project === undefined)
    return "No project is set for Google Vertex AI. Set ANTHROPIC_VERTEX_PROJECT_ID to the id of your Google Cloud project."
  return region === undefined
    ? "No region is set for Google Vertex AI. Set CLOUD_ML_REGION, such as global or us-east5."
    : undefined
}

export function openVertex(choice: VertexChoice, dialect: Dialect, parts: PortParts): Result<ProviderPort, string> {
  const { project, region, skipAuth, env, commandEnv, headers, secrets, soon } = choice
  if (project === undefined || region === undefined) return failed(vertexProblem(choice) ?? "")
  const command = { env: commandEnv(), clock: parts.clock, network: parts.network }
  const credential = credentialOf(
    openCredentialCache(() => readGoogleToken({ ...choice, command }), parts.clock),
    skipAuth,
  )
  const idOf = (model: string): string => withWindow(dialect.idOf(model), vertexId)
  const exceptions = regionsByModel(env)
  const regionOf = (model: string): string => exceptions.get(variableKey(idOf(model))) ?? region

  // Each region has a host of its own.
  const portIn = onceEach((place) => {
    const address: Address = {
      name: "vertex",
      baseUrl: choice.baseUrl ?? addressIn(place),
      // The version goes into the body.
      formatHeaders: {},
      credential,
      voice: skipAuth ? gatewayErrorWords(voice.who, "CLAUDE_CODE_SKIP_VERTEX_AUTH") : voice,
      ...(headers && { headers }),
      ...(secrets && { secrets }),
      ...(soon && { soon }),
    }
    return openMessages(address, { ...dialect, idOf, envelope: envelopeIn(project, place) }, parts)
  })
  const main = portIn(region)
  const ports = new Set([main])
  return ok({
    ...main,
    attempt(request, signal) {
      const port = portIn(regionOf(request.model))
      ports.add(port)
      return port.attempt(request, signal)
    },
    secrets: () => [...ports].flatMap((port) => port.secrets()),
    close: () => ports.forEach((port) => port.close()),
  })
}

function addressIn(region: string): string {
  if (region === "global") return "https://aiplatform.googleapis.com/v1"
  // Several regions together.
  if (region === "us" || region === "eu") return `https://aiplatform.${region}.rep.googleapis.com/v1`
  return `https://${region}-aiplatform.googleapis.com/v1`
}

const envelopeIn =
  (project: string, region: string) =>
  ({ id, delivery, betas }: EnvelopeParts): Envelope => {
    const streams = delivery === "stream"
    const models = `/projects/${encodeURIComponent(project)}/locations/${region}/publishers/anthropic/models`
    return {
      fields: { anthropic_version: "vertex-2023-10-16", stream: streams },
      path: `${models}/${encodeURIComponent(id).replaceAll("%40", "@")}:${streams ? "streamRawPredict" : "rawPredict"}`,
      headers: betaHeaders(betas),
    }
  }

/** From variables such as `VERTEX_REGION_CLAUDE_4_5_SONNET`. */
function regionsByModel(env: CloudEnvironment): ReadonlyMap<string, string> {
  const prefix = "VERTEX_REGION_CLAUDE_"
  return new Map(
    Object.entries(env).flatMap(([name, region]) =>
      name.startsWith(prefix) && region ? [[variableKey(name.slice(prefix.length)), region] as const] : [],
    ),
  )
}

function credentialOf(tokens: CredentialCache<GoogleToken>, skipAuth: boolean): Credential {
  if (skipAuth) return { headers: () => Promise.resolve(ok({})) }
  return {
    async headers(signal) {
      const got = await tokens.get(signal)
      if (!got.ok) return got
      const { token, quotaProject } = got.value
      return ok({
        authorization: `Bearer ${token}`,
        ...(quotaProject !== undefined && { "x-goog-user-project": quotaProject }),
      })
    },
    refresh: tokens.refresh,
  }
}

const voice: Voice = {
  who: "Google Vertex AI",
  noKey: (why) => why,
  key: () => ({
    which: "The token for Google Cloud",
    advice: "Run gcloud auth application-default login, or check GOOGLE_APPLICATION_CREDENTIALS.",
  }),
}
