/** Which requests a server answers: only those that name it, and come from no other site. */

import { expect, test } from "bun:test"
import { fromHere, hostsOf } from "#faces/web/guard.ts"

const hosts = hostsOf(["192.0.2.7"], ["fleet.example.com"], 8700)

test.each<[host: string, origin: string | undefined, answered: boolean]>([
  ["fleet.example.com", undefined, true],
  ["fleet.example.com", "https://fleet.example.com", true],
  ["FLEET.example.com", "https://Fleet.Example.com", true],
  ["fleet.example.com", "http://fleet.example.com", true],
  ["fleet.example.com", "https://evilfleet.example.com", false],
  ["fleet.example.com", "https://fleet.example.com.evil.test", false],
  ["fleet.example.com", "https://fleet.example.com:8443", false],
  ["fleet.example.com", "https://other.example.com", false],
  ["fleet.example.com", "null", false],
  ["fleet.example.com:8443", "https://fleet.example.com:8443", true],
  ["fleet.example.com:8443", "https://fleet.example.com", false],
  ["127.0.0.1:8443", undefined, false],
  ["127.0.0.1:8700", "http://127.0.0.1:8700", true],
  ["127.0.0.1:8700", "http://localhost:8700", false],
  ["[::1]:8700", undefined, true],
  ["192.0.2.7:8700", undefined, true],
  ["192.0.2.7", undefined, false],
  ["evilfleet.example.com", undefined, false],
])("%s from %p: %p", (host, origin, answered) => {
  expect(fromHere(new Headers({ host, ...(origin !== undefined && { origin }) }), hosts).ok).toBe(answered)
})
