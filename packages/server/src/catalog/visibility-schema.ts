import { z } from "zod";

export const visibilitySchema = z.union([z.literal("shared"), z.object({ tenants: z.array(z.string()) })]).meta({
  description: "Tenants that see the workflow and may start it. A caller of one tenant sees only its own name.",
});
