/** What we sell. Prices are in cents. */
const menu = [
  { name: "espresso", price: 220, coffee: true },
  { name: "flat white", price: 340, coffee: true },
  { name: "cappuccino", price: 320, coffee: true },
  { name: "mint tea", price: 280, coffee: false },
  { name: "almond croissant", price: 310, coffee: false },
  { name: "banana bread", price: 290, coffee: false },
]

/** Finds an item by its name, however it is written. */
export function findItem(name) {
  const wanted = name.trim().toLowerCase()
  const item = menu.find((entry) => entry.name === wanted)
  if (!item) throw new Error(`We do not sell "${name}".`)
  return item
}

/** The cheapest thing we have, for guests in a hurry. */
export function cheapest() {
  return menu.reduce((best, entry) => (entry.price < best.price ? entry : best))
}
