import { countCoffees } from "./order.js"

/** A card has room for this many stamps; when it is full, the next coffee is on the house. */
export const STAMPS_PER_CARD = 10

/** A new, empty card. */
export function createCard() {
  return { stamps: 0, freeCoffees: 0 }
}

/** Stamps the card for an order, and trades every full card for a free coffee. */
export function stampCard(card, order) {
  let stamps = card.stamps + countCoffees(order)
  let freeCoffees = card.freeCoffees
  while (stamps > STAMPS_PER_CARD) {
    stamps -= STAMPS_PER_CARD
    freeCoffees += 1
  }
  return { stamps, freeCoffees }
}

/** A line for the receipt, to make the guest come back. */
export function describeCard({ stamps, freeCoffees }) {
  if (freeCoffees > 0) return `${freeCoffees} free ${freeCoffees === 1 ? "coffee" : "coffees"} waiting for you`
  return `${STAMPS_PER_CARD - stamps} stamps to your next free coffee`
}
