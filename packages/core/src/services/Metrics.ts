/**
 * What the market counts of itself, for those who run it: a registry of Effect's metrics that belongs to one market.
 *
 * The registry is handed over and not the fiber's own, so that two markets in a process share no counter, and a host's
 * attributes and exporters do not meet the market's figures unless he gives his registry. Contract §5, GET /metrics.
 */
import { Context, Layer, Metric } from "effect"

export interface MetricsOptions {
  /** Where to count; a registry of the market's own where nothing is said. */
  readonly registry?: Metric.MetricRegistry | undefined
}

export class Metrics extends Context.Service<
  Metrics,
  {
    /** Holds every figure; what Effect's exporters read under the reference of the same name. */
    readonly registry: Metric.MetricRegistry
    /** Adds to a counter, notes an observation in a histogram, sets a gauge. Costs less than a microsecond. */
    readonly record: <Input>(metric: Metric.Metric<Input, unknown>, input: Input) => void
    /** Moves a gauge by so much. */
    readonly shift: (gauge: Metric.Gauge<number>, by: number) => void
  }
>()("@souk/core/Metrics") {
  static readonly layer = (options: MetricsOptions = {}): Layer.Layer<Metrics> =>
    Layer.sync(Metrics, () => {
      const registry: Metric.MetricRegistry = options.registry ?? new Map()
      const context = Context.make(Metric.MetricRegistry, registry)
      return Metrics.of({
        registry,
        record: (metric, input) => metric.updateUnsafe(input, context),
        shift: (gauge, by) => gauge.modifyUnsafe(by, context)
      })
    })
}
