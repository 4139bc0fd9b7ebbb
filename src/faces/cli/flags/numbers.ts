/** Numbers given on the command line. */

import { failed, ok, type Result } from "#lib/result.ts"

export function readNumber(
  flag: string,
  text: string,
  { least, most, whole }: { readonly least: number; readonly most: number; readonly whole: boolean },
): Result<number, string> {
  const value = text.trim() === "" ? Number.NaN : Number(text)
  const good = Number.isFinite(value) && value >= least && value <= most && (!whole || Number.isInteger(value))
  const kind = whole ? "a whole number" : "a number"
  return good ? ok(value) : failed(`${flag} takes ${kind} from ${least} to ${most}, not '${text}'.`)
}
