/** A certificate authority for one session, and the certificates it issues. Its key stays in memory. */

import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { isIP } from "node:net"
import { bits, integer, octets, oid, sequence, setOf, tagged, time, utf8, yes } from "./der.ts"

export interface Authority {
  /** The authority's own certificate, as PEM. */
  readonly certificate: string
  readonly issue: (...hosts: readonly [string, ...string[]]) => Issued
}

/** Both as PEM. */
export interface Issued {
  readonly key: string
  readonly certificate: string
}

const day = 86_400_000
/** Programs inside may run with a clock that is a little behind. */
const early = day
const lifetime = 365 * day

const names = {
  commonName: "2.5.4.3",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  subjectKey: "2.5.29.14",
  keyUsage: "2.5.29.15",
  alternativeName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKey: "2.5.29.35",
  extendedUsage: "2.5.29.37",
  serverAuthentication: "1.3.6.1.5.5.7.3.1",
} as const

/** `name` is shown by programs that print a certificate. */
export function openAuthority(name: string, now: () => number): Authority {
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const identity = { name, key: own.privateKey, keyId: keyIdOf(own.publicKey), now }
  const certificate = signed(identity, own.publicKey, name, [
    extension(names.basicConstraints, sequence(yes, integer(0n)), "critical"),
    extension(names.keyUsage, bits(Buffer.from([0b0000_0110]), 1), "critical"),
    extension(names.subjectKey, octets(identity.keyId)),
  ])
  return {
    certificate,
    issue(...hosts) {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
      return {
        key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        certificate: signed(identity, publicKey, hosts[0].slice(0, 64), [
          extension(names.basicConstraints, sequence(), "critical"),
          extension(names.keyUsage, bits(Buffer.from([0b1000_0000]), 7), "critical"),
          extension(names.extendedUsage, sequence(oid(names.serverAuthentication))),
          extension(names.alternativeName, sequence(...hosts.map(alternative))),
          extension(names.subjectKey, octets(keyIdOf(publicKey))),
          extension(names.authorityKey, sequence(tagged(0x80, identity.keyId))),
        ]),
      }
    },
  }
}

interface Identity {
  readonly name: string
  readonly key: KeyObject
  readonly keyId: Buffer
  readonly now: () => number
}

function signed(issuer: Identity, key: KeyObject, subject: string, extensions: readonly Buffer[]): string {
  const algorithm = sequence(oid(names.ecdsaWithSha256))
  const at = issuer.now()
  const body = sequence(
    tagged(0xa0, integer(2n)),
    // Two certificates never have the same key here, so the key gives a number of its own.
    integer(BigInt(`0x01${keyIdOf(key).toString("hex", 0, 15)}`)),
    algorithm,
    named(issuer.name),
    sequence(time(at - early), time(at + lifetime)),
    named(subject),
    spkiOf(key),
    tagged(0xa3, sequence(...extensions)),
  )
  const signature = sign("sha256", body, issuer.key)
  const der = sequence(body, algorithm, bits(signature))
  return `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd()}\n-----END CERTIFICATE-----\n`
}

const named = (name: string): Buffer => sequence(setOf(sequence(oid(names.commonName), utf8(name))))

const spkiOf = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" })

const keyIdOf = (key: KeyObject): Buffer => createHash("sha256").update(spkiOf(key)).digest().subarray(0, 20)

const extension = (id: string, value: Buffer, how?: "critical"): Buffer =>
  sequence(oid(id), ...(how === "critical" ? [yes] : []), octets(value))

function alternative(host: string): Buffer {
  if (isIP(host) === 0) return tagged(0x82, Buffer.from(host, "latin1"))
  return tagged(0x87, isIP(host) === 4 ? Buffer.from(host.split(".").map(Number)) : ipv6Bytes(host))
}

function ipv6Bytes(host: string): Buffer {
  const groups = (text: string): readonly string[] => (text === "" ? [] : text.split(":"))
  const [head = "", tail] = host.split("::")
  const [before, after] = [groups(head), groups(tail ?? "")]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0")
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join(""), "hex")
}
