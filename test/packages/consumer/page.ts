/** A page in a browser: types without those of Node. */
import { NotFoundError, Souk, verifyWebhook } from "@souk/client"
import { SoukClient } from "@souk/client/effect"

export const souk = new Souk({ baseUrl: "https://market.example" })
export const first = () => souk.listings.list({ tag: "legal" })
export const missing = (error: unknown) => error instanceof NotFoundError
export { SoukClient, verifyWebhook }
