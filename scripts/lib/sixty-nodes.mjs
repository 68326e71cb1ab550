/**
 * A dbt project of 60 nodes, for tests and the bench: 4 seeds, 26 models, 2 snapshots, 28 tests.
 * @returns {Record<string, string>} the files by path, without profiles
 */
export function sixtyNodes() {
  const numbers = [...Array(12).keys()];
  const column = (/** @type {number} */ n) =>
    `  - name: stg_${n}\n    columns:\n      - name: id\n        data_tests: [unique, not_null]\n`;
  const top = (/** @type {readonly number[]} */ marts) =>
    marts.map((n) => `select ${n} as mart, id from {{ ref('mart_${n}') }}`).join("\nunion all\n");
  const snapshot = (/** @type {number} */ n) =>
    `  - name: kept_${n}\n    relation: ref('stg_${n}')\n    config:\n      unique_key: id\n      strategy: check\n      check_cols: [amount]\n`;
  const rows = [...Array(50).keys()].map((id) => `${id},${id * 7}`).join("\n");
  return {
    "dbt_project.yml": PROJECT,
    ...Object.fromEntries([0, 1, 2, 3].map((n) => [`seeds/raw_${n}.csv`, `id,amount\n${rows}\n`])),
    ...Object.fromEntries(
      numbers.map((n) => [`models/stg_${n}.sql`, `select id, amount + ${n} as amount from {{ ref('raw_${n % 4}') }}`]),
    ),
    ...Object.fromEntries(
      numbers.map((n) => [
        `models/mart_${n}.sql`,
        `{{ config(materialized='table') }}\nselect id, amount * 2 as amount from {{ ref('stg_${n}') }}`,
      ]),
    ),
    "models/top_0.sql": top(numbers.slice(0, 6)),
    "models/top_1.sql": top(numbers.slice(6)),
    "models/tests.yml": `models:\n${numbers.map(column).join("")}`,
    "snapshots/kept.yml": `snapshots:\n${[0, 1].map(snapshot).join("")}`,
    "tests/amounts_are_known.sql": "select * from {{ ref('mart_1') }} where amount is null",
    "tests/ids_are_known.sql": "select * from {{ ref('mart_2') }} where id is null",
    "tests/mart_8_is_small.sql": "select * from {{ ref('mart_8') }} where amount > 1000000",
    "tests/warns.sql": "{{ config(severity='warn') }}\nselect * from {{ ref('mart_6') }} where id < 3",
  };
}

const PROJECT = `name: sixty
version: "1.0"
config-version: 2
profile: shop
flags:
  send_anonymous_usage_stats: false
`;
