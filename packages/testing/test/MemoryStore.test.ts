import { MemoryStore } from "@souk/core"
import { storeConformance } from "@souk/testing/conformance"

storeConformance("MemoryStore", MemoryStore.layer, {
  lacks: { processes: "It lives in the memory of one process." }
})
