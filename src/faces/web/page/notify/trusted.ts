/** The one address that the page may run a worker from. */

/** Named in the page's security policy, so that no other text can become one. */
export const trustedPolicy = "service-worker"

export const workerPath = "/service-worker.js"
