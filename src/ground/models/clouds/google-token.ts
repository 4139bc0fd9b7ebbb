/** Access tokens for Google Cloud, from application default credentials. */

import { createSign } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { CloudEnvironment } from "./aws-profile.ts"
import { askFor, type CommandParts, form, runCommand, stringsIn } from "./outside.ts"

export interface GoogleToken {
  readonly token: string
  readonly expiresAt?: number
  /** The project that pays, where the credentials name one. */
  readonly quotaProject?: string
}

export interface GoogleParts {
  readonly env: CloudEnvironment
  readonly home: string
  readonly command: CommandParts
}

const scope = "https://www.googleapis.com/auth/cloud-platform"
const tokenAddress = "https://oauth2.googleapis.com/token"
const limitMs = 30_000
const metadataMs = 1_000
const signIn = "Run gcloud auth application-default login."

/** A failure says in sentences what is missing. */
export async function readGoogleToken(parts: GoogleParts): Promise<Result<GoogleToken, string>> {
  const file = readCredentials(parts)
  if (file) return file.ok ? fromFile(file.value, parts) : file
  return (await fromMetadata(parts)) ?? fromTool(["gcloud", "auth", "print-access-token"], parts)
}

interface CredentialsFile {
  readonly path: string
  readonly fields: { readonly [name: string]: string | undefined }
}

/** Undefined if there is no file, and none was named. */
function readCredentials({ env, home }: GoogleParts): Result<CredentialsFile, string> | undefined {
  const named = env["GOOGLE_APPLICATION_CREDENTIALS"]
  const folder = env["CLOUDSDK_CONFIG"] || join(home, ".config/gcloud")
  const path = named || join(folder, "application_default_credentials.json")
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return named
      ? failed(`GOOGLE_APPLICATION_CREDENTIALS names ${path}, which cannot be read. Change or unset it.`)
      : undefined
  }
  const fields = objectIn(text)
  return fields ? ok({ path, fields: stringsIn(fields) }) : failed(`${path} is not JSON. ${signIn}`)
}

async function fromFile({ path, fields }: CredentialsFile, parts: GoogleParts): Promise<Result<GoogleToken, string>> {
  const { clock } = parts.command
  const quota = optional("quotaProject", fields["quota_project_id"])
  switch (fields["type"]) {
    case "service_account": {
      const assertion = assertionOf(fields, clock)
      if (!assertion.ok)
        return failed(`${path} cannot be used: ${assertion.failure}. Download the key of the service account again.`)
      const grant = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: assertion.value }
      return exchange(fields["token_uri"], grant, { path, command: parts.command })
    }
    case "authorized_user": {
      const { client_id = "", client_secret = "", refresh_token = "" } = fields
      const grant = { grant_type: "refresh_token", client_id, client_secret, refresh_token }
      const got = await exchange(fields["token_uri"], grant, { path, command: parts.command })
      return got.ok ? ok({ ...got.value, ...quota }) : got
    }
    default: {
      const got = await fromTool(["gcloud", "auth", "application-default", "print-access-token"], parts)
      return got.ok ? ok({ ...got.value, ...quota }) : got
    }
  }
}

async function exchange(
  address: string | undefined,
  fields: { readonly [name: string]: string },
  { path, command }: { readonly path: string; readonly command: CommandParts },
): Promise<Result<GoogleToken, string>> {
  const got = await askFor(address ?? tokenAddress, { ...form(fields), limitMs }, command)
  if (!got.ok) return failed(`No token could be had with ${path}: ${got.failure}. ${signIn}`)
  return (
    tokenIn(got.value, command.clock) ?? failed(`No token could be had with ${path}: the answer has none. ${signIn}`)
  )
}

function tokenIn(text: string, clock: Clock): Result<GoogleToken, string> | undefined {
  const { access_token: token, expires_in: seconds } = objectIn(text) ?? {}
  if (typeof token !== "string" || token === "") return undefined
  return ok({ token, ...(typeof seconds === "number" && { expiresAt: clock.now() + seconds * 1000 }) })
}

/** What a service account asks with: a statement about itself, signed with its key. */
function assertionOf(
  { client_email, private_key, private_key_id, token_uri = tokenAddress }: CredentialsFile["fields"],
  clock: Clock,
): Result<string, string> {
  if (client_email === undefined || private_key === undefined) return failed("it has no client_email or private_key")
  const now = Math.floor(clock.now() / 1000)
  const head = { alg: "RS256", typ: "JWT", ...optional("kid", private_key_id) }
  const claims = { iss: client_email, scope, aud: token_uri, iat: now, exp: now + 3600 }
  const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")
  try {
    return ok(`${text}.${createSign("RSA-SHA256").update(text).sign(private_key, "base64url")}`)
  } catch {
    return failed("its private_key is not a key in PEM")
  }
}

/** Of a machine on Google Cloud. Elsewhere nobody answers, which says nothing. */
async function fromMetadata({ env, command }: GoogleParts): Promise<Result<GoogleToken, string> | undefined> {
  const host = env["GCE_METADATA_HOST"] || "metadata.google.internal"
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`
  const got = await askFor(
    url,
    { headers: { "metadata-flavor": "Google" }, limitMs: metadataMs, way: "direct" },
    command,
  )
  return got.ok ? tokenIn(got.value, command.clock) : undefined
}

/** Tokens that it prints are good for an hour when new, and it says nothing about how old they are. */
const printedMs = 10 * 60_000

async function fromTool(argv: readonly string[], { command }: GoogleParts): Promise<Result<GoogleToken, string>> {
  const got = await runCommand(argv, command)
  const token = got.ok ? got.value.trim() : ""
  if (token !== "") return ok({ token, expiresAt: command.clock.now() + printedMs })
  const why = got.ok ? "gcloud printed no token" : got.failure
  return failed(`No Google Cloud credentials were found (${why}). ${signIn} Or set GOOGLE_APPLICATION_CREDENTIALS.`)
}
