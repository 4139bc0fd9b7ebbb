/** How somebody is notified of what waits: their devices, and quiet hours. */

import { z, type ZodType } from "zod"
import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import { quietHoursProblem, type QuietHours } from "#fleet/quiet-hours.ts"
import { optionalTime, time } from "#fleet/shown-approval.ts"
import type { Device } from "#fleet/store/telling.ts"
import type { Notifications, ShownDevice } from "./page/contract-lists.ts"
import { refusal } from "./refusal.ts"
import { done, type PushSide, type Route, type RouteAnswer, type RouteCall } from "./route.ts"

const quiet: ZodType<QuietHours> = z.strictObject({
  from: z.string().max(5).describe("Such as 22:00"),
  to: z.string().max(5).describe("Such as 07:00; the next morning if it is before from"),
  zone: z.string().max(100).describe("Such as Europe/Berlin"),
})
const wishesBody: ZodType<{ readonly hearsAll: boolean; readonly quiet?: QuietHours | undefined }> = z.strictObject({
  hearsAll: z.boolean().describe("About every session you may decide in, not only your own and those shared with you"),
  quiet: quiet.optional().describe("Without it there are no quiet hours"),
})
const deviceBody: ZodType<{
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
  readonly label: string
}> = z.strictObject({
  endpoint: z.string().min(1).max(1_000),
  keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }),
  label: z.string().min(1).max(100),
})
const shownTime = z.iso.datetime()
const deviceAnswer: ZodType<ShownDevice> = z.object({
  id: z.string(),
  label: z.string(),
  addedAt: shownTime,
  toldAt: shownTime.exactOptional(),
})
const notificationsAnswer: ZodType<Notifications> = z.object({
  serverKey: z.string().exactOptional().describe("What a browser subscribes with"),
  devices: z.array(deviceAnswer),
  hearsAll: z.boolean(),
  mayHearAll: z.boolean(),
  quiet: quiet.exactOptional(),
  channels: z.array(z.string()),
})

export const notifyRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/api/notifications",
    about: "Says how this token's user is notified: devices, quiet hours, and what the server's settings add.",
    needs: "operator",
    answers: { status: 200, body: notificationsAnswer },
    async run({ records, context, who }) {
      const [devices, wishes] = await Promise.all([
        records.notifying.devices(who.name),
        records.notifying.wishesOf(who.name),
      ])
      return done<Notifications>({
        ...optional("serverKey", context.push?.serverKey),
        devices: devices.map(shownDevice),
        ...wishes,
        mayHearAll: mayHearAll({ context, who }),
        channels: context.channelsOf(who.name),
      })
    },
  },
  {
    method: "POST",
    path: "/api/notifications",
    about:
      "Sets what this token's user is notified about, and their quiet hours. What is held back then is sent afterwards, if it is still open.",
    needs: "operator",
    body: wishesBody,
    answers: { status: 204 },
    async run({ records, context, who, body }) {
      const { hearsAll, quiet: hours } = wishesBody.parse(body)
      const problem = hours && quietHoursProblem(hours)
      if (problem !== undefined) return failed(refusal("invalid", `quiet: ${problem}`))
      const wishes = { hearsAll: hearsAll && mayHearAll({ context, who }), ...optional("quiet", hours) }
      await records.notifying.saveWishes(who.name, wishes)
      return ok({ status: 204 })
    },
  },
  {
    method: "POST",
    path: "/api/devices",
    about: "Adds a browser that subscribed with serverKey. Adding the same one again changes nothing.",
    needs: "operator",
    body: deviceBody,
    answers: { status: 200, body: deviceAnswer },
    run: onPush(async ({ records, context, who, body }, push) => {
      const { endpoint, keys, label } = deviceBody.parse(body)
      const problem = await push.problemOf({ endpoint, ...keys })
      if (problem !== undefined) return failed(refusal("invalid", `endpoint: ${problem}`))
      // Nothing else says who the server's owner is once they have left.
      if (who.name === context.owner) await records.tokens.remember(who)
      const { serverKey } = push
      const added = await records.notifying.addDevice({
        id: context.newId(),
        who: who.name,
        endpoint,
        ...keys,
        serverKey,
        label,
      })
      if (added.ok) return done<ShownDevice>(shownDevice(added.value))
      return failed(
        added.failure.kind === "too_many"
          ? refusal("conflict", `You have ${added.failure.most} devices. Remove one first.`)
          : refusal(
              "conflict",
              "This device was added with other keys. Turn notifications off in this browser, and on again.",
            ),
      )
    }),
  },
  {
    method: "DELETE",
    path: "/api/devices/:id",
    about: "Removes a device: it is notified no more.",
    needs: "operator",
    answers: { status: 204 },
    async run({ records, who, at: { id = "" } }) {
      return (await records.notifying.removeDevice(who.name, id)) ? ok({ status: 204 }) : noDevice
    },
  },
  {
    method: "POST",
    path: "/api/devices/:id/test",
    about: "Sends a notification that says only that it works.",
    needs: "operator",
    answers: { status: 204 },
    repeats: "itself",
    run: onPush(async ({ records, who, at: { id = "" } }, push) => {
      const device = (await records.notifying.devices(who.name)).find((each) => each.id === id)
      if (!device) return noDevice
      const problem = await push.test(device)
      return problem === undefined ? ok({ status: 204 }) : failed(refusal("conflict", `Not sent: ${problem}.`))
    }),
  },
]

const noDevice: RouteAnswer = failed(refusal("not_found", "You have no such device."))

/** Those who decide for others too; everybody else has all there is for them anyway. */
const mayHearAll = ({ context, who }: Pick<RouteCall, "context" | "who">): boolean =>
  who.role === "admin" || context.visibility === "all"

function onPush(run: (asked: RouteCall, push: PushSide) => Promise<RouteAnswer>): Route["run"] {
  return async (asked) =>
    asked.context.push
      ? run(asked, asked.context.push)
      : failed(refusal("conflict", "This server does not send notifications to devices."))
}

const shownDevice = ({ id, label, addedAt, toldAt }: Device): ShownDevice => ({
  id,
  label,
  addedAt: time(addedAt),
  ...optional("toldAt", optionalTime(toldAt)),
})
