import { ProblemError } from "@runledger/client";
import { QueryClient } from "@tanstack/react-query";

/** The client of the API has repeated what was safe to repeat; what is left here is said to the reader. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (_, error) => error instanceof ProblemError && error.status === 0,
      retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 10_000),
      staleTime: 5_000,
      refetchOnWindowFocus: true,
    },
  },
});
