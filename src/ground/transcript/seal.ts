/** The checksum at the end of each line of a log. */

import { isObject, type JsonObject } from "#lib/json.ts"

/** Adds a checksum; `unsealed` verifies and removes it. */
export function sealed(line: object): string {
  const text = JSON.stringify(line)
  return `${text.slice(0, -1)},"sum":"${checksum(text)}"}`
}

/** Undefined when the line is torn or altered. Lines without a checksum are accepted as they are. */
export function unsealed(text: string): JsonObject | undefined {
  const mark = text.lastIndexOf(',"sum":"')
  const sum = mark > 0 && text.length - mark === sumLength ? text.slice(mark + 8, -2) : undefined
  if (sum === undefined && hasDamagedSum(text)) return undefined
  // The brace after it is added to the sum alone: to join them would copy the whole line.
  if (sum !== undefined && hex(Bun.hash.crc32("}", Bun.hash.crc32(text.slice(0, mark)))) !== sum) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The same for a line that has a checksum, without parsing it. */
export function isSealedLine(line: Buffer): boolean {
  const mark = line.length - sumLength
  if (mark <= 0) return false
  const sum = /^,"sum":"([0-9a-f]{8})"\}$/.exec(line.toString("latin1", mark))?.[1]
  // The sum covers the line with a closing brace where the sum begins.
  const before = line[mark] ?? 0
  line[mark] = 0x7d
  const isRight = checksum(line.subarray(0, mark + 1)) === sum
  line[mark] = before
  return isRight
}

const sumShape = ',"sum":"00000000"}'
const sumLength = sumShape.length

/** Whether the line ends almost as one with a checksum does: a line that never had one does not. */
function hasDamagedSum(text: string): boolean {
  const end = text.slice(-sumLength)
  const fixed = [...sumShape].filter((character, at) => character !== "0" && end[at] === character)
  return fixed.length >= 6
}

const checksum = (text: string | Uint8Array): string => hex(Bun.hash.crc32(text))

const hex = (sum: number): string => sum.toString(16).padStart(8, "0")
