/** The port of the panels about providers. What it needs is loaded when somebody looks at them. */

import type { ProvidersPort } from "#faces/tui/panels/provider-panel-port.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export function lazyProviderPanel(setting: StartupContext, asking: "servers" | "nobody"): ProvidersPort {
  let port: Promise<ProvidersPort> | undefined
  const loaded = (): Promise<ProvidersPort> =>
    (port ??= import("./provider-panel-adapter.ts").then(({ providerPanelAdapter }) =>
      providerPanelAdapter(setting, asking),
    ))
  return {
    list: async (...args) => (await loaded()).list(...args),
    keep: async (...args) => (await loaded()).keep(...args),
    forget: async (...args) => (await loaded()).forget(...args),
    models: async (...args) => (await loaded()).models(...args),
    signIn: async (...args) => (await loaded()).signIn(...args),
    add: async (...args) => (await loaded()).add(...args),
  }
}
