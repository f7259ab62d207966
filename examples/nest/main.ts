import "reflect-metadata"
import { NestFactory } from "@nestjs/core"
import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import { toNestModule } from "@souk/server/nest"

const market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })

class AppModule {
  onApplicationBootstrap() {
    console.log("The market is at /market.")
  }
}

// What `@Module({ imports })` on the class says: Node runs TypeScript without its decorators.
const application = { module: AppModule, imports: [toNestModule(market)] }

const app = await NestFactory.create(application, { rawBody: true, logger: ["error"] })
app.enableShutdownHooks()
await app.listen(Number(process.env["PORT"] ?? 4100))
