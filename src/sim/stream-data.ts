/** The data of a recorded stream. */

import { type JsonObject, objectIn } from "#lib/json.ts"

/** What is not a JSON object is left out. */
export const dataIn = (stream: string): readonly JsonObject[] =>
  stream.split("\n").flatMap((line): readonly JsonObject[] => {
    const data = line.startsWith("data:") ? objectIn(line.slice("data:".length)) : undefined
    return data ? [data] : []
  })
