/** The variables of this process, for whoever is given them: nobody inside reads them itself. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
