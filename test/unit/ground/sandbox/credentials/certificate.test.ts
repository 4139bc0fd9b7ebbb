/** Certificates that every program accepts: checked by openssl in its strictest way. */

import { expect, test } from "bun:test"
import { X509Certificate } from "node:crypto"
import { writeFileSync } from "node:fs"
import { openAuthority } from "#ground/sandbox/credentials/certificate.ts"
import { integer, oid, tagged, time } from "#ground/sandbox/credentials/der.ts"
import { systemClock } from "#lib/clock.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"

test.each([
  ["api.example.com"],
  ["xn--bcher-kva.example"],
  ["10.1.2.3"],
  ["2001:db8::7"],
  [`${"a".repeat(60)}.example.com`],
])("a certificate for %s", (host) => {
  using folder = temporaryFolder()
  const authority = openAuthority("Test", systemClock.now)
  const { key, certificate } = authority.issue(host)
  writeFileSync(folder.join("ca.pem"), authority.certificate)
  writeFileSync(folder.join("leaf.pem"), certificate)
  const name = /[:]|^\d+\./.test(host) ? "-verify_ip" : "-verify_hostname"
  const { exitCode, stderr } = Bun.spawnSync([
    "openssl",
    "verify",
    "-x509_strict",
    "-purpose",
    "sslserver",
    name,
    host,
    "-CAfile",
    folder.join("ca.pem"),
    folder.join("leaf.pem"),
  ])
  expect([exitCode, stderr.toString()]).toEqual([0, ""])
  expect(key).toContain("PRIVATE KEY")
  const parsed = new X509Certificate(certificate)
  expect(parsed.checkIssued(new X509Certificate(authority.certificate))).toBe(true)
  expect(parsed.serialNumber).not.toBe(new X509Certificate(authority.issue(host).certificate).serialNumber)
})

test("a certificate is for its hosts only, and not an authority", () => {
  const { certificate } = openAuthority("Test", systemClock.now).issue("a.test", "b.test")
  const parsed = new X509Certificate(certificate)
  expect([parsed.checkHost("a.test"), parsed.checkHost("b.test"), parsed.checkHost("c.test"), parsed.ca]).toEqual([
    "a.test",
    "b.test",
    undefined,
    false,
  ])
})

test("DER as the standard has it", () => {
  expect(oid("1.2.840.10045.4.3.2").toString("hex")).toBe("06082a8648ce3d040302")
  expect(integer(128n).toString("hex")).toBe("02020080")
  expect(integer(0n).toString("hex")).toBe("020100")
  expect(tagged(0x04, Buffer.alloc(300)).subarray(0, 4).toString("hex")).toBe("0482012c")
  expect(time(Date.UTC(2049, 11, 31, 23, 59, 59)).toString("latin1")).toBe("\x17\x0d491231235959Z")
  expect(time(Date.UTC(2050, 0, 1)).toString("latin1")).toBe("\x18\x0f20500101000000Z")
})
