import { findItem } from "./menu.js"

/** Starts an empty order. */
export function createOrder() {
  return { lines: [] }
}

/** Adds so many of an item; asking again for the same item makes the line longer, not the list. */
export function addItem(order, name, quantity = 1) {
  if (!Number.isInteger(quantity) || quantity < 1) throw new Error("Order at least one.")
  const item = findItem(name)
  const line = order.lines.find((existing) => existing.item === item)
  if (line) line.quantity += quantity
  else order.lines.push({ item, quantity })
  return order
}

/** What everything costs together, in cents. */
export function total(order) {
  return order.lines.reduce((sum, { item, quantity }) => sum + item.price * quantity, 0)
}

/** How many of the things ordered are coffees: each is worth a stamp. */
export function countCoffees(order) {
  return order.lines.filter(({ item }) => item.coffee).reduce((sum, { quantity }) => sum + quantity, 0)
}
