import { expect, test } from "vitest";
import { pieces, type Location, type Opened } from "./location.js";

export function links({ port, newRun }: Opened, { hasLinks = false, checksLinks = true }: Location): void {
  test(
    hasLinks ? "a link downloads one artifact without credentials" : "there are no links: the server sends the bytes",
    async () => {
      const artifact = { runId: await newRun(), stepId: "load", kind: "rows" };
      const { uri } = await port().write({ artifact, content: pieces("some rows") });
      const link = await port().link({ uri, fileName: "load-rows.csv", expiresInSeconds: 60 });
      if (!hasLinks) return expect(link).toBeNull();
      const response = await fetch(link!);
      expect(await response.text()).toBe("some rows");
      expect(response.headers.get("content-disposition")).toBe('attachment; filename="load-rows.csv"');
      if (!checksLinks) return undefined;
      const { uri: other } = await port().write({ artifact, content: pieces("other") });
      const [from, to] = [uri, other].map((one) => /art_[0-9a-f]+/.exec(one)![0]);
      const moved = await fetch(link!.replace(from!, to!));
      await moved.arrayBuffer();
      expect(moved.status).toBe(403);
      return undefined;
    },
  );
}
