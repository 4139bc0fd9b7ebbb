/** Signing in with a browser: the address to open, and a line for the code in case the browser cannot come back. */

import type { KeyKept } from "./key.ts"
import type { LineDefinition, PanelOutcome } from "./panel.ts"
import type { SignInPort } from "./provider-panel-port.ts"

const opening: { readonly [how in SignInPort["how"]]: string } = {
  opened: "A browser opens. If it does not, open this address:",
  "comes back": "Open this address in a browser on this computer:",
  pastes: "Open this address in a browser:",
}

const ending: { readonly [how in SignInPort["how"]]: string } = {
  opened: "Approve access there. If the browser cannot come back here, paste the address that it ends at.",
  "comes back": "Approve access there. If the browser cannot come back here, paste the address that it ends at.",
  pastes: "Approve access there, then paste the code that it shows.",
}

export function signInPanel<T>({
  who,
  port,
  kept,
}: {
  readonly who: string
  readonly port: SignInPort
  readonly kept: (message: string) => PanelOutcome<T>
}): LineDefinition<T> {
  const outcome = ({ kind, message }: KeyKept): PanelOutcome<T> =>
    kind === "kept" ? kept(message) : { kind: "stays", note: message }
  return {
    kind: "line",
    title: `Sign in to ${who}`,
    about: [
      opening[port.how],
      port.url,
      "It is also in your clipboard, if your terminal allows that.",
      ending[port.how],
    ].join("\n"),
    text: "",
    shown: "secret",
    waits: "Signing in…",
    meanwhile: async (signal) => {
      const came = await port.came(signal)
      return came && outcome(came)
    },
    async submit(pasted, signal) {
      if (pasted.trim() === "")
        return { kind: "stays", note: "Paste the code or the address, or approve access in the browser." }
      return outcome(await port.exchangeCode(pasted, signal))
    },
  }
}
