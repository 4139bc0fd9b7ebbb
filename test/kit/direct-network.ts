/** A network without proxies: every address is reached directly. */

import { type NetworkParts, type OwnNetwork, openNetwork } from "#ground/network/network.ts"
import { ok } from "#lib/result.ts"

export const directNetwork = ({
  ca,
  ...parts
}: Partial<Omit<NetworkParts, "ca">> & { readonly ca?: string } = {}): OwnNetwork =>
  openNetwork({
    proxies: () => ({ except: [] }),
    certificate: () => ok(undefined),
    ca: () => ok(ca === undefined ? undefined : [ca]),
    ...parts,
  })
