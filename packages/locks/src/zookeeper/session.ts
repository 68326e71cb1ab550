/**
 * A session of ZooKeeper on one connection. It is never moved to another connection: when the connection breaks or is silent,
 * the session counts as lost, and the server removes its ephemeral nodes after the session's time limit.
 */
import { connect, type Socket } from "node:net";
import { inTime, now } from "../deadline.js";
import { encode, framed, messages, Reader, type Part } from "./wire.js";
import { ZookeeperError } from "./zookeeper-error.js";

export interface SessionOptions {
  readonly host: string;
  readonly port: number;
  /** The server may choose another limit. */
  readonly timeoutMs: number;
  /** `user:password` of the scheme `digest`. */
  readonly digest: string | null;
}

const PING = { xid: -2, type: 11 };
const AUTH = { xid: -4, type: 100 };
const CLOSE = -11;

interface Pending {
  readonly resolve: (answer: Reader) => void;
  readonly reject: (reason: unknown) => void;
}

export class Session {
  readonly #socket: Socket;
  /** Requests are answered in their order. A ping has an entry, too. */
  readonly #pending: Pending[] = [];
  #xid = 0;
  #heard = now();
  #timeoutMs = 0;
  #pinging: NodeJS.Timeout | undefined;
  #lost: Error | null = null;

  static async open(options: SessionOptions): Promise<Session> {
    const session = new Session(options);
    try {
      await inTime(session.#start(options));
      return session;
    } catch (error) {
      session.#fail(error as Error);
      throw error;
    }
  }

  private constructor({ host, port }: SessionOptions) {
    this.#socket = connect({ host, port, noDelay: true });
    const collect = messages((message) => this.#receive(message));
    this.#socket.on("data", (chunk) => {
      try {
        collect(chunk);
      } catch (error) {
        this.#fail(error as Error); // a program that is not ZooKeeper answers
      }
    });
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => this.#fail(new Error("the connection was closed")));
  }

  /** The limit that the server chose: a session that is silent for longer is over. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  get isLost(): boolean {
    return this.#lost !== null || now() - this.#heard >= this.#timeoutMs;
  }

  /** Throws a `ZookeeperError` if the server refuses the request. Any other error loses the session. */
  async request(type: number, parts: readonly Part[]): Promise<Reader> {
    try {
      return await inTime(this.#send(this.#xid++, type, parts));
    } catch (error) {
      if (!(error instanceof ZookeeperError)) this.#fail(error as Error);
      throw error;
    }
  }

  /** Ends the session, so that its ephemeral nodes are removed now. Never throws. */
  async close(): Promise<void> {
    if (this.#lost === null) await this.request(CLOSE, []).catch(() => {});
    this.#fail(new Error("the session was closed"));
  }

  async #start({ timeoutMs, digest }: SessionOptions): Promise<void> {
    const none = { long: 0n };
    const greeting = [{ int: 0 }, none, { int: timeoutMs }, none, { bytes: Buffer.alloc(16) }, { flag: false }];
    const answer = await this.#write(encode(greeting));
    answer.int(); // version of the protocol
    this.#timeoutMs = answer.int();
    if (this.#timeoutMs <= 0) throw new Error("the server refused the session");
    this.#pinging = setInterval(() => this.#ping(), this.#timeoutMs / 4);
    this.#pinging.unref();
    if (digest === null) return;
    const credentials = [{ int: 0 }, { text: "digest" }, { bytes: Buffer.from(digest) }];
    await this.#send(AUTH.xid, AUTH.type, credentials);
  }

  /** A server that is silent for the session's limit has closed the session, or cannot be reached. */
  #ping(): void {
    if (this.isLost) return this.#fail(new Error("the server is silent"));
    this.#send(PING.xid, PING.type, []).catch(() => {});
  }

  #send(xid: number, type: number, parts: readonly Part[]): Promise<Reader> {
    return this.#write(encode([{ int: xid }, { int: type }, ...parts]));
  }

  #write(message: Buffer): Promise<Reader> {
    if (this.#lost !== null) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      this.#socket.write(framed(message));
    });
  }

  #receive(message: Buffer): void {
    this.#heard = now();
    const reader = new Reader(message);
    if (this.#pending.length === 0) throw new Error("the server sent a message that was not requested");
    const code = this.#timeoutMs === 0 ? 0 : codeOf(reader); // the answer to the greeting has no header
    const pending = this.#pending.shift()!;
    if (code === 0) pending.resolve(reader);
    else pending.reject(new ZookeeperError(code));
  }

  #fail(error: Error): void {
    this.#lost ??= error;
    clearInterval(this.#pinging);
    this.#socket.destroy();
    for (const { reject } of this.#pending.splice(0)) reject(this.#lost);
  }
}

function codeOf(header: Reader): number {
  header.int(); // xid
  header.long(); // zxid
  return header.int();
}
