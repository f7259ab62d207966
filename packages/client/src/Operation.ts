/** How an operation is called, as the table of the contract has it. */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"
  /** With `:id` for each parameter. */
  readonly path: string
  /** Where the argument behind the parameters goes; without it there is none. */
  readonly input?: "query" | "body"
  /** The field of the reply that holds the items of a page. */
  readonly items?: string
}

export interface OperationTable {
  readonly [group: string]: { readonly [name: string]: Operation }
}
