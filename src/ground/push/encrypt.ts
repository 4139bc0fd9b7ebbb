/** Encrypts a message for one browser: aes128gcm (RFC 8188) with the keys of its subscription (RFC 8291). */

import { failed, ok, type Result } from "#lib/result.ts"

/** What a browser gives out with its subscription, in base64url. */
export interface SubscriptionKeys {
  /** Its public key: an uncompressed point on P-256. */
  readonly p256dh: string
  readonly auth: string
}

/** What is new for each message. */
export interface MessageSecrets {
  readonly keys: CryptoKeyPair
  /** 16 bytes. */
  readonly salt: Uint8Array<ArrayBuffer>
}

/** Push services take 4096 bytes; the header has 86 of them, and the cipher adds 17. */
export const mostMessageBytes = 3993

const recordSize = 4096
export const pointBytes = 65
const authBytes = 16

/** The failure is a sentence. */
export async function encryptMessage(
  { p256dh, auth }: SubscriptionKeys,
  text: string,
  { keys, salt }: MessageSecrets,
): Promise<Result<Uint8Array<ArrayBuffer>, string>> {
  const message = new TextEncoder().encode(text)
  if (message.length > mostMessageBytes) return failed(`The message has more than ${mostMessageBytes} bytes.`)
  const theirs = await publicKey(p256dh)
  const secret = decoded(auth)
  if (!theirs || secret.length !== authBytes) return failed("The keys of the subscription are not valid.")
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: theirs }, keys.privateKey, 256)
  const ours = new Uint8Array(await crypto.subtle.exportKey("raw", keys.publicKey))
  const info = joined(utf8("WebPush: info\0"), decoded(p256dh), ours)
  const key = await derived(new Uint8Array(shared), { salt: secret, info, bytes: 32 })
  const content = await derived(key, { salt, info: utf8("Content-Encoding: aes128gcm\0"), bytes: 16 })
  const nonce = await derived(key, { salt, info: utf8("Content-Encoding: nonce\0"), bytes: 12 })
  const cipher = await crypto.subtle.importKey("raw", content, "AES-GCM", false, ["encrypt"])
  // The 2 says that this is the last record.
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv: nonce },
    cipher,
    joined(message, new Uint8Array([2])),
  )
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, recordSize)
  return ok(joined(salt, size, new Uint8Array([ours.length]), ours, new Uint8Array(sealed)))
}

/** Whether a browser could have sent them. */
export const areKeys = async ({ p256dh, auth }: SubscriptionKeys): Promise<boolean> =>
  decoded(auth).length === authBytes && (await publicKey(p256dh)) !== undefined

/** A pair for one message. */
export const newPair = (): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"])

async function publicKey(text: string): Promise<CryptoKey | undefined> {
  const point = decoded(text)
  if (point.length !== pointBytes) return undefined
  try {
    return await crypto.subtle.importKey("raw", point, { name: "ECDH", namedCurve: "P-256" }, false, [])
  } catch {
    return undefined
  }
}

async function derived(
  from: Uint8Array<ArrayBuffer>,
  {
    salt,
    info,
    bytes,
  }: { readonly salt: Uint8Array<ArrayBuffer>; readonly info: Uint8Array<ArrayBuffer>; readonly bytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey("raw", from, "HKDF", false, ["deriveBits"])
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bytes * 8))
}

export const decoded = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "base64url"))

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const joined = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(parts))
