/** Reads secrets from the environment, because a URL on the command line is kept in the shell's history. */
export function snowflakeCredentials(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const credentials = {
    password: environment["SNOWFLAKE_PASSWORD"],
    privateKeyPath: environment["SNOWFLAKE_PRIVATE_KEY_PATH"],
    privateKeyPassphrase: environment["SNOWFLAKE_PRIVATE_KEY_PASSPHRASE"],
    token: environment["SNOWFLAKE_TOKEN"],
  };
  const isSet = (entry: readonly [string, string | undefined]): entry is [string, string] => (entry[1] ?? "") !== "";
  return Object.fromEntries(Object.entries(credentials).filter(isSet));
}
