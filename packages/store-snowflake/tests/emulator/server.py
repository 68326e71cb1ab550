"""A Snowflake for tests: fakesnow behind the dialect of Snowflake's HTTP interface that its driver for Node speaks.

usage: python server.py PORT, for as long as its standard input is open

The differences between this and Snowflake are listed in docs/guides/snowflake.md.
"""

import asyncio
import gzip
import json
import os
import re
import secrets
import sys
import threading
import uuid

import fakesnow.server as fake
import uvicorn
from fakesnow.instance import FakeSnow
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from results import to_json
from sessions import Bounded, Locked, Session, TableLocks
from statements import begins, ends, expand, locked_table, placeholders, split, temporary_table

# Statements without an effect on results. They are accepted and ignored.
PASSED_OVER = [
    r"\s*ALTER TABLE .*SEARCH OPTIMIZATION",
    r"\s*ALTER SESSION SET (?!AUTOCOMMIT)",
    r"\s*COMMENT ON COLUMN",
    r"\s*COMMENT ON VIEW",
]
CHUNK_ROWS = int(os.environ.get("EMULATOR_CHUNK_ROWS", "5000"))
READ_CONSISTENCY = os.environ.get("EMULATOR_READ_CONSISTENCY", "SESSION")

fake.shared_fs = FakeSnow(nop_regexes=PASSED_OVER)
fake.logger.setLevel("CRITICAL")

sessions = {}
locks = TableLocks(float(os.environ.get("EMULATOR_LOCK_TIMEOUT", "60")))
answers = Bounded(2000)  # by request and by query: a repeated request gets its response and does not run again
chunks = Bounded(2000)


def failure(code, state, message):
    return {
        "success": False,
        "code": code,
        "message": message,
        "data": {"errorCode": code, "sqlState": state, "queryId": str(uuid.uuid4())},
    }


async def body_of(request):
    raw = await request.body()
    return json.loads(gzip.decompress(raw) if request.headers.get("Content-Encoding") == "gzip" else raw)


async def login(request):
    answer = json.loads((await fake.login_request(request)).body)
    data = answer["data"]
    # With this parameter the driver would stage large binds as files.
    data["parameters"] = [each for each in data["parameters"] if each["name"] != "CLIENT_STAGE_ARRAY_BINDING_THRESHOLD"]
    data.update(sessionId=secrets.randbelow(10**12), masterToken=data["token"], validityInSeconds=3600, masterValidityInSeconds=14400)
    sessions[data["token"]] = Session()
    return JSONResponse(answer)


class OneStatement:
    """The part of a request that fakesnow reads."""

    def __init__(self, request, body):
        self.headers = {"Authorization": request.headers.get("Authorization")}
        self.url = request.url
        self.query_params = request.query_params
        self._body = json.dumps(body).encode()

    async def body(self):
        return self._body


async def run(request, session, body):
    """Runs one statement, under the locks it needs."""
    statement = body["sqlText"]
    if re.match(r"\s*SHOW\s+PARAMETERS\s+LIKE\s+'READ_CONSISTENCY_MODE'", statement, re.IGNORECASE):
        body = {**body, "sqlText": f"SELECT 'READ_CONSISTENCY_MODE' AS \"key\", '{READ_CONSISTENCY}' AS \"value\""}
    if (table := temporary_table(statement)) is not None:
        session.temporary.add(table)
    try:
        await locks.take(session, locked_table(statement))
        for each in expand(body["sqlText"]):
            binds = body.get("bindings") if placeholders(each) else None
            answer = await run_again(request, session, {**body, "sqlText": each, "bindings": binds})
            if not answer["success"]:
                break
    except Locked as table:
        answer = failure("000625", "57014", f"Statement was aborted: the lock on {table} was not released in time")
    if begins(statement):
        session.in_transaction = True
    elif ends(statement):
        session.in_transaction = False
    if not session.in_transaction:
        locks.release(session)
    return answer


async def run_again(request, session, body):
    """Serializes logins: concurrent ones collide in fakesnow's catalog, unlike in Snowflake."""
    for _ in range(5):
        answer = await run_plain(request, body)
        if answer["success"] or answer["code"] != "000603" or session.in_transaction:
            break
        await asyncio.sleep(0.05)
    return answer


async def run_plain(request, body):
    try:
        answer = json.loads((await fake.query_request(OneStatement(request, body))).body)
    except Exception as error:  # fakesnow does not support the statement
        return failure("000603", "XX000", f"{type(error).__name__}: {error}")
    if not answer["success"]:
        answer["data"] = {"queryId": str(uuid.uuid4()), "sqlState": "XX000", **(answer["data"] or {})}
        if answer["code"] == "261000":
            answer["code"] = "000603"
        return answer
    to_json(answer["data"], CHUNK_ROWS, lambda rows: keep_chunk(request, rows))
    answers[answer["data"]["queryId"]] = answer
    return answer


def keep_chunk(request, rows):
    name = str(uuid.uuid4())
    text = json.dumps(rows)[1:-1]  # a chunk is a list without its brackets
    chunks[name] = text
    return {"url": f"{request.url.scheme}://{request.url.netloc}/chunks/{name}", "rowCount": len(rows), "uncompressedSize": len(text), "compressedSize": len(text)}


async def run_several(request, session, body):
    """A request of several statements stops at the first that fails. Its transaction stays open."""
    binds = list((body.get("bindings") or {}).values())
    ids = []
    for statement in split(body["sqlText"]):
        own, binds = binds[: placeholders(statement)], binds[placeholders(statement) :]
        bindings = {str(place + 1): bind for place, bind in enumerate(own)}
        answer = await run(request, session, {**body, "sqlText": statement, "bindings": bindings or None})
        if not answer["success"]:
            return answer
        ids.append(answer["data"]["queryId"])
    column = {"name": "multiple statement execution", "type": "text", "scale": None, "precision": None, "nullable": False, "length": 100, "byteLength": 100}
    data = {
        "queryId": str(uuid.uuid4()),
        "resultIds": ",".join(ids),
        "resultTypes": ",".join(["4096"] * len(ids)),
        "rowtype": [column],
        "rowset": [["Multiple statements executed successfully."]],
        "queryResultFormat": "json",
        "statementTypeId": 40960,
    }
    to_json(data, CHUNK_ROWS, None)
    return {"success": True, "code": None, "message": None, "data": data}


async def query(request):
    token = fake.to_token(request)
    session = sessions.get(token)
    if session is None:
        return JSONResponse(failure("390104", "08001", "User must login again to access the service."))
    request_id = request.query_params.get("requestId")
    async with session.turn:
        if request_id in answers:
            return JSONResponse(answers[request_id])
        body = await body_of(request)
        count = str((body.get("parameters") or {}).get("MULTI_STATEMENT_COUNT", 1))
        answer = await (run if count == "1" else run_several)(request, session, body)
        answers[request_id] = answer
        return JSONResponse(answer)


async def result(request):
    found = answers.get(request.path_params["query"])
    return JSONResponse(found or failure("000709", "02000", "There is no such statement."))


async def chunk(request):
    return PlainTextResponse(chunks[request.path_params["name"]])


async def accept(_request):
    return JSONResponse({"success": True, "data": {}, "code": None, "message": None})


async def close(request):
    """Rolls back the open transaction of a session that closes."""
    token = fake.to_token(request)
    session = sessions.pop(token, None)
    if session is not None:
        async with session.turn:
            if session.in_transaction:
                fake.sessions[token]._duck_conn.rollback()
            locks.release(session)
    return await fake.session(request)


async def session_request(request):
    return await (close if request.query_params.get("delete") else fake.session)(request)


OWN = [
    Route("/session/v1/login-request", login, methods=["POST"]),
    Route("/queries/v1/query-request", query, methods=["POST"]),
    Route("/queries/{query}/result", result, methods=["GET"]),
    Route("/chunks/{name}", chunk, methods=["GET"]),
    Route("/telemetry/send", accept, methods=["POST"]),
    Route("/session", session_request, methods=["POST"]),
]
REPLACED = {route.path for route in OWN}
routes = OWN + [route for route in fake.routes if route.path not in REPLACED]



def end_with_parent():
    """Exits when the parent process dies: the parent holds the other end of stdin."""
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", access_log=False)
