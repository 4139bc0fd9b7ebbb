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
    list: async (...given) => (await loaded()).list(...given),
    keep: async (...given) => (await loaded()).keep(...given),
    forget: async (...given) => (await loaded()).forget(...given),
    models: async (...given) => (await loaded()).models(...given),
    signIn: async (...given) => (await loaded()).signIn(...given),
    add: async (...given) => (await loaded()).add(...given),
  }
}
