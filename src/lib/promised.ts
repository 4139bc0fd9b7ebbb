/** A callback function as a promise. The runtime's own helper for this takes half a megabyte to load. */
export const promised = <T>(begin: (done: (error: Error | null, value: T) => void) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    begin((error, value) => (error ? reject(error) : resolve(value)))
  })
