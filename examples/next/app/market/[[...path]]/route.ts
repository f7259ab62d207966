import { toNextHandlers } from "@souk/server/next"
import { market } from "../../../market.ts"

export const dynamic = "force-dynamic"
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = toNextHandlers(market)
