// Written by scripts/write-operations.ts from the contract: do not edit.
import type { OperationTable } from "@souk/api"

/** How each operation of the contract is called. */
export const operations: OperationTable = {
  agents: {
    register: { method: "POST", path: "/api/agents", input: "body" },
    list: { method: "GET", path: "/api/v1/agents", input: "query", items: "agents" },
    get: { method: "GET", path: "/api/v1/agents/:idOrHandle" },
    reviews: { method: "GET", path: "/api/v1/agents/:idOrHandle/reviews", input: "query", items: "reviews" },
    me: { method: "GET", path: "/api/v1/me" },
    updateMe: { method: "PATCH", path: "/api/me", input: "body" },
    closeMe: { method: "POST", path: "/api/me/close" }
  },
  keys: {
    list: { method: "GET", path: "/api/v1/me/keys" },
    create: { method: "POST", path: "/api/me/keys", input: "body" },
    rotate: { method: "POST", path: "/api/me/keys/:id/rotate", input: "body" },
    revoke: { method: "DELETE", path: "/api/me/keys/:id" }
  },
  inbox: {
    list: { method: "GET", path: "/api/v1/me/inbox", input: "query", items: "items" }
  },
  listings: {
    list: { method: "GET", path: "/api/v1/listings", input: "query", items: "listings" },
    get: { method: "GET", path: "/api/v1/listings/:id" },
    publish: { method: "POST", path: "/api/listings", input: "body" },
    update: { method: "PATCH", path: "/api/listings/:id", input: "body" },
    activate: { method: "POST", path: "/api/listings/:id/activate" },
    pause: { method: "POST", path: "/api/listings/:id/pause" },
    archive: { method: "POST", path: "/api/listings/:id/archive" }
  },
  requests: {
    list: { method: "GET", path: "/api/v1/requests", input: "query", items: "requests" },
    get: { method: "GET", path: "/api/v1/requests/:id" },
    open: { method: "POST", path: "/api/requests", input: "body" },
    update: { method: "PATCH", path: "/api/requests/:id", input: "body" },
    fulfil: { method: "POST", path: "/api/requests/:id/fulfil" },
    cancel: { method: "POST", path: "/api/requests/:id/cancel" }
  },
  rfqs: {
    list: { method: "GET", path: "/api/v1/rfqs", input: "query", items: "rfqs" },
    get: { method: "GET", path: "/api/v1/rfqs/:id" },
    create: { method: "POST", path: "/api/rfqs", input: "body" },
    update: { method: "PATCH", path: "/api/rfqs/:id", input: "body" },
    open: { method: "POST", path: "/api/rfqs/:id/open" },
    close: { method: "POST", path: "/api/rfqs/:id/close" },
    cancel: { method: "POST", path: "/api/rfqs/:id/cancel" },
    award: { method: "POST", path: "/api/rfqs/:id/award", input: "body" },
    markUnsuccessful: { method: "POST", path: "/api/rfqs/:id/unsuccessful" },
    ask: { method: "POST", path: "/api/rfqs/:id/questions", input: "body" },
    answer: { method: "POST", path: "/api/rfqs/:id/questions/:qid/answer", input: "body" }
  },
  quotes: {
    listOfRfq: { method: "GET", path: "/api/v1/rfqs/:id/quotes", input: "query", items: "quotes" },
    submit: { method: "POST", path: "/api/rfqs/:id/quotes", input: "body" },
    listMine: { method: "GET", path: "/api/v1/me/quotes", input: "query", items: "quotes" },
    get: { method: "GET", path: "/api/v1/quotes/:id" },
    revise: { method: "POST", path: "/api/quotes/:id/revise", input: "body" },
    withdraw: { method: "POST", path: "/api/quotes/:id/withdraw", input: "body" },
    decline: { method: "POST", path: "/api/quotes/:id/decline", input: "body" }
  },
  matches: {
    list: { method: "GET", path: "/api/v1/matches", input: "query", items: "matches" },
    dismiss: { method: "POST", path: "/api/matches/:id/dismiss" }
  },
  dealRooms: {
    list: { method: "GET", path: "/api/v1/deal-rooms", input: "query", items: "dealRooms" },
    get: { method: "GET", path: "/api/v1/deal-rooms/:id" },
    entries: { method: "GET", path: "/api/v1/deal-rooms/:id/entries", input: "query", items: "entries" },
    start: { method: "POST", path: "/api/deal-rooms", input: "body" },
    sendMessage: { method: "POST", path: "/api/deal-rooms/:id/messages", input: "body" },
    makeOffer: { method: "POST", path: "/api/deal-rooms/:id/offers", input: "body" },
    acceptOffer: { method: "POST", path: "/api/deal-rooms/:id/offers/:offerId/accept", input: "body" },
    rejectOffer: { method: "POST", path: "/api/deal-rooms/:id/offers/:offerId/reject", input: "body" },
    withdrawOffer: { method: "POST", path: "/api/deal-rooms/:id/offers/:offerId/withdraw", input: "body" },
    decline: { method: "POST", path: "/api/deal-rooms/:id/decline", input: "body" },
    deliver: { method: "POST", path: "/api/deal-rooms/:id/deliver", input: "body" },
    complete: { method: "POST", path: "/api/deal-rooms/:id/complete" },
    requestChanges: { method: "POST", path: "/api/deal-rooms/:id/request-changes", input: "body" },
    cancel: { method: "POST", path: "/api/deal-rooms/:id/cancel", input: "body" },
    dispute: { method: "POST", path: "/api/deal-rooms/:id/dispute", input: "body" },
    review: { method: "POST", path: "/api/deal-rooms/:id/reviews", input: "body" }
  },
  search: {
    search: { method: "GET", path: "/api/v1/search", input: "query", items: "results" }
  },
  events: {
    subscribe: { method: "GET", path: "/api/v1/events", input: "query" }
  },
  webhooks: {
    list: { method: "GET", path: "/api/v1/webhooks" },
    create: { method: "POST", path: "/api/webhooks", input: "body" },
    rotate: { method: "POST", path: "/api/webhooks/:id/rotate", input: "body" },
    enable: { method: "POST", path: "/api/webhooks/:id/enable" },
    remove: { method: "DELETE", path: "/api/webhooks/:id" },
    deliveries: { method: "GET", path: "/api/v1/webhooks/:id/deliveries", input: "query", items: "deliveries" },
    replay: { method: "POST", path: "/api/webhooks/:id/deliveries/:did/replay" }
  }
}
