import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import type { Plugin } from "vite";

const compress = promisify(brotliCompress);
const TEXT = /\.(js|css|html|svg)$/;

/** Each text also as it travels, so that no server compresses it again for every reader. */
export function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    generateBundle: {
      order: "post",
      async handler(_, bundle) {
        const files = Object.values(bundle).filter(({ fileName }) => TEXT.test(fileName));
        await Promise.all(
          files.map(async (file) => {
            const source = Buffer.from(file.type === "chunk" ? file.code : file.source);
            const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
            this.emitFile({
              type: "asset",
              fileName: `${file.fileName}.br`,
              source: await compress(source, { params }),
            });
          }),
        );
      },
    },
  };
}
