/** What is told of approvals that wait: to addresses, and to devices of people. */

import type { QuietHours } from "#fleet/quiet-hours.ts"
import type { FleetApproval, FleetSession } from "#fleet/records.ts"
import type { Result } from "#lib/result.ts"

/** Something that waits, to be told to an address. */
export interface Delivery {
  readonly id: string
  readonly url: string
  readonly approval: FleetApproval
  readonly session: Pick<FleetSession, "id" | "title" | "stage" | "createdBy">
  /** This one included. */
  readonly attempts: number
}

/** What waits is told to addresses, also after a restart, until it arrived, was decided, or was tried too often. */
export interface FleetDeliveries {
  /** From now on, this address is told. What waits already is not told again. */
  readonly delivered: (url: string) => Promise<void>
  /** Those that begin to wait are told of by themselves; this is for what a worker of an earlier version has set aside. */
  readonly catchUp: (urls: readonly string[]) => Promise<void>
  /** Those that are due now, for one of the given addresses; each is due again after a while unless it is said to be done. */
  readonly due: (urls: readonly string[], limit: number) => Promise<readonly Delivery[]>
  readonly done: (id: string) => Promise<void>
  /** Nobody tried: it is due in so many milliseconds. */
  readonly postpone: (id: string, forMs: number) => Promise<void>
  /** When the next one is due, in milliseconds from now; undefined if none is. */
  readonly dueInMs: (urls: readonly string[]) => Promise<number | undefined>
}

/** The address of letters that become messages to devices. */
export const pushUrl = "push:"

export interface NewDevice {
  readonly id: string
  readonly who: string
  /** Where its push service takes messages; whoever knows it can send nothing without the server's key. */
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  /** The public key of the server that it subscribed to. */
  readonly serverKey: string
  readonly label: string
}

export interface Device extends NewDevice {
  readonly addedAt: number
  readonly toldAt?: number
}

/** How somebody wants to be told. */
export interface NotifyWishes {
  /** Of everything they may decide, not only what is theirs or was shared with them. */
  readonly hearsAll: boolean
  readonly quiet?: QuietHours
}

/** A message to one device that is due. */
export interface DuePush {
  readonly id: string
  readonly device: Device
  readonly approval: FleetApproval
  readonly session: Pick<FleetSession, "id" | "title">
  readonly wishes: NotifyWishes
  /** This one included. */
  readonly attempts: number
}

/** Devices of people, and what is sent to them: once for each approval and device, however many servers there are. */
export interface FleetNotifying {
  readonly wishesOf: (who: string) => Promise<NotifyWishes>
  readonly saveWishes: (who: string, wishes: NotifyWishes) => Promise<void>
  readonly devices: (who: string) => Promise<readonly Device[]>
  /** The same device again is kept as it is, for whoever uses it now. */
  readonly addDevice: (
    device: NewDevice,
  ) => Promise<Result<Device, { readonly kind: "taken" } | { readonly kind: "too_many"; readonly most: number }>>
  readonly removeDevice: (who: string, id: string) => Promise<boolean>
  /** Its push service does not know it any more. */
  readonly forgetDevice: (id: string) => Promise<void>
  /** Makes messages of what began to wait; returns of how many approvals. */
  readonly fanOut: (limit: number) => Promise<number>
  /** For devices that subscribed with this key. Nobody else gets them for a minute. */
  readonly due: (serverKey: string, limit: number) => Promise<readonly DuePush[]>
  readonly sent: (push: Pick<DuePush, "id" | "device">) => Promise<void>
  readonly drop: (id: string) => Promise<void>
  /** It did not arrive: it is tried again later, or given up. */
  readonly retry: (id: string) => Promise<void>
  /** Nobody tried: it is due in so many milliseconds. */
  readonly postpone: (id: string, forMs: number) => Promise<void>
  readonly dueInMs: (serverKey: string) => Promise<number | undefined>
}
