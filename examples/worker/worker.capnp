using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:4100", http = (), service = "main")]
);

const worker :Workerd.Worker = (
  modules = [(name = "main", esModule = embed "main.js")],
  compatibilityDate = "2025-06-01",
  durableObjectNamespaces = [(className = "MarketObject", uniqueKey = "market")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "MARKET", durableObjectNamespace = "MarketObject")]
);
