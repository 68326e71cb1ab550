export * from "@runledger/runtime/testing";
