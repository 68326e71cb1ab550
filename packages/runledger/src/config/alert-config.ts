/** The webhook of alerts, from the configuration and from environment variables, which take precedence. */
import type { AlertOptions } from "@runledger/runtime/alerts/alert-webhook";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the option of `connect`. */
export function alertsOf(
  config: AlertOptions | undefined,
  environment: Environment,
): { readonly alerts?: AlertOptions } {
  const url = environment["RUNLEDGER_ALERT_WEBHOOK"] ?? "";
  const names = environment["RUNLEDGER_ALERT_WEBHOOK_SECRETS"] ?? "";
  if (url === "") return config === undefined ? {} : { alerts: config };
  const secrets = names === "" ? config?.webhook?.secrets : names.split(",").map((name) => name.trim());
  return { alerts: { ...config, webhook: { url, ...(secrets && { secrets }) } } };
}
