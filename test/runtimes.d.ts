/** What programs of ours use of Bun and Deno. Their own types cannot stand beside those of Node. */
declare const Bun: {
  serve(options: {
    readonly hostname?: string
    readonly port: number | string
    readonly idleTimeout: number
    readonly fetch: (request: Request, server: BunServer) => Response | Promise<Response>
  }): BunServer
}

interface BunServer {
  readonly port: number
  requestIP(request: Request): { readonly address: string } | null
  stop(): Promise<void>
}

declare const Deno: {
  serve(
    options: { readonly hostname?: string; readonly port: number; readonly onListen?: () => void },
    handler: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname: string } }
    ) => Response | Promise<Response>
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }
  readonly env: { get(name: string): string | undefined }
  addSignalListener(signal: "SIGTERM", handler: () => void): void
}
