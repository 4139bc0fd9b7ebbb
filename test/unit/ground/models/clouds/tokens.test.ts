/** Tokens of Google and Microsoft: what they are asked for with, how long they are kept, and what is said without one. */

import { expect, test } from "bun:test"
import { createVerify, generateKeyPairSync } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { readEntraToken } from "#ground/models/clouds/entra-token.ts"
import { openCredentialCache } from "#ground/models/clouds/credential-cache.ts"
import { type GoogleToken, readGoogleToken } from "#ground/models/clouds/google-token.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { nowhere } from "../../../../kit/clouds.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../../kit/tmp.ts"
import { fakeClock } from "../fake-clock.ts"
import { mockServer } from "./mock-server.ts"
import { installTools, type Tools } from "./tools.ts"

const defaults = ".config/gcloud/application_default_credentials.json"

function keep(folder: TemporaryFolder, path: string, value: object): string {
  const whole = folder.join(path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, JSON.stringify(value))
  return whole
}

const google = (
  folder: TemporaryFolder,
  env: { readonly [name: string]: string } = {},
  { command }: Tools = installTools(folder, {}),
): Promise<Result<GoogleToken, string>> => readGoogleToken({ env: { ...nowhere, ...env }, home: folder.path, command })

test("a service account signs what it asks for", async () => {
  using folder = temporaryFolder()
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  await using server = mockServer(({ body }) => {
    const fields = new URLSearchParams(body)
    const [head = "", claims = "", signature = ""] = (fields.get("assertion") ?? "").split(".")
    const isSigned = createVerify("RSA-SHA256").update(`${head}.${claims}`).verify(publicKey, signature, "base64url")
    const said = JSON.parse(Buffer.from(claims, "base64url").toString()) as { iat: number; exp: number }
    expect(fields.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer")
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ alg: "RS256", typ: "JWT", kid: "k1" })
    expect(said).toMatchObject({
      iss: "a@b.c",
      aud: server.url,
      scope: "https://www.googleapis.com/auth/cloud-platform",
    })
    expect(said.exp - said.iat).toBe(3600)
    return Response.json(isSigned ? { access_token: "T", expires_in: 3599 } : {}, { status: isSigned ? 200 : 400 })
  })
  const account = {
    type: "service_account",
    client_email: "a@b.c",
    private_key_id: "k1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: server.url,
  }
  const path = keep(folder, "key.json", account)
  const now = Date.now()
  const got = await google(folder, { GOOGLE_APPLICATION_CREDENTIALS: path })
  expect(got).toMatchObject({ ok: true, value: { token: "T" } })
  expect((got.ok && got.value.expiresAt) || 0).toBeGreaterThan(now + 3_500_000)
  keep(folder, "key.json", { ...account, private_key: "none" })
  expect(await google(folder, { GOOGLE_APPLICATION_CREDENTIALS: path })).toEqual({
    ok: false,
    failure: `${path} cannot be used: its private_key is not a key in PEM. Download the key of the service account again.`,
  })
  expect(await google(folder, { GOOGLE_APPLICATION_CREDENTIALS: "/nonexistent/x" })).toEqual({
    ok: false,
    failure: "GOOGLE_APPLICATION_CREDENTIALS names /nonexistent/x, which cannot be read. Change or unset it.",
  })
})

test("a user's credentials are exchanged, and one that expired says how to sign in", async () => {
  using folder = temporaryFolder()
  let status = 200
  await using server = mockServer(() =>
    status === 200
      ? Response.json({ access_token: "U", expires_in: 3599 })
      : Response.json({ error: "invalid_grant", error_description: "Bad Request" }, { status }),
  )
  const user = { client_id: "i", client_secret: "s", refresh_token: "r", quota_project_id: "payer" }
  const path = keep(folder, defaults, { type: "authorized_user", ...user, token_uri: server.url })
  expect(await google(folder)).toMatchObject({ value: { token: "U", quotaProject: "payer" } })
  expect(server.asked[0]?.body).toBe("grant_type=refresh_token&client_id=i&client_secret=s&refresh_token=r")
  status = 400
  const host = new URL(server.url).host
  expect(await google(folder)).toEqual({
    ok: false,
    failure: `No token could be had with ${path}: ${host} answered 400 (Bad Request). Run gcloud auth application-default login.`,
  })
})

test("without a file, the machine is asked, then gcloud; other kinds of files are gcloud's work", async () => {
  using folder = temporaryFolder()
  await using server = mockServer(({ headers }) =>
    headers.get("metadata-flavor") === "Google"
      ? Response.json({ access_token: "M", expires_in: 100, token_type: "Bearer" })
      : new Response("", { status: 403 }),
  )
  const host = { GCE_METADATA_HOST: new URL(server.url).host }
  expect(await google(folder, host)).toMatchObject({ value: { token: "M" } })
  expect(server.asked[0]?.path).toBe("/computeMetadata/v1/instance/service-accounts/default/token")
  const tools = installTools(folder, { gcloud: "echo G" })
  expect(await google(folder, {}, tools)).toMatchObject({ value: { token: "G" } })
  keep(folder, defaults, { type: "external_account", audience: "x" })
  expect(await google(folder, {}, tools)).toMatchObject({ value: { token: "G" } })
  expect(tools.calls()).toEqual([
    "gcloud auth print-access-token",
    "gcloud auth application-default print-access-token",
  ])
  using empty = temporaryFolder()
  expect(await google(empty, {}, { ...tools, command: { ...tools.command, env: { PATH: "/nonexistent" } } })).toEqual({
    ok: false,
    failure:
      "No Google Cloud credentials were found (gcloud is not installed). Run gcloud auth application-default login. Or set GOOGLE_APPLICATION_CREDENTIALS.",
  })
})

test("Entra: of an application, or of the user who is signed in", async () => {
  using folder = temporaryFolder()
  await using server = mockServer(({ body }) =>
    new URLSearchParams(body).get("client_secret") === "s"
      ? Response.json({ access_token: "E", expires_in: 3599 })
      : Response.json({ error: "invalid_client", error_description: "AADSTS7000215: wrong secret." }, { status: 401 }),
  )
  const tools = installTools(folder, { az: `echo '{"accessToken":"Z","expires_on":1800000000}'` })
  const app = { AZURE_TENANT_ID: "t", AZURE_CLIENT_ID: "c", AZURE_CLIENT_SECRET: "s", AZURE_AUTHORITY_HOST: server.url }
  expect(await readEntraToken({ env: app, command: tools.command })).toMatchObject({ value: { token: "E" } })
  expect(server.asked[0]).toMatchObject({ path: "/t/oauth2/v2.0/token" })
  expect(server.asked[0]?.body).toContain("scope=https%3A%2F%2Fai.azure.com%2F.default")
  expect(tools.calls()).toEqual([])
  const wrong = await readEntraToken({ env: { ...app, AZURE_CLIENT_SECRET: "x" }, command: tools.command })
  expect(wrong).toMatchObject({
    failure: expect.stringMatching(
      /answered 401 \(AADSTS7000215: wrong secret\.\)\. Check AZURE_TENANT_ID, AZURE_CLIENT_ID/,
    ),
  })
  expect(await readEntraToken({ env: {}, command: tools.command })).toEqual({
    ok: true,
    value: { token: "Z", expiresAt: 1_800_000_000_000 },
  })
  expect(tools.calls()).toEqual(["az account get-access-token --scope https://ai.azure.com/.default --output json"])
  const none = { ...tools.command, env: { PATH: "/nonexistent" } }
  expect(await readEntraToken({ env: {}, command: none })).toEqual({
    ok: false,
    failure:
      "No key for Microsoft Foundry was found (az is not installed). Set ANTHROPIC_FOUNDRY_API_KEY, or run az login.",
  })
})

test("what expires is read again shortly before, and by all who wait together once", async () => {
  const clock = fakeClock()
  const { signal } = new AbortController()
  const reasons: string[] = []
  const expiring = openCredentialCache(async (why) => {
    reasons.push(why)
    await Bun.sleep(1)
    return ok({ number: reasons.length, expiresAt: clock.now() + 600_000 })
  }, clock)
  const numbers = async (): Promise<unknown> =>
    (await Promise.all([expiring.get(signal), expiring.get(signal)])).map((each) => each.ok && each.value.number)
  expect(await numbers()).toEqual([1, 1])
  clock.advance(400_000)
  expect(await numbers()).toEqual([1, 1])
  clock.advance(100_000)
  expect(await numbers()).toEqual([2, 2])
  expect(await expiring.refresh(signal)).toMatchObject({ value: { number: 3 } })
  expect(reasons).toEqual(["needed", "needed", "refused"])
})

test("a failure is not kept, and whoever is interrupted does not wait", async () => {
  let tries = 0
  const never = Promise.withResolvers<Result<{ readonly token: string; readonly expiresAt?: number }, string>>()
  const expiring = openCredentialCache<{ readonly token: string; readonly expiresAt?: number }>(
    () =>
      ++tries === 1 ? Promise.reject(new Error("odd")) : tries === 2 ? Promise.resolve(failed("no")) : never.promise,
    fakeClock(),
  )
  const interrupt = new AbortController()
  expect(await expiring.get(interrupt.signal)).toEqual({ ok: false, failure: "odd" })
  expect(await expiring.get(interrupt.signal)).toEqual({ ok: false, failure: "no" })
  const waiting = expiring.get(interrupt.signal)
  interrupt.abort()
  expect(await waiting).toEqual({ ok: false, failure: "Interrupted." })
  never.resolve(ok({ token: "late" }))
})
