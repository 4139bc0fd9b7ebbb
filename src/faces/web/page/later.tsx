/** A screen that is loaded when somebody opens it, so that the first one comes sooner. See decision 180. */

import { type ComponentType, lazy, type ReactNode, Suspense } from "react"
import { Loading } from "./loading.tsx"

/** `load` imports the file of the screen; the page asks for all of them once it has nothing else to do. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): LaterScreen<Props> {
  const Loaded = lazy(async () => ({ default: await load() }))
  const Screen = (props: Props): ReactNode => (
    <Suspense fallback={<Loading failure={undefined} what="this screen" />}>
      <Loaded {...props} />
    </Suspense>
  )
  return Object.assign(Screen, { load: () => void load().catch(() => undefined) })
}

type LaterScreen<Props extends object> = ((props: Props) => ReactNode) & { readonly load: () => void }
