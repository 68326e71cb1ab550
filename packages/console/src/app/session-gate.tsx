import type { ReactNode } from "react";
import { Failure, Loading } from "../ui/states.js";
import { LoginPage } from "./login-page.js";
import { isLoggedOut, useMe } from "./session.js";

/** Nothing is asked for before it is known who asks. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useMe();
  if (isLoggedOut(error)) return <LoginPage />;
  if (data !== undefined) return children;
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  return <Loading label="Loading" />;
}
