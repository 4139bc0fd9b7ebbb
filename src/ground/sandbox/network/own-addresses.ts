/** The addresses of this machine's network interfaces: services listen there that nobody outside is meant to reach. */

import { networkInterfaces } from "node:os"
import { plainHost } from "./hosts.ts"

/** Looked up each time, as they change when the machine moves to another network. */
export function isOwnAddress(address: string): boolean {
  const wanted = spelled(address)
  return Object.values(networkInterfaces()).some((each) => each?.some((own) => spelled(own.address) === wanted))
}

/** An address with a zone is spelled in one way only. */
const spelled = (address: string): string => {
  const plain = plainHost(address)
  return plain.ok ? plain.value : address
}
