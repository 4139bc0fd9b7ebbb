/** The port of the panel of plugins. What it needs is loaded when somebody looks at it. */

import type { PluginsPort } from "#faces/tui/panels/plugins-port.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export function lazyPluginPanel(setting: StartupContext): PluginsPort {
  let port: Promise<PluginsPort> | undefined
  const loaded = (): Promise<PluginsPort> =>
    (port ??= import("./plugin-panel.ts").then(({ pluginPanelPort }) => pluginPanelPort(setting)))
  return {
    list: async (...args) => (await loaded()).list(...args),
    page: async (...args) => (await loaded()).page(...args),
    install: async (...args) => (await loaded()).install(...args),
    enable: async (...args) => (await loaded()).enable(...args),
    disable: async (...args) => (await loaded()).disable(...args),
    remove: async (...args) => (await loaded()).remove(...args),
    update: async (...args) => (await loaded()).update(...args),
    addMarketplace: async (...args) => (await loaded()).addMarketplace(...args),
  }
}
