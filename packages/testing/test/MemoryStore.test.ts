import { MemoryStore } from "@souk/core"
import { storeConformance } from "@souk/testing/conformance"

storeConformance("MemoryStore", MemoryStore.layer)
