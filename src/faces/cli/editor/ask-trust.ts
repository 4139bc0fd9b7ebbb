/** Asks in the editor whether a folder's own settings may take effect, as the terminal does before it opens a session. */

import { elicitationAnswer, readParams } from "#faces/acp/params.ts"
import type { ClientLink, SessionRequest } from "#faces/acp/run.ts"
import type { StartFailure } from "#faces/cli/failure.ts"
import { trustQuestion } from "#faces/cli/first-run.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"
import type { TrustRow } from "#faces/tui/first-run/ports.ts"
import { forConsent } from "#lib/printable.ts"
import { ok, type Result } from "#lib/result.ts"

/** Only for an editor with forms: nothing else can be asked before there is a session. `declined`: folders that are not asked about again. */
export async function asTrusted(
  args: Arguments<FlagName>,
  setting: StartupContext,
  { requestId }: Pick<SessionRequest, "requestId">,
  link: ClientLink,
  declined: Set<string>,
): Promise<Result<StartupContext, StartFailure>> {
  let now = setting
  while (now.untrusted.length > 0 && link.client.elicitation?.form !== undefined && !declined.has(now.cwd)) {
    const question = await trustQuestion(args, now)
    const trust = question?.ports.trust
    if (!question || !trust) break
    const isTrusted = await asks(trust.folder, trust.runs, requestId, link)
    if (!isTrusted || !trust.accept().ok) {
      declined.add(now.cwd)
      break
    }
    // Files may have been changed while the question was open: what was not shown is asked about.
    const again = await readSetting(args, now.cwd, question.accepted)
    if (!again.ok) return again
    now = again.value
  }
  return ok(now)
}

async function asks(
  folder: string,
  lines: readonly TrustRow[],
  requestId: SessionRequest["requestId"],
  { rpc }: ClientLink,
): Promise<boolean> {
  const rows = lines.flatMap(({ file, what, detail, more = [] }) =>
    [`${file}: ${what}: ${detail}`, ...more.map((row) => `  ${row}`)].map(forConsent),
  )
  const asked = await rpc.request(
    "elicitation/create",
    {
      requestId,
      mode: "form",
      message: [`Trust ${forConsent(folder)}? Its files would run or allow:`, ...rows].join("\n"),
      requestedSchema: { type: "object", properties: { trust: choice }, required: ["trust"] },
    },
    { signal: new AbortController().signal },
  )
  const said = asked.ok ? readParams(elicitationAnswer, asked.value) : asked
  return said.ok && said.value.action === "accept" && said.value.content?.["trust"] === "yes"
}

const choice = {
  type: "string",
  title: "Trust this folder",
  oneOf: [
    { const: "yes", title: "Yes, use its settings" },
    { const: "no", title: "No, leave them out" },
  ],
}
