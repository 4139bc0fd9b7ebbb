/** AWS credentials: where they are looked for, in which order, and what is said when there are none. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { mkdirSync, writeFileSync } from "node:fs"
import { type AwsCredentials, readAwsCredentials, splitCommand } from "#ground/models/clouds/aws-credentials.ts"
import { readRegion } from "#ground/models/clouds/aws-profile.ts"
import type { Result } from "#lib/result.ts"
import { nowhere } from "../../../../kit/clouds.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../../kit/tmp.ts"
import { mockServer } from "./mock-server.ts"
import { installTools, type Tools } from "./tools.ts"

function home(folder: TemporaryFolder, files: { readonly config?: string; readonly credentials?: string }): void {
  mkdirSync(folder.join(".aws"), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.join(".aws", name), text)
}

const read = (
  folder: TemporaryFolder,
  env: { readonly [name: string]: string } = {},
  tools: Tools = installTools(folder, {}),
): Promise<Result<AwsCredentials, string>> =>
  readAwsCredentials({ env: { ...nowhere, ...env }, home: folder.path, command: tools.command })

const json = (more: object = {}): string =>
  JSON.stringify({ Version: 1, AccessKeyId: "AK", SecretAccessKey: "SK", ...more })

test("variables come before a profile, and are complete or wrong", async () => {
  using folder = temporaryFolder()
  home(folder, { credentials: "[default]\naws_access_key_id = P\naws_secret_access_key = PS\n" })
  const both = { AWS_ACCESS_KEY_ID: "AK", AWS_SECRET_ACCESS_KEY: "SK" }
  const from = "in AWS_ACCESS_KEY_ID"
  expect(await read(folder, both)).toEqual({ ok: true, value: { accessKeyId: "AK", secretAccessKey: "SK", from } })
  expect(await read(folder, { ...both, AWS_SESSION_TOKEN: "T" })).toMatchObject({ value: { sessionToken: "T" } })
  expect(await read(folder, { AWS_ACCESS_KEY_ID: "AK" })).toEqual({
    ok: false,
    failure: "AWS_SECRET_ACCESS_KEY is not set. Set both, or neither.",
  })
})

test("a profile has its keys in either file, and its region in the config", async () => {
  using folder = temporaryFolder()
  home(folder, {
    config:
      '# mine\n[default]\nregion=eu-west-1\n[profile "dev"]\nregion = us-west-2\ns3 =\n  region = x\n[profile other]\naws_access_key_id=O\naws_secret_access_key=OS\naws_session_token=OT\n',
    credentials:
      "[default]\naws_access_key_id = D\naws_secret_access_key = a/b+c=d\n\n[dev]\naws_access_key_id=V\naws_secret_access_key=VS\n",
  })
  expect(await read(folder)).toEqual({
    ok: true,
    value: { accessKeyId: "D", secretAccessKey: "a/b+c=d", from: "of the profile default" },
  })
  expect(await read(folder, { AWS_PROFILE: "dev" })).toMatchObject({ value: { accessKeyId: "V" } })
  expect(await read(folder, { AWS_PROFILE: "other" })).toMatchObject({
    value: { accessKeyId: "O", sessionToken: "OT" },
  })
  expect(await read(folder, { AWS_PROFILE: "nobody" })).toEqual({
    ok: false,
    failure:
      "The AWS profile nobody is in neither ~/.aws/config nor ~/.aws/credentials. Change AWS_PROFILE, or run aws configure --profile nobody.",
  })
  const region = (env: { readonly [name: string]: string }): string | undefined =>
    readRegion({ env, home: folder.path })
  expect([region({}), region({ AWS_PROFILE: "dev" }), region({ AWS_PROFILE: "other" })]).toEqual([
    "eu-west-1",
    "us-west-2",
    undefined,
  ])
  expect(region({ AWS_PROFILE: "dev", AWS_DEFAULT_REGION: "a", AWS_REGION: "b" })).toBe("b")
})

test("credential_process is run without a shell, and with its quotes", async () => {
  using folder = temporaryFolder()
  const tools = installTools(folder, {
    vault: `cat <<'END'\n${json({ SessionToken: "T", Expiration: "2026-11-18T03:00:00Z" })}\nEND`,
  })
  home(folder, { config: "[default]\ncredential_process = vault get 'one two' \"$HOME; touch x\"\n" })
  expect(await read(folder, {}, tools)).toEqual({
    ok: true,
    value: {
      accessKeyId: "AK",
      secretAccessKey: "SK",
      sessionToken: "T",
      expiresAt: Date.parse("2026-11-18T03:00:00Z"),
      from: "of the profile default",
    },
  })
  expect(tools.calls()).toEqual(["vault get one two $HOME; touch x"])
  const broken = installTools(folder, { vault: "echo locked >&2; exit 3" })
  expect(await read(folder, {}, broken)).toEqual({
    ok: false,
    failure:
      "The AWS credentials of the profile default could not be read: vault ended with code 3: locked. Check credential_process in ~/.aws/config.",
  })
})

test("the words of a command line are those that were written", () => {
  const word = fc.string({ unit: fc.constantFrom("a", " ", "'", "$", ";", "=", "/") }).filter((text) => text !== "")
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      expect(splitCommand(words.map((each) => `"${each}"`).join("  "))).toEqual(words)
    }),
  )
  expect(splitCommand(`/opt/a --x=y "q \\"w\\"" 'e r't`)).toEqual(["/opt/a", "--x=y", 'q "w"', "e rt"])
})

test("roles and single sign-on are read by AWS's own tool", async () => {
  using folder = temporaryFolder()
  const config =
    "[profile dev]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\n[profile work]\nsso_session = s\n"
  home(folder, { config })
  const tools = installTools(folder, { aws: `echo '${json()}'` })
  expect(await read(folder, { AWS_PROFILE: "dev" }, tools)).toMatchObject({ value: { accessKeyId: "AK" } })
  expect(await read(folder, { AWS_PROFILE: "work" }, tools)).toMatchObject({ value: { from: "of the profile work" } })
  expect(await read(folder, { AWS_WEB_IDENTITY_TOKEN_FILE: "/x" }, tools)).toMatchObject({ ok: true })
  expect(tools.calls()).toEqual([
    "aws configure export-credentials --profile dev",
    "aws configure export-credentials --profile work",
    "aws configure export-credentials",
  ])
  const expired = installTools(folder, { aws: "echo 'The SSO session has expired' >&2; exit 255" })
  expect(await read(folder, { AWS_PROFILE: "work" }, expired)).toEqual({
    ok: false,
    failure:
      "The AWS credentials of the profile work could not be read: aws ended with code 255: The SSO session has expired. Sign in again, for example with aws sso login.",
  })
})

test("containers and instances are asked over HTTP", async () => {
  using folder = temporaryFolder()
  await using server = mockServer(({ path, method, headers }) => {
    if (path === "/container")
      return new Response(headers.get("authorization") === "of the pod" ? json({ Token: "C" }) : "{}")
    if (path === "/latest/api/token")
      return new Response(method === "PUT" ? "session" : "no", { status: method === "PUT" ? 200 : 405 })
    if (headers.get("x-aws-ec2-metadata-token") !== "session") return new Response("", { status: 401 })
    const list = "/latest/meta-data/iam/security-credentials/"
    return new Response(path === list ? "the-role\n" : path === `${list}the-role` ? json({ Token: "I" }) : "", {
      status: 200,
    })
  })
  const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${server.url}/container` }
  writeFileSync(folder.join("token"), "of the pod\n")
  const token = { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: folder.join("token") }
  expect(await read(folder, { ...container, ...token })).toMatchObject({
    value: { sessionToken: "C", from: "of the container" },
  })
  expect(await read(folder, container)).toEqual({
    ok: false,
    failure: "The AWS credentials of the container could not be read: there are none.",
  })
  const instance = { AWS_EC2_METADATA_DISABLED: "", AWS_EC2_METADATA_SERVICE_ENDPOINT: `${server.url}/` }
  expect(await read(folder, instance)).toMatchObject({ value: { sessionToken: "I", from: "of this instance" } })
  expect(await read(folder)).toEqual({
    ok: false,
    failure:
      "No AWS credentials were found. Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run aws configure.",
  })
})
