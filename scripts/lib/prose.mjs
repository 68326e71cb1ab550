/**
 * The language rules of CONTRIBUTING.md as patterns. Each names the phrase that is out of place and what to write
 * instead. A pattern is worth having if a correct sentence rarely matches it.
 * @typedef {{ pattern: RegExp, advice: string, at?: "start" }} Rule `at: "start"` matches only where a sentence starts
 * @typedef {{ file: string, line: number, phrase: string, advice: string }} Finding
 */
import { passages } from "./prose-text.mjs";

/** @param {RegExp} pattern @param {string} advice @returns {Rule} */
const phrase = (pattern, advice) => ({
  pattern: new RegExp(String.raw`(?<![\w-])(?:${pattern.source})(?![\w-])`, pattern.flags.includes("g") ? "g" : "gi"),
  advice,
});

/** @param {RegExp} pattern @param {string} advice @returns {Rule} */
const start = (pattern, advice) => ({ pattern: new RegExp(`^(?:${pattern.source})`, "i"), advice, at: "start" });

/** Number of characters of a sentence that are checked. */
const LONGEST = 400;
const AMERICAN = "use American spelling";

/** @type {readonly Rule[]} */
const RULES = [
  // Persons that are not actors of the system
  phrase(/whoever|whomever|whosoever/, 'name the actor: "the worker that …", "any caller that …"'),
  phrase(/(?:no|some|every|any)body(?:'s)?/, 'name the actor: "no worker", "a reader", "every caller"'),
  phrase(/his|him|himself|hers|herself/, 'write "its" or "their", or name the actor'),
  phrase(/strangers?/, 'say what is unknown: "unknown worker", "another user"'),

  // Sentences without a clear subject
  start(/what (?![^.?!]*\?)(?!to do\b)(?!follows\b)/, "start with a verb or name the subject"),
  start(/of (?!course\b)(?!these\b)(?!those\b)(?!the \w+,)/, 'name the subject: "the run\'s …"'),
  start(/who(?:se)? (?![^.?!]*\?)/, 'name the actor: "a worker that …"'),
  start(
    /where (?!possible|applicable|available|needed|necessary)(?![^.?!]*[?,])/,
    "start with a verb or name the subject",
  ),
  start(/gives (?!up\b|way\b)/, 'write "returns" or "creates"'),
  start(/so many\b/, 'write "number of …"'),
  start(/hears\b/, 'write "is notified of", "receives"'),
  phrase(
    /what (?:is|was|are|were|has been|have been|had been) (?:(?!(?:and|or|but|what|which|that|who|if|when|because)\b)[\w-]+ ){1,5}?(?:is|was|are|were|has|have|had|must|may|can|cannot|stays|comes)/,
    'name the subject: "data that …", "runs that …"',
  ),
  phrase(/what (?:it|they) (?:likes?|pleases?)/, 'write "anything"'),
  phrase(/where there (?:is|are|was|were)/, 'write "if there is"'),
  phrase(
    /(?:null|true|false|undefined|none|absent|empty) =(?= [^=])/,
    'write it as a sentence: "`null` if the run has no deadline"',
  ),

  // The field's words
  phrase(/(?:gives?|gave|given|giving) (?:(?:it|them|this|that|the \w+) )?back/, 'write "return" or "release"'),
  phrase(/(?:go|goes|went|going|gone) on(?! the\b)/, 'write "continue" or "resume"'),
  phrase(/carr(?:y|ies|ied) on/, 'write "continue"'),
  phrase(
    /(?:take|takes|took|taken|taking) (?:(?:it|them|a run|the run|runs) )?up(?! (?:space|room|memory|to)\b)/,
    'write "claim", "pick up" or "resume"',
  ),
  phrase(/(?:takes?|took|taken) (?:it|them|its \w+) back/, 'write "revert" or "reclaim"'),
  phrase(/mend(?:s|ed|ing)?/, 'write "fix" or "repair"'),
  phrase(/(?:puts?|sets?) (?:(?:it|them|this|that) )?right/, 'write "fix"'),
  phrase(/[Bb]egin|[Bb]egins|began|begun/g, 'write "start"'),
  phrase(/(?:has|have|had|not|never|been) ended/, 'write "finished"'),
  phrase(/under way/, 'write "running" or "in progress"'),
  phrase(/(?:is|are|was|were|be|been|being|as) said/, 'write "reported", "recorded" or "specified"'),
  phrase(
    /(?:says?|said) (?:what|which|whether|where|how|why|who|when|so|nothing|as much|for itself)/,
    'write "reports", "states", "describes" or "returns"',
  ),
  phrase(/(?:tells?|told) (?:of|what|which|whether|where|how|so|when|why)/, 'write "reports" or "notifies"'),
  phrase(/(?:is|are|was|were|be|been|being|as) (?:\w+ )?told/, 'write "notified" or "instructed"'),
  phrase(/(?:is|are|was|were|be|been|being) asked/, 'name who requests what: "the caller requests …"'),
  phrase(/ask(?:s|ed)? (?:of|about|again|whether|who|which|what|how)/, 'write "request", "query", "poll" or "check"'),
  phrase(/hear(?:s|d)? (?:of|about|when|what|that)/, 'write "is notified of" or "receives"'),
  phrase(/kn(?:ow|ows|own|ew) (?:nothing )?of/, 'write "know" or "know about"'),
  phrase(/(?:rings|rang|bells?)/, 'write "notify"'),
  phrase(/rest(?:s|ed)? until/, 'write "wait until"'),
  phrase(/patien(?:ce|tly)/, 'write "timeout", "retries" or "waits"'),
  phrase(/stands? still|stood still|standing still/, 'write "stalls", "is suspended"'),
  phrase(/where (?:it|they|he|one|(?:the|a) \w+) (?:stands?|stood)/, 'write "position" or "state"'),
  phrase(/(?:came|comes?|coming|becomes?|became) of/, 'write "result" or "outcome"'),
  phrase(/of one moment|at one moment/, 'write "concurrent"'),
  phrase(/(?:by|of|from) chance/, 'write "random"'),

  // Phrases that a reader has to decode
  phrase(/anew|afresh/, 'write "again"'),
  phrase(/be it/, 'write "including", "even if"'),
  phrase(/at hand/, 'write "available"'),
  phrase(/(?:a|an|one|every|each|the|next|other|any|some) things? to do/, 'name it: "task", "action"'),
  phrase(/all there is/, 'write "everything"'),
  phrase(/nothing but|none but/, 'write "only"'),
  phrase(/but for/, 'write "except for"'),
  phrase(/(?<!\bfor )whatever|whatsoever/, 'write "any", "regardless of"'),
  phrase(/however (?:often|long|many|much|old|large|big|far|late|it|they)/, 'write "regardless of", "no matter how"'),
  phrase(/(?:a|an|one|no) [\w-]+ of (?:its|their|your|our|my) own/, 'write "its own …"'),
  phrase(/of its own accord|of their own accord/, 'write "automatically"'),
  phrase(/of (?:ours|theirs|yours)/, 'write "our …"'),
  phrase(
    /(?:it|that|this|which|he) is no (?!longer|more|less|better|worse|different|such|need|way|reason|\w+ (?:for|in|on|that|which|to))[a-z]+/,
    'write "is not a …"',
  ),
  phrase(/(?:none of (?:its|their|our) business|business of)/, "say who is responsible"),
  phrase(/all the same/, 'write "anyway"'),
  phrase(/for ever/, 'write "forever"'),
  phrase(/for good(?! reason| measure)/, 'write "permanently"'),
  phrase(/lest/, 'write "so that … not"'),
  phrase(/therein|thereof|hereof|hitherto|whereby|wherein|therefrom|thereupon|thereby/, "use a plain word"),
  phrase(/that which|those who lives?|who lives/, "name the subject"),
  phrase(/leaves? (?:itself|themselves) out/, 'write "is skipped"'),

  // Spelling
  phrase(/(?:mis)?behaviou?rs?(?<!behavior)(?<!behaviors)/, AMERICAN),
  phrase(/(?:col|hon|fav|lab|neighb|flav|harb|rum|vig)our(?:s|ed|ing|able|ite|ites|hood|ful|less)?/, AMERICAN),
  phrase(
    /(?:re|de|un)?(?:organ|recogn|normal|serial|initial|summar|author|optim|minim|maxim|custom|synchron|categor|final|general|material|parallel|priorit|sanit|standard|token|util|visual|central|character|emphas|ideal|local|memor|random|real|special|stabil|critic|apolog|canonical|capital|equal)is(?:e|es|ed|er|ers|ing|ation|ations)/,
    AMERICAN,
  ),
  phrase(
    /analys(?:e|es|ed|ing)(?<!analyses)|catalogues?|centre[sd]?|licences?|artefacts?|judgements?|defence|offence|whilst|amongst|grey(?:ed|s)?|cheques?|programmes?/,
    AMERICAN,
  ),
  phrase(/(?:travel|label|model|signal|level|fuel|channel|tunnel|marshal|unmarshal)l(?:ed|ing|er|ers)/, AMERICAN),
];

/** Most passages match no rule; one pattern finds that out faster than all of them. */
const ANY_PHRASE = new RegExp(
  RULES.filter(({ at }) => at === undefined)
    .map(({ pattern }) => pattern.source)
    .join("|"),
  "i",
);
const ANY_START = new RegExp(
  RULES.filter(({ at }) => at === "start")
    .map(({ pattern }) => pattern.source)
    .join("|"),
  "i",
);

/** @param {string} file @param {string} text @returns {Finding[]} */
export function findings(file, text) {
  return passages(file, text).flatMap((passage) =>
    inProse(withoutCode(passage.text), passage).map(({ offset, ...found }) => ({
      file,
      line: passage.line + passage.text.slice(0, offset).split("\n").length - 1,
      ...found,
    })),
  );
}

/** Code spans, addresses and tags of JSDoc are not prose. @param {string} text */
const withoutCode = (text) =>
  text
    .replaceAll(
      /`[^`\n]*`|https?:\/\/\S+|@(?:param|property|returns|type|typedef|throws)? *\{[^\n]*?\}(?=\s|$)(?: \[?[\w.]+\]?(?=\s|$))?/g,
      (span) => "·".repeat(span.length),
    )
    .replaceAll(/@[a-z-]+/gi, (tag) => " ".repeat(tag.length));

/**
 * @param {string} text
 * @param {import("./prose-text.mjs").Passage} passage
 * @returns {{ offset: number, phrase: string, advice: string }[]}
 */
function inProse(text, passage) {
  // A line break inside a sentence is a space. The marks of a list, a quote or a comment are spaces, too.
  const flat = text.replaceAll(/\n[ \t]*(?:[*>|#-]+[ \t]+)?/g, (mark) => " ".repeat(mark.length));
  const starts = sentenceStarts(text, passage).filter((offset) => ANY_START.test(flat.slice(offset, offset + LONGEST)));
  const collapsed = collapse(flat);
  const phrases = ANY_PHRASE.test(collapsed.text) ? RULES.filter(({ at }) => at === undefined) : [];
  return [
    ...RULES.filter(({ at }) => at === "start").flatMap((rule) => atStarts(rule, flat, starts)),
    ...phrases.flatMap((rule) => anywhere(rule, collapsed)),
  ].toSorted((a, b) => a.offset - b.offset);
}

/** @param {Rule} rule @param {string} text @param {readonly number[]} starts */
const atStarts = (rule, text, starts) =>
  starts.flatMap((offset) => {
    const match = rule.pattern.exec(text.slice(offset, offset + LONGEST));
    return match === null ? [] : [{ offset, phrase: excerpt(text.slice(offset)), advice: rule.advice }];
  });

/**
 * Spaces in a row become one, with the offsets of the original.
 * @param {string} text
 * @returns {{ text: string, offsets: number[] }}
 */
function collapse(text) {
  let result = "";
  /** @type {number[]} */
  const offsets = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === " " && result.endsWith(" ")) continue;
    result += text[at];
    offsets.push(at);
  }
  return { text: result, offsets };
}

/** @param {Rule} rule @param {{ text: string, offsets: number[] }} prose */
const anywhere = (rule, { text, offsets }) =>
  [...text.matchAll(rule.pattern)].map((match) => ({
    offset: offsets[match.index] ?? 0,
    phrase: match[0].trim(),
    advice: rule.advice,
  }));

/**
 * A sentence starts with its comment, string, paragraph or list item, and after a full stop. Headings, cells of tables and
 * strings of up to three words are not sentences.
 * @param {string} text
 * @param {import("./prose-text.mjs").Passage} passage
 */
function sentenceStarts(text, { kind, continued = false }) {
  if (kind === "string" && text.trim().split(/\s+/).length < 4) return [];
  const pattern =
    kind === "markdown"
      ? /(?:(?:^|\n)[ \t]*\n[ \t]*(?:(?:[*>-]|\d+\.)[ \t]+)?|\n[ \t]*(?:[*>-]|\d+\.)[ \t]+|[.!?][)*_"]*\s+)(?=[A-Za-z])/g
      : /(?:^\s*(?:\[[A-Z]+-\d+\]\s*)*|[.!?]\)?\s+)(?=[A-Za-z])/g;
  const starts = [...text.matchAll(pattern)].map((match) => ({ from: match.index, to: match.index + match[0].length }));
  return starts.filter(({ from }) => !continued || from > 0).map(({ to }) => to);
}

/** @param {string} text */
const excerpt = (text) => text.trim().split(/\s+/).slice(0, 5).join(" ");
