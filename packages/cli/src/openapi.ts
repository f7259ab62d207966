/** `souk openapi`: the OpenAPI document, for those who generate clients from it. */
import { openApiDocument } from "@souk/api"
import { Console, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BaseUrl } from "./Settings.ts"

const baseUrl = Flag.String("base-url").pipe(
  Flag.withSchema(BaseUrl),
  Flag.withDescription("What the world calls the market: https://market.example"),
  Flag.optional
)

export const openapi = Command.make("openapi", { baseUrl }, ({ baseUrl }) =>
  Console.log(JSON.stringify(openApiDocument({ serverUrl: Option.getOrUndefined(baseUrl) }), null, 2))
).pipe(
  Command.withShortDescription("Print the OpenAPI document"),
  Command.withDescription("Prints the OpenAPI 3.1 document of the market as JSON.")
)
