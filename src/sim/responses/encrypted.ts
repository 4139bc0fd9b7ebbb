/** Encrypted reasoning of the simulator: opaque to clients, and bound to the item that it came with. */

const prefix = "sim."

export const encrypt = (itemId: string, signature: string): string =>
  `${prefix}${Bun.hash(itemId).toString(36)}.${signature}`

/** True for what is not ours, and for ours if it comes back with its item. */
export function isReadable(itemId: string, encrypted: string): boolean {
  return !encrypted.startsWith(prefix) || encrypted.startsWith(`${prefix}${Bun.hash(itemId).toString(36)}.`)
}
