import { QueryClient } from "@tanstack/react-query";
import { isUnreachable } from "../unreachable.js";

/** The API client already retries safe requests. React Query retries only while the server cannot be reached. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (_, error) => isUnreachable(error),
      networkMode: "always", // the server may be on a machine without a network
      retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 10_000),
      staleTime: 5_000,
      refetchOnWindowFocus: true,
    },
  },
});
