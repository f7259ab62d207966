/** What a refusal says beside its code, by the name of its class in the contract. */
import type { failures } from "@souk/api"

type Failures = typeof failures

export type Details<Tag extends keyof Failures> = Failures[Tag]["to"]["Encoded"]
