import { NodeRuntime } from "@effect/platform-node"
import { Market, MemoryStore, MiniSearchIndex } from "@souk/core"
import { Market as Routes } from "@souk/server"
import { Listener } from "@souk/server/node"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerResponse } from "effect/http"

const services = Market.layer().pipe(
  Layer.provideMerge(MemoryStore.layer),
  Layer.provide([MiniSearchIndex.layer, SecureRandom.layerWebCrypto])
)
const about = HttpRouter.add("GET", "/about", HttpServerResponse.text("Our own page"))

const server = HttpRouter.serve(Layer.merge(Routes.routes(), about)).pipe(
  Listener.serve({ port: Number(process.env["PORT"] ?? 4100) }),
  Layer.provide(services)
)

NodeRuntime.runMain(Layer.launch(server))
