"""The tables of the SQLite file, and the statements that must do several things at once."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from fusionlab.classroom.store import StoreUnavailable

_BUSY_SECONDS = 5.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS rooms (
    id TEXT PRIMARY KEY, pin TEXT UNIQUE, key TEXT UNIQUE, seq INTEGER NOT NULL,
    ballot TEXT, body TEXT NOT NULL, expires REAL NOT NULL,
    showing INTEGER NOT NULL DEFAULT 0, step INTEGER NOT NULL DEFAULT 0,
    level INTEGER NOT NULL DEFAULT 1, moved_by TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS passes (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, token TEXT NOT NULL,
    role TEXT NOT NULL, student TEXT NOT NULL, expires REAL,
    PRIMARY KEY (room, token)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS students (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, id TEXT NOT NULL,
    number INTEGER NOT NULL, name TEXT NOT NULL, kicked INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (room, id), UNIQUE (room, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS votes (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, ballot TEXT NOT NULL,
    student TEXT NOT NULL, choice INTEGER NOT NULL, turn INTEGER NOT NULL,
    PRIMARY KEY (room, ballot, student)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS passes_by_token ON passes (token);
"""

VOTE = """
INSERT INTO votes (room, ballot, student, choice, turn)
SELECT rooms.id, rooms.ballot, students.id, :choice, :turn
FROM rooms JOIN students ON room = rooms.id
WHERE rooms.id = :room AND rooms.ballot = :ballot AND students.id = :student AND NOT kicked
  AND rooms.expires > :now
ON CONFLICT (room, ballot, student) DO UPDATE
SET choice = excluded.choice, turn = excluded.turn WHERE excluded.turn >= votes.turn
"""

NEWER = """
SELECT 1 FROM votes
WHERE room = :room AND ballot = :ballot AND student = :student AND turn > :turn
"""

WHO = """
SELECT role, student FROM passes JOIN rooms ON rooms.id = passes.room
WHERE passes.room = :room AND token = :token AND rooms.expires > :now
  AND (passes.expires IS NULL OR passes.expires > :now)
"""


def opened(path: Path) -> sqlite3.Connection:
    """The file, with its tables; raises ``StoreUnavailable`` when it cannot be opened."""
    try:
        db = sqlite3.connect(
            path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        db.executescript(SCHEMA)
    except sqlite3.Error as problem:
        raise StoreUnavailable("store_unavailable") from problem
    return db
