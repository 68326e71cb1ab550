/** The current user and what their role allows. */
import { ProblemError, type Me } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "./client.js";
import { queryClient } from "./query-client.js";

type Role = Me["role"];

const RANKS: readonly Role[] = ["viewer", "operator", "engineer", "admin"];

export function useMe() {
  return useQuery({ queryKey: ["me"], queryFn: () => client.getMe(), staleTime: 60_000 });
}

/** Returns `null` if the user has the role, otherwise the reason to show. */
export function useRefusal(needed: Role): string | null {
  const { data } = useMe();
  if (data === undefined || RANKS.indexOf(data.role) >= RANKS.indexOf(needed)) return null;
  return `Requires the ${needed} role; you have ${data.role}. Ask an admin for a key with that role.`;
}

export function isLoggedOut(error: unknown): boolean {
  return error instanceof ProblemError && error.code === "UNAUTHENTICATED";
}

export async function logIn(token: string): Promise<void> {
  await client.openSession(token.trim());
  await queryClient.invalidateQueries();
}

export async function logOut(): Promise<void> {
  await client.endSession();
  queryClient.clear();
  location.assign("/");
}
