/** A TCP proxy in front of PostgreSQL that cuts or holds the connection at a chosen moment. */
import { createServer, connect, type AddressInfo, type Socket } from "node:net";

/**
 * `before`: the next message that contains `text` never arrives. `after`: it arrives and is executed, but the response is
 * lost. `hold`: it never arrives while the connection stays open, as for a suspended peer. `within`: its first part arrives,
 * then the server closes the connection while the rest is still being sent. `deaf`: it arrives and is executed, but the
 * client is suspended and does not read the response. `panic`: it arrives and is executed, but instead of the response
 * the client gets the PANIC of a German server whose disk is full.
 */
export interface Cut {
  readonly when: "before" | "after" | "hold" | "within" | "deaf" | "panic";
  readonly text: string;
}

export interface CutProxy {
  readonly url: string;
  /** Cuts once; says afterwards whether it did. */
  arm(cut: Cut): { happened(): boolean };
  close(): Promise<void>;
}

export async function startCutProxy(target: string): Promise<CutProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let armed: { readonly cut: Cut; happened: boolean } | null = null;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const hangUp = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", hangUp).on("close", hangUp);
    }
    let answerIsLost = false;
    let lastWords = "";
    let isHeld = false;
    client.on("data", (message) => {
      if (isHeld) return;
      if (armed !== null && !armed.happened && message.includes(armed.cut.text)) {
        armed.happened = true;
        const { when } = armed.cut;
        if (when === "before") return hangUp();
        if (when === "within") client.pause().end(() => client.resetAndDestroy());
        if (when === "deaf") upstream.pause();
        isHeld = when === "hold" || when === "within";
        if (isHeld) return;
        answerIsLost = when === "after" || when === "panic";
        if (when === "panic") lastWords = PANIC;
      }
      upstream.write(message);
    });
    upstream.on("data", (answer) => {
      if (!answerIsLost) client.write(answer);
      else if (endsWithReady(answer)) client.end(lastWords, hangUp); // only now is it certain that the server is done
    });
  });

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    arm: (cut) => {
      const current = { cut, happened: false };
      armed = current;
      return { happened: () => current.happened };
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** ErrorResponse: `E`, a length, fields of a letter and a text. `V` is the severity that is never translated. */
const FIELDS = ["SPANIK", "VPANIC", "C53100", 'Mcould not write to file "pg_wal/xlogtemp.1"', ""].join("\0") + "\0";
const PANIC = `E\0\0\0${String.fromCharCode(FIELDS.length + 4)}${FIELDS}`;

/** ReadyForQuery: `Z`, a length of five, a status. */
function endsWithReady(answer: Buffer): boolean {
  return answer.length >= 6 && answer.at(-6) === 0x5a && answer.readInt32BE(answer.length - 5) === 5;
}
