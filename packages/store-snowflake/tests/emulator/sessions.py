"""Sessions and their locks: each session runs one statement at a time and locks tables until its transaction finishes."""

import asyncio
from collections import OrderedDict


class Bounded(OrderedDict):
    """Drops the oldest entries."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        while len(self) > self.most:
            self.popitem(last=False)


class Session:
    def __init__(self):
        self.turn = asyncio.Lock()
        self.in_transaction = False
        self.held = set()
        self.temporary = set()


class Locked(Exception):
    """Another session held the table for too long."""


class TableLocks:
    """UPDATE, DELETE and MERGE exclude each other per table until COMMIT: an approximation of Snowflake's locks."""

    def __init__(self, timeout):
        self.timeout = timeout
        self.locks = {}

    async def take(self, session, table):
        if table is None or table in session.held or table in session.temporary:
            return
        lock = self.locks.setdefault(table, asyncio.Lock())
        try:
            await asyncio.wait_for(lock.acquire(), self.timeout)
        except asyncio.TimeoutError:
            raise Locked(table) from None
        session.held.add(table)

    def release(self, session):
        for table in session.held:
            self.locks[table].release()
        session.held.clear()
