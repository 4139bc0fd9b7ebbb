/**
 * Seals on what is kept in a team's file. Commands that agents run can write to that file too, but they do not have the
 * key: what they write there is not believed.
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { systemIds } from "#lib/ids.ts"
import type { Work } from "./sql.ts"

/**
 * The key of a file's team, which no tool can read. It outlives the processes, so that a resumed lead believes what it
 * wrote; without a path, nothing does.
 */
export function openKey(path: string | undefined): (text: string) => string {
  const key = path === undefined ? newKey() : keyIn(path)
  return (text) => createHmac("sha256", key).update(text).digest("base64url")
}

function keyIn(path: string): string {
  if (!existsSync(path)) makeKey(path)
  const key = readFileSync(path, "utf8")
  if (key.length !== keyLength) throw new Error(`The key of the team is damaged: ${path}`)
  return key
}

const keyLength = 72
const newKey = (): string => `${systemIds.uuid()}${systemIds.uuid()}`

/** Whole or not at all: of several processes that make it at once, all use the first. */
function makeKey(path: string): void {
  const draft = `${path}.${systemIds.uuid()}`
  writeFileSync(draft, newKey(), { mode: 0o600, flag: "wx" })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    rmSync(draft)
  }
}

/** `open`: nobody but Codewright can write to this database, so nothing is sealed. */
export type Checked<T> = { readonly kind: "true"; readonly value: T } | { readonly kind: "forged" | "open" }

/** The seal of values that belong to `about`; null where nothing is sealed. */
export function* sealOf(about: string, values: unknown): Work<string | null> {
  return (yield* made(`${about}\n${JSON.stringify(values)}`)) ?? null
}

export function* isSealOf(seal: string | null, about: string, values: unknown): Work<Checked<"sealed">["kind"]> {
  const right = yield* sealOf(about, values)
  if (right === null) return "open"
  return seal !== null && isSame(seal, right) ? "true" : "forged"
}

/** Of a SHA-256 in base64url. */
const sealLength = 43

/** The values with their seal, as one text: they are known even if everything beside it was overwritten. */
export function* sealed(about: string, values: unknown): Work<string | null> {
  const seal = yield* sealOf(about, values)
  return seal === null ? null : `${seal}${JSON.stringify(values)}`
}

export function* unsealed<T>(about: string, text: string | null): Work<Checked<T>> {
  const json = String(text ?? "").slice(sealLength)
  const right = yield* made(`${about}\n${json}`)
  if (right === undefined) return { kind: "open" }
  if (json === "" || !isSame(String(text).slice(0, sealLength), right)) return { kind: "forged" }
  // Sealed by us, so it is what we wrote.
  return { kind: "true", value: JSON.parse(json) as T }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function* made(text: string): Work<string | undefined> {
  const [row] = yield { seal: text }
  return row && "seal" in row && typeof row.seal === "string" ? row.seal : undefined
}
