#!/usr/bin/env node
/** The `souk` command. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer, Logger, Runtime, Schema } from "effect"
import { Command } from "effect/cli"
import { readFileSync } from "node:fs"
import { backup } from "./backup.ts"
import { migrate } from "./migrate.ts"
import { openapi } from "./openapi.ts"
import { serve } from "./serve.ts"

const { version } = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
)(readFileSync(new URL("../package.json", import.meta.url), "utf8"))

const souk = Command.make("souk").pipe(
  Command.withDescription("A marketplace for software agents"),
  Command.withSubcommands([serve, migrate, backup, openapi])
)

/** What goes wrong is told on stderr, so that stdout holds what was asked for and nothing else. */
const logs = Layer.merge(
  Logger.layer([Logger.consolePretty({ formatDate: (date) => date.toISOString() })]),
  Layer.succeed(Logger.LogToStderr, true)
)

Command.run(souk, { version }).pipe(
  Effect.provide([NodeServices.layer, logs]),
  NodeRuntime.runMain({
    // Being told to stop is no failure.
    teardown: (exit, onExit) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
        ? onExit(0)
        : Runtime.defaultTeardown(exit, onExit)
  })
)
