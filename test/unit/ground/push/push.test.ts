/** Messages to browsers: encrypted as RFC 8291 shows it, signed as RFC 8292 wants it, and never sent to where nobody should be sent. */

import { expect, test } from "bun:test"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { areKeys, encryptMessage, mostMessageBytes, newPair } from "#ground/push/encrypt.ts"
import { endpointProblem, type PushParts, sendPush } from "#faces/cli/fleet/send-push.ts"
import { newVapidKey, vapidHeader, vapidKeyFrom } from "#ground/push/vapid.ts"
import { pushHere } from "#faces/cli/fleet/push-here.ts"
import { directNetwork } from "../../../kit/direct-network.ts"
import { opened, openPushService } from "../../../kit/push-service.ts"
import { valueOf } from "../../../kit/team/conformance.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "base64url"))

async function pairOf(point: string, d: string): Promise<CryptoKeyPair> {
  const raw = Buffer.from(point, "base64url")
  const [x, y] = [raw.subarray(1, 33).toString("base64url"), raw.subarray(33).toString("base64url")]
  const curve = { name: "ECDH", namedCurve: "P-256" }
  const jwk = { kty: "EC", crv: "P-256", x, y }
  return {
    publicKey: await crypto.subtle.importKey("jwk", jwk, curve, true, []),
    privateKey: await crypto.subtle.importKey("jwk", { ...jwk, d }, curve, true, ["deriveBits"]),
  }
}

/** Section 5 and appendix A of RFC 8291. */
const rfc = {
  text: "When I grow up, I want to be a watermelon",
  server: [
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
    "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  ],
  browser: [
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  ],
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  sealed:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
} as const

test("the example of RFC 8291 comes out byte by byte, and is read back", async () => {
  const keys = { p256dh: rfc.browser[0], auth: rfc.auth }
  const secrets = { keys: await pairOf(...rfc.server), salt: bytesOf(rfc.salt) }
  const sealed = valueOf(await encryptMessage(keys, rfc.text, secrets))
  expect(Buffer.from(sealed).toString("base64url")).toBe(rfc.sealed)
  expect(await opened(sealed, await pairOf(...rfc.browser), bytesOf(rfc.auth))).toBe(rfc.text)
})

test("keys that no browser has are refused, and so is a message that is too long", async () => {
  const good = { p256dh: rfc.browser[0], auth: rfc.auth }
  expect(await areKeys(good)).toBe(true)
  const offCurve = Buffer.from(bytesOf(good.p256dh)).fill(7, 1).toString("base64url")
  for (const bad of [
    { auth: "" },
    { auth: `${rfc.auth}AA` },
    { p256dh: "" },
    { p256dh: offCurve },
    { p256dh: "AAAA" },
  ]) {
    expect(await areKeys({ ...good, ...bad })).toBe(false)
    const sealed = await encryptMessage({ ...good, ...bad }, "x", { keys: await newPair(), salt: bytesOf(rfc.salt) })
    expect(sealed).toEqual({ ok: false, failure: "The keys of the subscription are not valid." })
  }
  const fresh = async () => ({ keys: await newPair(), salt: bytesOf(rfc.salt) })
  expect((await encryptMessage(good, "x".repeat(mostMessageBytes), await fresh())).ok).toBe(true)
  expect((await encryptMessage(good, "x".repeat(mostMessageBytes + 1), await fresh())).ok).toBe(false)
})

test("the key is made once, is private on the disk, and signs what a service can check", async () => {
  using folder = temporaryFolder()
  const state = folder.join("state")
  const here = { loaded: { settings: {}, env: {} }, network: directNetwork(), home: "/home/ann", state } as never
  const { serverKey } = valueOf(await pushHere(here))
  const path = folder.join("state/push-key")
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(valueOf(await pushHere(here)).serverKey).toBe(serverKey)
  const key = valueOf(await vapidKeyFrom(readFileSync(path, "utf8")))
  expect(key.publicKey).toBe(serverKey)
  const header = await vapidHeader(key, {
    endpoint: "https://push.example:8443/a/b?c",
    contact: "mailto:a@b.example",
    nowMs: 1e12,
  })
  const [, signed = "", mark = "", shown] = /^vapid t=([\w-]+\.[\w-]+)\.([\w-]+), k=(\S+)$/.exec(header) ?? []
  expect(shown).toBe(key.publicKey)
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
  const verifying = await crypto.subtle.importKey("raw", bytesOf(key.publicKey), algorithm, false, ["verify"])
  expect(await crypto.subtle.verify(algorithm, verifying, bytesOf(mark), new TextEncoder().encode(signed))).toBe(true)
  expect(signed.split(".").map((each) => JSON.parse(Buffer.from(each, "base64url").toString()) as unknown)).toEqual([
    { typ: "JWT", alg: "ES256" },
    { aud: "https://push.example:8443", exp: 1e9 + 43_200, sub: "mailto:a@b.example" },
  ])
  const [one, other] = [await newVapidKey(), await newVapidKey()]
  expect(await vapidKeyFrom(`${one.split(".")[0]}.${other.split(".")[1]}`)).toEqual({
    ok: false,
    failure: "This is not a key for push messages: both parts of a pair in base64url, with a dot between them.",
  })
  writeFileSync(path, "nonsense")
  const broken = await pushHere(here)
  expect(broken.ok ? "" : broken.failure).toContain("push-key: This is not a key for push messages")
})

test("a message arrives encrypted; who is gone is told apart from who is away, and no address inside is reached", async () => {
  const service = openPushService()
  const key = valueOf(await vapidKeyFrom(await newVapidKey()))
  const parts: PushParts = {
    key,
    contact: "mailto:ops@example.com",
    network: directNetwork(),
    clock: systemClock,
    ids: systemIds,
    allowPrivate: true,
  }
  const { endpoint, keys } = await service.browser("ann")
  const message = { text: JSON.stringify({ title: "rm -rf \u202e" }), topic: "abc", ttlSeconds: 60 }
  const send = (to: string, more: Partial<PushParts> = {}) =>
    sendPush({ ...parts, ...more }, { endpoint: to, ...keys }, message, new AbortController().signal)
  service.answers.set("ann", [201, 410, 404, 503])
  expect(await send(endpoint)).toBe("sent")
  expect(service.heard[0]).toMatchObject({
    text: message.text,
    headers: { topic: "abc", ttl: "60", "content-encoding": "aes128gcm" },
    claims: { sub: "mailto:ops@example.com" },
  })
  expect([await send(endpoint), await send(endpoint)]).toEqual(["gone", "gone"])
  expect(await send(endpoint)).toEqual({ why: "the push service answered 503" })
  const heard = service.heard.length
  const { port } = new URL(service.url)
  for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433"])
    for (const scheme of ["http", "https"]) {
      expect(endpointProblem(`${scheme}://${host}:${port}/push/ann`, false)).toBeString()
      expect(await send(`${scheme}://${host}:${port}/push/ann`, { allowPrivate: false })).toHaveProperty("why")
    }
  for (const url of [
    "http://push.example/x",
    "file:///etc/passwd",
    "https://a:b@push.example/",
    "https://169.254.169.254/latest",
    "https://10.1.2.3/",
    `https://push.example/${"x".repeat(1000)}`,
  ])
    expect(endpointProblem(url, false)).toBeString()
  expect(endpointProblem("https://fcm.googleapis.com/fcm/send/abc:def", false)).toBeUndefined()
  expect(service.heard).toHaveLength(heard)
  await service.close()
})
