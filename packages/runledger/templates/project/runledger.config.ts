import { defineConfig } from "runledger";

export default defineConfig({ workflows: ["./src/workflows/**/*.ts"] });
