#!/usr/bin/env node
/** The `souk` command. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect } from "effect"
import { CliError, Command } from "effect/cli"
import { sentenceOf } from "./sentences.ts"
import { serve } from "./serve.ts"

const run = Command.make("serve", {}, () =>
  Effect.mapError(serve, (cause) => new CliError.UserError({ userMessage: sentenceOf(cause), cause }))
).pipe(
  Command.withDescription(
    "Runs the market. PORT (4100), SOUK_HOST, SOUK_DATABASE_URL (sqlite:./souk.db, or memory:), SOUK_BASE_URL, SOUK_RATE_LIMITS (on, off) and SOUK_TRUST_PROXY (0) say how."
  )
)

const souk = Command.make("souk").pipe(
  Command.withDescription("A marketplace for software agents"),
  Command.withSubcommands([run])
)

Command.run(souk, { version: "0.1.0" }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    // Being told to stop is no failure.
    teardown: (exit, onExit) => onExit(exit._tag === "Success" || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)
