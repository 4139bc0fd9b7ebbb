/** Where the page begins. */

import { createRoot } from "react-dom/client"
import { App } from "./app.tsx"
import { startWorker } from "./notify/installed.ts"

const root = document.getElementById("root")
if (root) createRoot(root).render(<App />)
startWorker()
