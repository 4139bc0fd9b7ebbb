/** The clouds as the simulator plays them: they refuse what the real ones refuse. */

import { expect, test } from "bun:test"
import { AwsV4Signer } from "aws4fetch"
import fc from "fast-check"
import { exampleCredentials, sign, signatureFault } from "#sim/clouds/aws-signature.ts"
import { hello, jsonOf, open } from "./open.ts"

test("a signature is that of AWS's published example", () => {
  const headers = { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" }
  const request = { method: "GET", path: "/", query: new URLSearchParams(), headers, body: "" }
  const parts = {
    names: ["host", "x-amz-date"],
    date: "20150830T123600Z",
    scope: "20150830/us-east-1/service/aws4_request",
    secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  }
  expect(sign(request, parts)).toBe("5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31")
})

const now = Date.parse("2026-11-18T03:00:00Z")

async function signed(path: string, body: string, headers: { readonly [name: string]: string }) {
  const url = `http://127.0.0.1:4000${path}`
  const signer = new AwsV4Signer({
    method: "POST",
    url,
    headers,
    body,
    ...exampleCredentials,
    service: "bedrock",
    region: "us-east-1",
    datetime: "20261118T030000Z",
  })
  const made = await signer.sign()
  const seen: { readonly [name: string]: string } = { ...Object.fromEntries(made.headers), host: "127.0.0.1:4000" }
  return { method: "POST", path: made.url.pathname, query: made.url.searchParams, headers: seen, body }
}

test("what the signing library signs is right, and anything changed afterwards is wrong", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(text, text, fc.boolean(), async (id, body, hasToken) => {
      const path = `/model/${encodeURIComponent(`a${id}`)}/invoke`
      const request = await signed(path, body, {
        accept: "application/json",
        ...(hasToken && { "x-amz-security-token": "t" }),
      })
      const check = (changed: Partial<typeof request>) =>
        signatureFault({ ...request, ...changed }, { service: "bedrock", now })
      expect(check({})).toBeUndefined()
      expect(check({ body: `${body} ` })).toBe("wrong")
      expect(check({ path: `${request.path}x` })).toBe("wrong")
      expect(check({ headers: { ...request.headers, accept: "x" } })).toBe("wrong")
    }),
    { numRuns: 100 },
  )
})

test("each fault of a signature has its name", async () => {
  const request = await signed("/model/a/invoke", "{}", {})
  const { authorization = "" } = request.headers as { readonly authorization?: string }
  const fault = (headers: { readonly [name: string]: string }, at = now, service = "bedrock") =>
    signatureFault({ ...request, headers: { ...request.headers, ...headers } }, { service, now: at })
  expect(fault({})).toBeUndefined()
  expect(fault({ authorization: "" })).toBe("missing")
  expect(fault({ authorization: authorization.replace("AKIA", "AKIB") })).toBe("unknown key")
  expect(fault({}, now + 3_600_000)).toBe("wrong time")
  expect(fault({}, now, "s3")).toBe("wrong scope")
  expect(fault({ "x-amz-security-token": "added later" })).toBe("unsigned header")
})

const { model: _model, ...body } = hello
const bearer = { authorization: "Bearer any" }

test.each([
  ["/model/x/invoke", { ...hello, anthropic_version: "bedrock-2023-05-31" }, bearer, 400, /^model: Extra/],
  ["/model/x/invoke", body, bearer, 400, /^anthropic_version: must be/],
  ["/model/x/invoke", { ...body, anthropic_version: "bedrock-2023-05-31", stream: true }, bearer, 400, /^stream/],
  [
    "/model/x/invoke",
    { ...body, anthropic_version: "bedrock-2023-05-31" },
    { "x-api-key": "k" },
    403,
    /signature is not valid: missing/,
  ],
  [
    "/model/x/invoke",
    { ...body, anthropic_version: "bedrock-2023-05-31" },
    { ...bearer, "anthropic-version": "2023-06-01" },
    400,
    /not a header/,
  ],
] as const)("Bedrock: %s with %j is refused", async (path, sent, headers, status, words) => {
  await using sim = await open()
  const response = await fetch(sim.url + path, { method: "POST", headers, body: JSON.stringify(sent) })
  expect(response.status).toBe(status)
  expect(response.headers.get("x-amzn-errortype")).toMatch(/^(?:ValidationException|UnrecognizedClientException):/)
  expect(await jsonOf(response)).toEqual({ message: expect.stringMatching(words) })
})

const vertex = "/v1/projects/some-project/locations/global/publishers/anthropic/models/claude-opus-5"

test.each([
  [`${vertex}:rawPredict`, { ...body, anthropic_version: "vertex-2023-10-16", stream: true }, bearer, 400],
  [`${vertex}:streamRawPredict`, { ...body, anthropic_version: "vertex-2023-10-16" }, bearer, 400],
  [`${vertex}:rawPredict`, { ...hello, anthropic_version: "vertex-2023-10-16" }, bearer, 400],
  [`${vertex}:rawPredict`, body, bearer, 400],
  [`${vertex}:rawPredict`, { ...body, anthropic_version: "vertex-2023-10-16" }, { "x-api-key": "k" }, 401],
  [`${vertex}:predict`, { ...body, anthropic_version: "vertex-2023-10-16" }, bearer, 404],
  ["/anthropic/v1/messages", hello, { "anthropic-version": "2026-10-21" }, 401],
  ["/anthropic/v1/messages", hello, { "x-api-key": "k" }, 400],
] as const)("Vertex and Foundry: %s with %j is refused", async (path, sent, headers, status) => {
  await using sim = await open()
  const response = await fetch(sim.url + path, { method: "POST", headers, body: JSON.stringify(sent) })
  expect(response.status).toBe(status)
})
