/** Turns scrapes of real processes into series for `promtool test rules`. Scrape n is the value at minute n. */
import { stringify } from "yaml";

export interface Scrape {
  /** Samples by series, such as `runledger_live_workers{instance="front"}`. */
  readonly samples: ReadonlyMap<string, number>;
}

/** Reads the text format of Prometheus, and adds the labels that Prometheus adds to the samples of a target. */
export function readScrape(
  text: string,
  { instance, job }: { readonly instance: string; readonly job: string },
): Scrape {
  const samples = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const all = [...(labels === "" ? [] : [labels]), `instance="${instance}"`, `job="${job}"`];
    samples.set(`${name}{${all.join(",")}}`, Number(value));
  }
  return { samples };
}

/** The samples of all targets at one time. */
export function merged(scrapes: readonly Scrape[]): Scrape {
  return { samples: new Map(scrapes.flatMap(({ samples }) => [...samples])) };
}

/** Returns the series whose names the rules mention. */
function seriesOf(scrapes: readonly Scrape[], names: ReadonlySet<string>) {
  const all = new Set(scrapes.flatMap(({ samples }) => [...samples.keys()]));
  const wanted = [...all].filter((series) => names.has(series.slice(0, series.indexOf("{"))));
  return wanted.map((series) => {
    const values = scrapes.map(({ samples }) => String(samples.get(series) ?? "_"));
    return { series, values: values.join(" ") };
  });
}

/** An alert of a rule. */
interface Expected {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RuleTest {
  readonly name: string;
  readonly scrapes: readonly Scrape[];
  /** The alerts at the time of the last scrape, for each of these rules. */
  readonly rules: Readonly<Record<string, readonly Expected[]>>;
}

/** Returns a file of tests for promtool. */
export function ruleTests(ruleFile: string, metrics: ReadonlySet<string>, tests: readonly RuleTest[]): string {
  const one = ({ name, scrapes, rules }: RuleTest) => ({
    name,
    interval: "1m",
    input_series: seriesOf(scrapes, metrics),
    alert_rule_test: Object.entries(rules).map(([alertname, expected]) => ({
      eval_time: `${scrapes.length - 1}m`,
      alertname,
      exp_alerts: expected.map(({ labels, annotations }) => ({ exp_labels: labels, exp_annotations: annotations })),
    })),
  });
  return stringify({ rule_files: [ruleFile], evaluation_interval: "1m", tests: tests.map(one) });
}
