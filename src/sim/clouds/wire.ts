/** The clouds that the simulator plays, by the path of a request. */

import type { SimWire } from "#sim/wire.ts"
import { type BedrockCall, bedrockWire } from "./bedrock.ts"
import { foundryPath, foundryWire } from "./foundry.ts"
import { vertexWire } from "./vertex.ts"

/** Undefined for a path that is none of theirs. */
export function cloudWire({
  text,
  ...call
}: Omit<BedrockCall, "body"> & { readonly text: string | undefined }): SimWire | undefined {
  if (call.method === "POST" && call.path === foundryPath) return foundryWire
  return vertexWire(call) ?? bedrockWire({ ...call, body: text ?? "" })
}
