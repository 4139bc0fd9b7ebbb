import { createCard, stampCard } from "./loyalty.js"
import { addItem, createOrder } from "./order.js"
import { printReceipt } from "./receipt.js"

const order = createOrder()
addItem(order, "Flat white", 2)
addItem(order, "Almond croissant")
addItem(order, "Espresso")

console.log(printReceipt(order, stampCard({ ...createCard(), stamps: 4 }, order)))
