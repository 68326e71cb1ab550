import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import type { Plugin } from "vite";

const compress = promisify(brotliCompress);
const TEXT = /\.(js|css|html|svg)$/;

/**
 * Compresses each text file, so that the server need not do so for every request. Only the document keeps its plain form:
 * the server decompresses the others for the few clients that do not accept Brotli.
 */
export function compressPlugin(): Plugin {
  return {
    name: "compress",
    apply: "build",
    generateBundle: {
      order: "post",
      async handler(_, bundle) {
        const files = Object.values(bundle).filter(({ fileName }) => TEXT.test(fileName));
        await Promise.all(
          files.map(async (file) => {
            const source = Buffer.from(file.type === "chunk" ? file.code : file.source);
            const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
            this.emitFile({
              type: "asset",
              fileName: `${file.fileName}.br`,
              source: await compress(source, { params }),
            });
            if (!file.fileName.endsWith(".html")) delete bundle[file.fileName];
          }),
        );
      },
    },
  };
}
