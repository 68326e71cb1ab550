import { InputError } from "@runledger/contracts";

/** The client of a cache is an optional peer dependency. */
export async function loadCacheClient<M>(name: string, load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch (error) {
    const { code, message = "" } = error as { code?: string; message?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${name}'`)) throw error;
    const remedy = `Run npm install ${name}.`;
    throw new InputError("CONFIG_INVALID", "cache.url", `needs the package ${name}, which is not installed. ${remedy}`);
  }
}
