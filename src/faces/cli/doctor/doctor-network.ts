/** Whether the way to other machines is as it should be: proxies, certificates, and the clock, which certificates and signatures depend on. */

import { readFileSync } from "node:fs"
import { certificateDates } from "#ground/network/certificate-dates.ts"
import { exceptionsIn, type ProxyAddress, proxyFor } from "#ground/network/proxies.ts"
import { isListening } from "#ground/network/reachable.ts"
import { proxySettings } from "#ground/settings/network.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { type DoctorCheck, good, odd, wrong } from "./doctor-check.ts"

const patienceMs = 3_000

/** None where none is set. One that is used for both kinds of addresses is one line. */
export async function proxyChecks({ environment, loaded }: StartupContext): Promise<readonly DoctorCheck[]> {
  const { http, https, except } = proxySettings(environment, loaded.settings.network)
  const wanted = [
    ["https", https],
    ["http", http],
  ] as const
  const configured = wanted.flatMap(([scheme, proxy]) => (proxy === undefined ? [] : [{ scheme, proxy }]))
  const same = https !== undefined && https.url === http?.url
  const checked = same ? configured.slice(0, 1) : configured
  const exceptions = except.flatMap(exceptionsIn)
  return Promise.all(checked.map(({ scheme, proxy }) => proxyCheck(scheme, proxy, exceptions)))
}

async function proxyCheck(scheme: string, proxy: ProxyAddress, except: readonly string[]): Promise<DoctorCheck> {
  const chosen = proxyFor(new URL(`${scheme}://proxied.invalid/`), { [scheme]: proxy, except: [] })
  if (!chosen.ok) return wrong("proxy", `${chosen.failure}.`)
  if (chosen.value === undefined) return odd("proxy", `${proxy.from} is not used`)
  const { shown, from, url } = chosen.value
  const { hostname, port, protocol } = new URL(url)
  const address = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (protocol === "https:" ? 443 : 80)) }
  const listens = await isListening(address, { clock: systemClock, patienceMs })
  if (!listens.ok)
    return wrong("proxy", `${shown} (${from}) does not answer: ${listens.failure}. Correct or unset ${from}.`)
  const direct = except.length === 0 ? "" : `; without it: ${except.join(", ")}`
  return good("proxy", `${shown} (${from}) answers${direct}`)
}

const day = 86_400_000
/** Long enough to get another one. */
const soonDays = 30
/** A file with more is a whole store, in which some are always old. */
const mostOwn = 10

/** Certificates that the user named; those of servers are judged with each connection. */
export function certificateChecks({ environment, loaded }: StartupContext, clock: Clock): readonly DoctorCheck[] {
  const files = [
    { from: "network.caFile", file: loaded.settings.network?.caFile },
    { from: "NODE_EXTRA_CA_CERTS", file: loaded.env["NODE_EXTRA_CA_CERTS"] },
    { from: environment.givenBy.clientCertificate ?? "the client certificate", file: environment.clientCertificate },
  ]
  return files.flatMap(({ from, file }) => (file ? [certificateCheck(from, file, clock.now())] : []))
}

function certificateCheck(from: string, file: string, now: number): DoctorCheck {
  const named = `${file} (${from})`
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    return wrong("certificate", `${named} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  const found = certificateDates(text)
  if (found.length === 0) return wrong("certificate", `${named} contains no certificate in PEM.`)
  const dates = found.flatMap((one) => one ?? [])
  if (dates.length < found.length) return wrong("certificate", `${named} contains a certificate that cannot be read.`)
  const valid = dates.filter((one) => one.from <= now && now <= one.until)
  if (dates.length > mostOwn && valid.length > 0)
    return good("certificate", `${named}: ${valid.length} of ${dates.length} certificates are valid now`)
  const over = dates.find(({ until }) => until < now)
  if (over) return wrong("certificate", `${named}: ${over.subject} expired on ${dateOf(over.until)}. Get a new one.`)
  const early = dates.find(({ from: begins }) => begins > now)
  if (early)
    return wrong(
      "certificate",
      `${named}: ${early.subject} is not valid before ${dateOf(early.from)}. Is the clock right?`,
    )
  const until = Math.min(...dates.map((one) => one.until))
  const count = dates.length === 1 ? "" : `${dates.length} certificates, `
  return until - now < soonDays * day
    ? odd("certificate", `${named}: ${count}expires on ${dateOf(until)}. Get a new one.`)
    : good("certificate", `${named}: ${count}valid until ${dateOf(until)}`)
}

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** What a server said of the time, and ours when it said so. */
export interface TimeSeen {
  readonly host: string
  readonly theirs: number
  readonly ours: number
}

/** The setting with a network that notes the time which answers carry. No connection is made for it. */
export function withTimes(
  setting: StartupContext,
  clock: Clock,
): { readonly setting: StartupContext; readonly times: readonly TimeSeen[] } {
  const times: TimeSeen[] = []
  const { network } = setting
  const timed: typeof network.fetch = async (purpose, url, init) => {
    const response = await network.fetch(purpose, url, init)
    const theirs = Date.parse(response.headers.get("date") ?? "")
    if (!Number.isNaN(theirs)) times.push({ host: new URL(url).host, theirs, ours: clock.now() })
    return response
  }
  return { setting: { ...setting, network: { ...network, fetch: timed } }, times }
}

/** Answers take time, and the header counts whole seconds. */
const fineMs = 60_000
/** Beyond this, clouds refuse signatures. */
const mostMs = 300_000

export function clockChecks(times: readonly TimeSeen[]): readonly DoctorCheck[] {
  const offs = times.map(({ host, theirs, ours }) => ({ host, off: ours - theirs }))
  const worst = offs.toSorted((a, b) => Math.abs(b.off) - Math.abs(a.off))[0]
  if (!worst) return []
  const { host, off } = worst
  const seconds = Math.round(Math.abs(off) / 1000)
  if (Math.abs(off) <= fineMs) return [good("clock", `within ${Math.max(1, seconds)} s of ${host}`)]
  const says = `${seconds} s ${off > 0 ? "ahead of" : "behind"} ${host}. Set the clock, or turn on time synchronization.`
  return [Math.abs(off) > mostMs ? wrong("clock", says) : odd("clock", says)]
}
