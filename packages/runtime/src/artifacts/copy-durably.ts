/** Copies a file to a name that is free, on file systems without links. */
import { constants } from "node:fs";
import { copyFile, open, rm } from "node:fs/promises";

/** Fails with EEXIST if the name is taken. Any other failure leaves no file there. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL); // removes what it has not finished
  try {
    await sync(to);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
