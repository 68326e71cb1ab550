"""Results as JSON. fakesnow returns Arrow, which the driver for Node does not read."""

import base64
import datetime
import decimal
import json

import pyarrow

PARAMETERS = {
    "BINARY_OUTPUT_FORMAT": "HEX",
    "TIMESTAMP_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM",
    "DATE_OUTPUT_FORMAT": "YYYY-MM-DD",
    "TIME_OUTPUT_FORMAT": "HH24:MI:SS",
}


def to_json(data, chunk_rows, keep_chunk):
    """Changes the data of a response in place. Rows above `chunk_rows` become chunks, as in Snowflake."""
    if data.get("queryResultFormat") == "arrow":
        data["rowset"] = _rows(data.pop("rowsetBase64", ""), data["rowtype"])
        data["queryResultFormat"] = "json"
    rows = data.setdefault("rowset", [])
    data.update(total=len(rows), returned=len(rows), version=1)
    if len(rows) > chunk_rows:
        data["rowset"] = rows[:chunk_rows]
        data["chunks"] = [keep_chunk(rows[at : at + chunk_rows]) for at in range(chunk_rows, len(rows), chunk_rows)]
    parameters = data.setdefault("parameters", [])
    known = {parameter["name"] for parameter in parameters}
    parameters += [{"name": name, "value": value} for name, value in PARAMETERS.items() if name not in known]


def _rows(arrow, rowtype):
    if not arrow:
        return []
    table = pyarrow.ipc.open_stream(base64.b64decode(arrow)).read_all()
    columns = [[cell(value, column["type"]) for value in values.to_pylist()] for values, column in zip(table.columns, rowtype)]
    return [list(row) for row in zip(*columns)]


def cell(value, kind):
    """Renders a value as Snowflake does: everything is text."""
    if value is None:
        return None
    return WRITERS.get(kind, _text)(value)


def _text(value):
    return value if isinstance(value, str) else json.dumps(value)


def _fixed(value):
    return format(value, "f") if isinstance(value, decimal.Decimal) else str(value)


def _timestamp(value):
    seconds, fraction = value["epoch"], value["fraction"]
    if seconds is None:
        return None
    if seconds >= 0 or fraction == 0:
        return f"{seconds}.{fraction:09d}"
    return f"-{-(seconds + 1)}.{10**9 - fraction:09d}"  # before 1970 both parts count backwards


WRITERS = {
    "fixed": _fixed,
    "real": lambda value: repr(float(value)),
    "boolean": lambda value: "1" if value else "0",
    "date": lambda value: str((value - datetime.date(1970, 1, 1)).days),
    "time": lambda value: f"{value // 10**9}.{value % 10**9:09d}",
    "timestamp_ntz": _timestamp,
    "timestamp_ltz": _timestamp,
    "timestamp_tz": lambda value: f"{_timestamp(value)} {value['timezone']}",
    "binary": lambda value: bytes(value).hex().upper(),
}
