/** What may be spent and how many sessions may be at work, as bars that fill. Nothing where the settings limit nothing. */

import { type ReactNode, useState } from "react"
import { costText, counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import type { Quota, Quotas } from "#faces/web/page/contract-lists.ts"
import { usePolled } from "#faces/web/page/polled.ts"

export function QuotaList(): ReactNode {
  const found = usePolled<Quotas>("/api/quotas", { everyMs: 30_000 })
  const [isWhole, setWhole] = useState(false)
  const quotas = found.value?.quotas ?? []
  if (quotas.length === 0) return null
  return (
    <section aria-label="Limits">
      <h2>Limits</h2>
      <ul className="quotas">
        {quotas.slice(0, isWhole ? quotas.length : usuallyShown).map((quota) => (
          <li key={`${quota.of} ${quota.name} ${quota.what}`}>
            <span>
              {forConsent(quota.of === "fleet" ? "Everybody" : quota.name)}{" "}
              <span className="dim">{kinds[quota.what]}</span>
            </span>
            <meter
              min={0}
              max={quota.most}
              high={quota.most * 0.8}
              value={Math.min(quota.used, quota.most)}
              aria-label={`${forConsent(quota.name)}, ${kinds[quota.what]}`}
            />
            <span>{usedWords(quota)}</span>
          </li>
        ))}
      </ul>
      {quotas.length > usuallyShown && (
        <button type="button" className="more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${quotas.length}`}
        </button>
      )}
    </section>
  )
}

/** They come with one's own first and then by how much of them is used. */
const usuallyShown = 8

const kinds: { readonly [what in Quota["what"]]: string } = {
  sessions: "sessions at work",
  usd_per_day: "today",
  usd_per_month: "this month",
}

function usedWords({ what, used, most, queued = 0 }: Quota): string {
  if (what !== "sessions") return `${used === 0 ? "$0" : costText(used)} of ${costText(most)}`
  return `${used} of ${most}${queued === 0 ? "" : `, ${counted(queued, "session")} queued`}`
}
