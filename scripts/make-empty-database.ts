/**
 * Makes an empty embedded database in the folder that is named, in a process of its own: its time stands still and its
 * chance repeats itself, so every machine makes the same bytes. Run by scripts/empty-database.ts.
 */

import crypto from "node:crypto"
import { PGlite } from "@electric-sql/pglite"

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("Name the folder.")

/** An identifier of the database is made of it. */
const at = Date.UTC(2026, 0, 1)
const RealDate = Date
let ticks = 0
let seed = 1

globalThis.Date = new Proxy(RealDate, {
  construct: (_, args) => new RealDate(...((args.length === 0 ? [at] : args) as [number])),
  get: (target, name) => (name === "now" ? () => at : Reflect.get(target, name)),
})
// It must pass, or whoever waits for it waits for ever.
performance.now = () => ++ticks / 1000
for (const source of [crypto, globalThis.crypto])
  Object.assign(source, { getRandomValues: repeated, randomFillSync: repeated })

function repeated<View extends NodeJS.ArrayBufferView>(view: View): View {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  for (const index of bytes.keys()) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
    bytes[index] = seed >> 16
  }
  return view
}

const database = await PGlite.create(folder)
await database.query("checkpoint")
await database.close()
