/** The Messages API as a port. */

import type { Request } from "#agent/words/model.ts"
import type { PortParts, ProviderPort } from "#ground/models/provider.ts"
import { type Address, openPort } from "#ground/models/port.ts"
import type { WireFormat } from "#ground/models/format.ts"
import { optional } from "#lib/optional.ts"
import { openDecoder } from "./decode.ts"
import { type Dialect, openRequestEncoder } from "./request.ts"

export const apiVersion = "2026-10-21"

export function openMessages(
  address: Address,
  dialect: Dialect,
  parts: PortParts,
  framings?: WireFormat["framings"],
): ProviderPort {
  const { toolIds, messageIds } = parts
  const format = {
    ...openRequestEncoder(dialect, toolIds.note),
    ...optional("framings", framings),
    openDecoder: ({ serverTools }: Request) =>
      openDecoder({ by: dialect.name, toolIds, messageIds, searching: serverTools?.length ? "with_search" : "plain" }),
  }
  return openPort({ formatHeaders: { "anthropic-version": apiVersion }, ...address }, format, parts)
}
