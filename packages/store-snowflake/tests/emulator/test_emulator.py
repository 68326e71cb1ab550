"""The shim's own tests: python -m unittest, from this folder."""

import asyncio
import datetime
import decimal
import unittest

from results import cell, to_json
from sessions import Bounded, Locked, Session, TableLocks
from statements import begins, ends, expand, locked_table, placeholders, rewrite, split, temporary_table


class Statements(unittest.TestCase):
    def test_a_request_is_split_outside_of_strings_names_and_comments(self):
        text = "SELECT ';', \"a;b\", $$;$$, 'it''s;' -- ; no\n; /* ; */ COMMIT;\n"
        self.assertEqual(split(text), ["SELECT ';', \"a;b\", $$;$$, 'it''s;'", "COMMIT"])

    def test_binds_are_counted_outside_of_strings(self):
        self.assertEqual(placeholders("SELECT ?, '?', \"?\", ? -- ?"), 2)

    def test_hybrid_tables_keep_their_keys_and_lose_their_indexes(self):
        made = rewrite("CREATE HYBRID TABLE IF NOT EXISTS T (A STRING DEFAULT ',', PRIMARY KEY (A), INDEX I (A)) COMMENT = 'x'")
        self.assertEqual(made, "CREATE  TABLE IF NOT EXISTS T (A STRING DEFAULT ',', PRIMARY KEY (A)) COMMENT = 'x'")

    def test_keys_of_other_tables_are_not_enforced(self):
        made = rewrite("CREATE TABLE T (A STRING PRIMARY KEY, B NUMBER(38,0), CONSTRAINT K UNIQUE (B))")
        self.assertEqual(made, "CREATE  TABLE T (A STRING, B NUMBER(38,0))")

    def test_a_field_is_put_into_an_object(self):
        made = rewrite("SELECT OBJECT_INSERT(TO_OBJECT(h.A), 'b', COALESCE(c, 1)) AS D FROM T")
        self.assertEqual(made, "SELECT JSON_MERGE_PATCH(h.A, OBJECT_CONSTRUCT('b', COALESCE(c, 1))) AS D FROM T")

    def test_overwriting_is_deleting_and_inserting(self):
        self.assertEqual(expand("INSERT OVERWRITE INTO T (A) SELECT ?"), ["DELETE FROM T", "INSERT INTO T (A) SELECT ?"])

    def test_procedures_are_taken_note_of(self):
        self.assertEqual(expand("CREATE OR REPLACE PROCEDURE P(A ARRAY) AS $$ $x; $$"), ["SELECT 'P successfully created.' AS \"status\""])

    def test_what_locks_what(self):
        self.assertEqual(locked_table(" update S.\"T\" set A = 1"), "T")
        self.assertEqual(locked_table("DELETE FROM t"), "T")
        self.assertIsNone(locked_table("INSERT INTO T SELECT 1"))
        self.assertEqual(temporary_table("CREATE TEMPORARY TABLE IF NOT EXISTS B (A STRING)"), "B")

    def test_where_transactions_begin_and_end(self):
        self.assertTrue(begins("BEGIN") and begins("start transaction") and not begins("BEGINNING"))
        self.assertTrue(ends("COMMIT") and ends(" rollback"))


class Results(unittest.TestCase):
    def test_values_are_written_as_snowflake_writes_them(self):
        self.assertEqual(cell(decimal.Decimal("1E+2"), "fixed"), "100")
        self.assertEqual(cell(True, "boolean"), "1")
        self.assertEqual(cell(datetime.date(1970, 1, 11), "date"), "10")
        self.assertEqual(cell({"epoch": 5, "fraction": 120_000_000}, "timestamp_ntz"), "5.120000000")
        self.assertEqual(cell({"epoch": -2, "fraction": 500_000_000}, "timestamp_ntz"), "-1.500000000")
        self.assertEqual(cell("text", "text"), "text")
        self.assertIsNone(cell(None, "fixed"))

    def test_large_results_come_in_chunks(self):
        kept = []
        data = {"queryResultFormat": "json", "rowset": [[str(n)] for n in range(5)]}
        to_json(data, 2, lambda rows: kept.append(rows) or {"rowCount": len(rows)})
        self.assertEqual(data["rowset"], [["0"], ["1"]])
        self.assertEqual(kept, [[["2"], ["3"]], [["4"]]])
        self.assertEqual(data["total"], 5)


class Sessions(unittest.TestCase):
    def test_a_table_is_kept_until_its_transaction_ends(self):
        async def scene():
            locks, first, second = TableLocks(0.01), Session(), Session()
            await locks.take(first, "T")
            await locks.take(first, "T")  # its own
            with self.assertRaises(Locked):
                await locks.take(second, "T")
            locks.release(first)
            await locks.take(second, "T")

        asyncio.run(scene())

    def test_what_only_its_session_sees_is_not_locked(self):
        async def scene():
            locks, first = TableLocks(0.01), Session()
            first.temporary.add("B")
            await locks.take(first, "B")
            self.assertEqual(first.held, set())

        asyncio.run(scene())

    def test_what_is_kept_is_bounded(self):
        kept = Bounded(2)
        for n in range(3):
            kept[n] = n
        self.assertEqual(list(kept), [1, 2])


if __name__ == "__main__":
    unittest.main()
