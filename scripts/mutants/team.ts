/** Mutants of teams: leases, claims, shared budgets, who may answer. T with two digits: survivors of a review, at the places where their subjects are now; it does not describe T10. */

import { type Mutant, mutant } from "./mutant.ts"

const calls = "unit/team/calls.test.ts"
const leases = "unit/team/leases.test.ts"
const next = "unit/team/next-work.test.ts unit/team/idle.test.ts"
const forged = "unit/ground/team/forged.test.ts"
const hooks = "suite/team/work.test.ts#never.satisfied"

export const team: readonly Mutant[] = [
  mutant("T11", "team/work-loop.ts", "const mostSentBack = 10", "const mostSentBack = 10_000", hooks),
  mutant("T13", "team/hosts/serve-member.ts", ' || (body.kind === "answer" && parts.isClosing())', "", calls),
  mutant("T14", "team/hosts/serve-member.ts", "if (allTokens(usage) > 0)\n", "if (false)\n", calls),
  mutant(
    "T14b",
    "team/hosts/process.ts",
    "port.bookUnreported(ask.id, `${ask.name} ${ask.id}`)\n",
    "\n",
    "unit/team/unreported.test.ts",
  ),

  mutant(
    "T101",
    "team/leases.ts",
    "if (checks < mostSilentChecks && !(await parts.isGone(claim.owner))) continue",
    "if (!(await parts.isGone(claim.owner))) continue",
    leases,
  ),
  mutant(
    "T102",
    "team/leases.ts",
    "if (checks < mostSilentChecks && !(await parts.isGone(claim.owner))) continue",
    "if (checks < mostSilentChecks) continue",
    leases,
  ),
  mutant("T103", "team/leases.ts", "before?.beat === claim.beat ? before.checks + 1 : 0", "0", leases),
  mutant(
    "T104",
    "team/leases.ts",
    "before?.beat === claim.beat ? before.checks + 1 : 0",
    "(before?.checks ?? -1) + 1",
    leases,
  ),
  mutant("T105", "team/leases.ts", "if (own.size > 0) await board.beat([...own])", "", leases),
  mutant("T106", "team/leases.ts", "if (own.size > 0 || others.length > 0) again()", "again()", leases),
  mutant("T107", "team/next-work.ts", "if (unread.length > 0) return", "if (false) return", next),
  mutant("T108", "team/next-work.ts", "if (openTask !== undefined && late === 0)", "if (openTask !== undefined)", next),
  mutant("T109", "team/hosts/serve-member.ts", "if (isClosed) release()\n    else reservations", "reservations", calls),
  mutant(
    "T110",
    "team/hosts/serve-member.ts",
    "for (const { reservation } of reservations.values()) reservation.release()",
    "",
    calls,
  ),
  mutant(
    "T111",
    "team/hosts/serve-member.ts",
    "if (answered.delete(number))",
    "if (answered.has(number) && false)",
    calls,
  ),
  mutant("T112", "team/hosts/serve-member.ts", "reservations.delete(id)\n", "\n", calls),
  mutant("T113", "team/hosts/lead-calls.ts", 'if (kind !== "ask") resolve(undefined)', "resolve(undefined)", calls),
  mutant("T114", "team/hosts/lead-calls.ts", 'send({ kind: "cancel", number })', "", calls),
  mutant("T115", "team/hosts/lead-calls.ts", "if (isLost) parts.onStuck()", "", calls),
  mutant(
    "T116",
    "ground/team/seals.ts",
    'return seal !== null && isSame(seal, right) ? "true" : "forged"',
    'return seal === null || isSame(seal, right) ? "true" : "forged"',
    forged,
  ),
  mutant(
    "T117",
    "ground/team/seals.ts",
    'if (json === "" || !isSame(String(text).slice(0, sealLength), right)) return { kind: "forged" }',
    'if (json === "") return { kind: "forged" }',
    forged,
  ),
  mutant(
    "T118",
    "team/claims.ts",
    'if (open.owner !== name) return failed({ kind: "claimed", id, owner: open.owner })',
    "",
    "unit/team/claims.test.ts",
  ),
  mutant("T119", "team/claims.ts", "leases.drop(lease)", "", "unit/team/claims.test.ts"),
  mutant(
    "T120",
    "session/adapters/member-adapter.ts",
    "const tokens = paid.tokens - reported.tokens",
    "const tokens = paid.tokens",
    "unit/team/unreported.test.ts",
  ),
  mutant(
    "T121",
    "session/adapters/member-adapter.ts",
    "name === who || name.startsWith(`${who}, `)",
    "name.startsWith(who)",
    "unit/team/unreported.test.ts",
  ),
]
