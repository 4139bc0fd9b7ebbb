import { describeCard } from "./loyalty.js"
import { total } from "./order.js"

const width = 36

/** The receipt as text, one line for each thing, prices on the right. */
export function printReceipt(order, card) {
  const lines = order.lines.map(({ item, quantity }) => row(`${quantity} x ${item.name}`, item.price * quantity))
  const rule = "-".repeat(width)
  return [center("CORNER CAFÉ"), rule, ...lines, rule, row("Total", total(order)), center(describeCard(card))].join("\n")
}

/** Cents as people write money. */
export function formatMoney(cents) {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`
}

function row(label, cents) {
  return label + formatMoney(cents).padStart(width - label.length)
}

function center(text) {
  return " ".repeat(Math.floor((width - text.length) / 2)) + text
}
