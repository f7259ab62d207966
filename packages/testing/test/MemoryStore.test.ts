import { MemoryStore } from "@souk/core"
import { storeConformance } from "@souk/testing"

storeConformance("MemoryStore", MemoryStore.layer)
