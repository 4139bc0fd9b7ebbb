/** What schemas of requests and answers are made of. */

import type { JsonObject } from "#lib/json.ts"
import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import { z, type ZodType } from "zod"

export const text = (most: number): z.ZodString => z.string().max(most)
export const time: ZodType<string> = z.iso.datetime().describe("ISO 8601, UTC")
export const mode: ZodType<PermissionMode> = z.enum(permissionModes)
export const digest: z.ZodString = text(200).min(1).describe("Of exactly what was shown")
export const json: ZodType<JsonObject> = z.record(z.string(), z.json())

/** Any object in the document; what it is made of, the program says. */
export const any = <T>(): ZodType<T> => json as unknown as ZodType<T>
