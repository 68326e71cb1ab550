/** Reads the contract from the public declarations of `contracts`: events, their data, and the ports of a log. */

/** Each member by name, as in `CanonicalEngineEvent.runId`, with its declaration. */
export type Surface = Readonly<Record<string, string>>;

const TYPES =
  /^(CanonicalEngineEvent|AppendOptions|AppendResult|IRunStateStore|EventLog|StateStore|EventDataByType|KeyParts|(Run|Step|Steps|Signal)\w+Data)$/;

export function surfaceOf(declarations: string): Surface {
  const interfaces = declarations.matchAll(/^export interface (\w+)[^{\n]*\{\n(.*?)^\}/gms);
  const members = [...interfaces].flatMap(([, name = "", body = ""]) =>
    TYPES.test(name) ? membersOf(body).map((text) => [`${name}.${nameOf(text)}`, text] as const) : [],
  );
  return Object.fromEntries([...members, ...eventTypesOf(declarations)]);
}

/** A member starts at one level of indentation. */
function membersOf(body: string): string[] {
  const members = body.split(/^ {4}(?=\S)(?!\})/gm).filter((member) => member.trim() !== "");
  return members.map((member) => member.replaceAll(/\s+/g, " ").trim());
}

const nameOf = (member: string): string => /^(?:readonly )?(\w+)/.exec(member)?.[1] ?? member;

function eventTypesOf(declarations: string): (readonly [string, string])[] {
  const [, list = ""] = /const eventTypes: readonly \[([^\]]*)\]/.exec(declarations) ?? [];
  return [...list.matchAll(/"(\w+)"/g)].map(([, name = ""]) => [`event type ${name}`, "optional?: event"]);
}
