/** A tool: its name, schema and annotations as clients see them, and the function behind it. */
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import { InputError } from "@runledger/contracts";
import { z } from "zod";
import type { McpBackend } from "./backend.js";
import type { Confirmations } from "./confirmations.js";

export interface ToolContext {
  readonly backend: McpBackend;
  /** Returns the complete id of a run. */
  readonly findRun: (given: string) => Promise<string>;
  /** The sender of actions, for a backend that does not know its caller. */
  readonly by: string | undefined;
  readonly tenantId: string | undefined;
  readonly confirmations: Confirmations;
  /** Asks the user in the client. Returns `null` if the client cannot ask. */
  readonly ask: (question: string) => Promise<boolean | null>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly inputSchema: JsonSchema;
  /** `false` if clients do not see the tool. Default: `true`. */
  readonly isListed?: boolean;
  readonly call: (context: ToolContext, given: unknown) => Promise<object>;
}

type JsonSchema = { readonly type: "object" } & Readonly<Record<string, unknown>>;

interface ToolDefinition<Input extends z.ZodObject> extends Omit<Tool, "inputSchema" | "call" | "annotations"> {
  readonly input: Input;
  /** `true` if the tool changes runs. */
  readonly changes?: boolean;
  readonly run: (context: ToolContext, input: z.output<Input>) => Promise<object>;
}

export function tool<Input extends z.ZodObject>({ input, changes, run, ...rest }: ToolDefinition<Input>): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  const isRead = changes !== true;
  return {
    ...rest,
    annotations: { title: rest.title, readOnlyHint: isRead, destructiveHint: !isRead, openWorldHint: false },
    inputSchema: inputSchema as JsonSchema,
    call: (context, given) => run(context, checked(input, given)),
  };
}

function checked<Input extends z.ZodObject>(input: Input, given: unknown): z.output<Input> {
  const { success, data, error } = input.safeParse(given ?? {});
  if (success) return data;
  const [issue] = error.issues;
  const field = issue === undefined || issue.path.length === 0 ? "arguments" : issue.path.join(".");
  throw new InputError("REQUEST_INVALID", field, `are refused: ${issue?.message ?? "unreadable"}.`);
}

export const runIdField = z
  .string()
  .min(1)
  .max(256)
  .describe("Id of a run, or at least four of its first or last characters.");
