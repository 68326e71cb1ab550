"""Rewrites statements for fakesnow: features of Snowflake that it lacks, and rules that it applies too strictly."""

import re

TOKEN = re.compile(
    r"'(?:[^'\\]|''|\\.)*'"  # a string
    r'|"(?:[^"]|"")*"'  # a quoted name
    r"|\$\$.*?\$\$"
    r"|--[^\n]*"
    r"|/\*.*?\*/"
    r"|.",
    re.DOTALL,
)


def split(text):
    """Splits a request into statements. A `;` inside a string, a name or a comment does not separate them."""
    statements, current = [], []
    for token in TOKEN.findall(text):
        if token == ";":
            statements.append("".join(current))
            current = []
        elif not token.startswith(("--", "/*")):
            current.append(token)
    statements.append("".join(current))
    return [statement.strip() for statement in statements if statement.strip()]


def placeholders(statement):
    """Counts the `?` that are binds."""
    return TOKEN.findall(statement).count("?")


CREATE_TABLE = re.compile(
    r"\s*CREATE\s+(?P<replace>OR\s+REPLACE\s+)?(?P<kind>HYBRID|TRANSIENT|TEMPORARY|TEMP)?\s*TABLE\s+"
    r"(?P<exists>IF\s+NOT\s+EXISTS\s+)?(?P<name>[\w.\"]+)\s*\(",
    re.IGNORECASE,
)
TABLE_KEY = re.compile(r"\s*(CONSTRAINT\s+\w+\s+)?(PRIMARY\s+KEY|UNIQUE|FOREIGN\s+KEY)\b", re.IGNORECASE)
COLUMN_KEY = re.compile(r"\s(PRIMARY\s+KEY|UNIQUE)\b", re.IGNORECASE)
TABLE_INDEX = re.compile(r"\s*INDEX\s", re.IGNORECASE)


OBJECT_INSERT = re.compile(r"OBJECT_INSERT\(TO_OBJECT\(([\w.]+)\), ('\w+'), (.+?)\) AS ", re.IGNORECASE)


def rewrite(statement):
    statement = OBJECT_INSERT.sub(r"JSON_MERGE_PATCH(\1, OBJECT_CONSTRUCT(\2, \3)) AS ", statement)
    created = CREATE_TABLE.match(statement)
    return _rewrite_table(statement, created) if created else statement


def _rewrite_table(statement, created):
    """Hybrid tables lose their indexes; the keys of any other table are not enforced, as in Snowflake."""
    hybrid = (created["kind"] or "").upper() == "HYBRID"
    end = _closing(statement, created.end())
    columns = _split_columns(statement[created.end() : end])
    if hybrid:
        columns = [column for column in columns if not TABLE_INDEX.match(column)]
    else:
        columns = [COLUMN_KEY.sub("", column) for column in columns if not TABLE_KEY.match(column)]
    kind = "" if hybrid else (created["kind"] or "")
    head = f"CREATE {created['replace'] or ''}{kind} TABLE {created['exists'] or ''}{created['name']}"
    return f"{head} ({','.join(columns)}){statement[end + 1 :]}"


def _closing(text, start):
    depth, at = 1, start
    for token in TOKEN.findall(text[start:]):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0:
            return at
        at += len(token)
    raise ValueError("a parenthesis is not closed")


def _split_columns(text):
    columns, current, depth = [], [], 0
    for token in TOKEN.findall(text):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if token == "," and depth == 0:
            columns.append("".join(current))
            current = []
        else:
            current.append(token)
    return columns + ["".join(current)]


OVERWRITE = re.compile(r"\s*INSERT\s+OVERWRITE\s+INTO\s+([\w.\"]+)", re.IGNORECASE)


DEFINITION = re.compile(r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:PROCEDURE|FUNCTION)\s+(\w+)", re.IGNORECASE)


def expand(statement):
    """Expands a statement into those that fakesnow accepts. Procedures and functions are recorded: it has none."""
    if defined := DEFINITION.match(statement):
        return [f"SELECT '{defined[1]} successfully created.' AS \"status\""]
    overwritten = OVERWRITE.match(statement)
    if not overwritten:
        return [rewrite(statement)]
    name = overwritten[1]
    return [f"DELETE FROM {name}", f"INSERT INTO {name}{statement[overwritten.end():]}"]


TEMPORARY = re.compile(r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMPORARY|TEMP)\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.\"]+)", re.I)
EXCLUSIVE = re.compile(r"\s*(?:UPDATE|DELETE\s+FROM|MERGE\s+INTO)\s+([\w.\"]+)", re.IGNORECASE)


def _table(match):
    return match and match[1].upper().split(".")[-1].strip('"')


def temporary_table(statement):
    """Returns the temporary table of a statement, which needs no lock."""
    return _table(TEMPORARY.match(statement))


def locked_table(statement):
    """Returns the table that this statement locks until its transaction finishes. None if it locks nothing."""
    return _table(EXCLUSIVE.match(statement))


def begins(statement):
    return re.match(r"\s*(BEGIN|START\s+TRANSACTION)\b", statement, re.IGNORECASE) is not None


def ends(statement):
    return re.match(r"\s*(COMMIT|ROLLBACK)\b", statement, re.IGNORECASE) is not None
