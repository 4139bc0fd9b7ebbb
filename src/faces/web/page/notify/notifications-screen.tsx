/** How somebody is notified of what waits: on this device and others, and when not. */

import { type ReactNode, useEffect, useState } from "react"
import { forConsent } from "#lib/printable.ts"
import { failureText, post, remove } from "#faces/web/page/api.ts"
import type { SignedIn } from "#faces/web/page/contract.ts"
import type { Notifications, ShownDevice } from "#faces/web/page/contract-lists.ts"
import { confirmDevice, forgetThisDevice, notifyObstacle, onInstallOffer, tellThisDevice } from "./installed.ts"
import { Loading } from "#faces/web/page/loading.tsx"
import { useNow, usePolled } from "#faces/web/page/polled.ts"
import { ago } from "#faces/web/page/words.ts"
import { WishesForm } from "./wishes-form.tsx"

export function NotificationsScreen({ me }: { readonly me: SignedIn | undefined }): ReactNode {
  if (me?.role === "viewer")
    return (
      <div className="empty">
        <h1>Notifications</h1>
        <p>You can view sessions, but not decide in them, so nothing waits for you.</p>
      </div>
    )
  return <Settings />
}

function Settings(): ReactNode {
  const { value, failure, refresh } = usePolled<Notifications>("/api/notifications", { everyMs: 30_000 })
  return (
    <div className="screen narrow">
      <h1>Notifications</h1>
      {!value && <Loading failure={failure} what="your settings" />}
      {value && (
        <>
          <Devices settings={value} onChange={refresh} />
          <WishesForm settings={value} onChange={refresh} />
          {value.channels.length > 0 && (
            <section className="card" aria-labelledby="channels">
              <h2 id="channels">Other channels</h2>
              <p>You are also notified by {value.channels.map(forConsent).join(", ")}.</p>
              <p className="dim">Set in the settings of the server.</p>
            </section>
          )}
        </>
      )}
    </div>
  )
}

interface PartProps {
  readonly settings: Notifications
  readonly onChange: () => void
}

function Devices({ settings: { serverKey, devices }, onChange }: PartProps): ReactNode {
  const now = useNow()
  const [own, setOwn] = useState<string>()
  const [install, setInstall] = useState<{ readonly run: () => Promise<unknown> }>()
  const [isBusy, setBusy] = useState(false)
  const [said, setSaid] = useState({ text: "", isBad: false })
  useEffect(() => onInstallOffer((run) => setInstall({ run })), [])
  useEffect(() => {
    if (serverKey !== undefined) void confirmDevice(serverKey).then((device) => setOwn(device?.id))
  }, [serverKey])
  const act = async (work: () => Promise<string | undefined>, done: string): Promise<void> => {
    setBusy(true)
    const problem = await work()
    setBusy(false)
    setSaid({ text: problem ?? done, isBad: problem !== undefined })
    onChange()
  }
  const turnOn = (key: string): Promise<void> =>
    act(async () => {
      const added = await tellThisDevice(key)
      if (!added.ok) return added.failure
      setOwn(added.value.id)
      return undefined
    }, "Notifications are on for this device.")
  const forget = (device: ShownDevice): Promise<void> =>
    act(
      async () => {
        if (device.id !== own) return failed(await remove(`/api/devices/${device.id}`))
        await forgetThisDevice()
        setOwn(undefined)
        return undefined
      },
      `${forConsent(device.label)} was removed.`,
    )
  const isOn = devices.some(({ id }) => id === own)
  const obstacle = notifyObstacle()
  return (
    <section className="card" aria-labelledby="devices">
      <h2 id="devices">Devices</h2>
      {serverKey === undefined ? (
        <p>This server does not send notifications to devices.</p>
      ) : (
        <>
          {!isOn && obstacle !== undefined && <p className="dim">{obstacle}</p>}
          {!isOn && obstacle === undefined && (
            <div className="buttons">
              <button type="button" className="primary" disabled={isBusy} onClick={() => void turnOn(serverKey)}>
                Turn on for this device
              </button>
            </div>
          )}
          {devices.length === 0 && <p className="dim">No devices yet.</p>}
          {devices.length > 0 && (
            <ul className="devices">
              {devices.map((device) => (
                <li key={device.id}>
                  <span>
                    <strong>{forConsent(device.label)}</strong>{" "}
                    {device.id === own && <span className="dim">this device</span>}
                    <br />
                    <span className="dim">
                      {device.toldAt === undefined
                        ? `added ${ago(device.addedAt, now)}`
                        : `last notified ${ago(device.toldAt, now)}`}
                    </span>
                  </span>
                  <button
                    type="button"
                    disabled={isBusy}
                    aria-label={`Send a test to ${forConsent(device.label)}`}
                    onClick={() =>
                      void act(async () => failed(await post(`/api/devices/${device.id}/test`, {})), "Test sent.")
                    }
                  >
                    Test
                  </button>
                  <button
                    type="button"
                    disabled={isBusy}
                    aria-label={`Remove ${forConsent(device.label)}`}
                    onClick={() => void forget(device)}
                  >
                    Remove
                  </button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      {install && (
        <div className="buttons">
          <button type="button" onClick={() => void install.run().then(() => setInstall(undefined))}>
            Install as an app
          </button>
        </div>
      )}
      <p role="status" className={said.text === "" ? "hidden" : said.isBad ? "bad" : "good"}>
        {said.text}
      </p>
    </section>
  )
}

const failed = (answered: Awaited<ReturnType<typeof remove>>): string | undefined =>
  answered.ok ? undefined : forConsent(failureText(answered.failure))
