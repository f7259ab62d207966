/**
 * What stands for `WebhookSender.ts` in workers, by the conditions in the manifest. Workers cannot connect to an address
 * that was judged before, and the network modules of Node would keep a bundle from loading where there are none.
 */
import { Layer } from "effect"

/** Sends for nobody: the market takes no webhooks. */
export const layer = (): Layer.Layer<never> => Layer.empty
