import type { ReactNode } from "react";
import { Failure, Loading } from "../ui/states.js";
import { LoginPage } from "./login-page.js";
import { isLoggedOut, useMe } from "../api/session.js";

/** Renders the page only after the server has confirmed the session. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useMe();
  if (isLoggedOut(error)) return <LoginPage />;
  if (data !== undefined) return children;
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  return <Loading label="Loading" />;
}
