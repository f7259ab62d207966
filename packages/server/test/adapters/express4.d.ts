/** The types of Express 5 hold for all that the tests use of Express 4. */
declare module "express4" {
  export { default } from "express"
}
