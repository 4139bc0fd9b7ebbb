/** Where AWS credentials come from, in the order in which AWS's own tools look. */

import { failed, ok, type Result } from "#lib/result.ts"
import { objectIn } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { type AwsPlaces, type AwsProfile, profileName, readProfile } from "./aws-profile.ts"
import { askFor, type CommandParts, runCommand, stringsIn } from "./outside.ts"

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiresAt?: number
  /** For messages: `in AWS_ACCESS_KEY_ID`, `of the profile dev`. */
  readonly from: string
}

export interface AwsParts extends AwsPlaces {
  readonly command: CommandParts
}

type MaybeCredentials = Promise<Result<AwsCredentials, string> | undefined>

/** A failure says in sentences what is missing. */
export async function readAwsCredentials(parts: AwsParts): Promise<Result<AwsCredentials, string>> {
  const found =
    inVariables(parts) ?? (await inProfile(parts)) ?? (await inContainer(parts)) ?? (await onInstance(parts))
  return (
    found ??
    failed(
      "No AWS credentials were found. Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run aws configure.",
    )
  )
}

function inVariables({ env }: AwsParts): Result<AwsCredentials, string> | undefined {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = env
  if (!id && !secret) return undefined
  if (!id || !secret)
    return failed(`${id ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID"} is not set. Set both, or neither.`)
  return ok({
    accessKeyId: id,
    secretAccessKey: secret,
    ...(token && { sessionToken: token }),
    from: "in AWS_ACCESS_KEY_ID",
  })
}

async function inProfile(parts: AwsParts): MaybeCredentials {
  const name = profileName(parts)
  const profile = readProfile(parts)
  if (!profile) {
    if (parts.env["AWS_WEB_IDENTITY_TOKEN_FILE"]) return printed(exportCredentials, "of the web identity", parts)
    return parts.env["AWS_PROFILE"]
      ? failed(
          `The AWS profile ${name} is in neither ~/.aws/config nor ~/.aws/credentials. Change AWS_PROFILE, or run aws configure --profile ${name}.`,
        )
      : undefined
  }
  const from = `of the profile ${name}`
  const { aws_access_key_id: id, aws_secret_access_key: secret, credential_process: command } = profile
  if (profile["role_arn"] === undefined && id !== undefined && secret !== undefined)
    return ok({
      accessKeyId: id,
      secretAccessKey: secret,
      ...optional("sessionToken", profile["aws_session_token"]),
      from,
    })
  if (command !== undefined) return printed(splitCommand(command), from, parts)
  // Roles and single sign-on are work for AWS's own tool, which one needs to sign in anyway.
  if (needsTool(profile)) return printed([...exportCredentials, "--profile", name], from, parts)
  return undefined
}

const exportCredentials: readonly string[] = ["aws", "configure", "export-credentials"]

const needsTool = (profile: AwsProfile): boolean =>
  Object.keys(profile).some((key) => /^(?:role_arn|sso_|login_|web_identity_)/.test(key))

/** The words of a command line, with quotes; it is not given to a shell. */
export function splitCommand(command: string): readonly string[] {
  const words = command.matchAll(/(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*')+/g)
  return [...words].map(([word]) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_whole, double?: string, single?: string) =>
      double === undefined ? (single ?? "") : double.replaceAll(/\\(["\\])/g, "$1"),
    ),
  )
}

async function printed(argv: readonly string[], from: string, { command }: AwsParts): MaybeCredentials {
  const got = await runCommand(argv, command)
  if (!got.ok)
    return failed(
      `The AWS credentials ${from} could not be read: ${got.failure}. ${argv[0] === "aws" ? "Sign in again, for example with aws sso login." : "Check credential_process in ~/.aws/config."}`,
    )
  return (
    credentialsIn(got.value, from) ??
    failed(`The AWS credentials ${from} could not be read: ${argv[0]} printed no AccessKeyId and SecretAccessKey.`)
  )
}

/** Containers and instances call the token otherwise than commands do. */
function credentialsIn(text: string, from: string): Result<AwsCredentials, string> | undefined {
  const { AccessKeyId, SecretAccessKey, SessionToken, Token, Expiration } = stringsIn(objectIn(text) ?? {})
  if (AccessKeyId === undefined || SecretAccessKey === undefined) return undefined
  const expiresAt = Expiration === undefined ? NaN : Date.parse(Expiration)
  return ok({
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    ...optional("sessionToken", SessionToken ?? Token),
    ...(!Number.isNaN(expiresAt) && { expiresAt }),
    from,
  })
}

const local = { limitMs: 1_000, way: "direct" } as const

/** Of a task on ECS, or of a pod on EKS. */
async function inContainer({ env, command }: AwsParts): MaybeCredentials {
  const relative = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"]
  const url = relative ? `http://169.254.170.2${relative}` : env["AWS_CONTAINER_CREDENTIALS_FULL_URI"]
  if (!url) return undefined
  const file = env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]
  const token = file ? (await Bun.file(file).text()).trim() : env["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
  const got = await askFor(url, { ...local, headers: { ...(token && { authorization: token }) } }, command)
  const from = "of the container"
  const found = got.ok ? credentialsIn(got.value, from) : undefined
  return found ?? failed(`The AWS credentials ${from} could not be read: ${got.ok ? "there are none" : got.failure}.`)
}

/** Of an instance on EC2. Elsewhere nobody answers, which says nothing. */
async function onInstance({ env, command }: AwsParts): MaybeCredentials {
  if (/^true$/i.test(env["AWS_EC2_METADATA_DISABLED"] ?? "")) return undefined
  const base = (env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || "http://169.254.169.254").replace(/\/+$/, "")
  const seconds = { "x-aws-ec2-metadata-token-ttl-seconds": "21600" }
  const token = await askFor(`${base}/latest/api/token`, { method: "PUT", headers: seconds, ...local }, command)
  if (!token.ok) return undefined
  const asked = { headers: { "x-aws-ec2-metadata-token": token.value }, ...local }
  const place = `${base}/latest/meta-data/iam/security-credentials/`
  const role = await askFor(place, asked, command)
  const got = role.ok ? await askFor(place + role.value.trim(), asked, command) : role
  return got.ok ? credentialsIn(got.value, "of this instance") : undefined
}
