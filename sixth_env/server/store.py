"""Hosted matches in an SQLite file: after a kill they go on where they were."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path

from sixth_env.errors import ConfigError
from sixth_env.server.matches import Record, Seat

_VERSION = 1
_TABLES = """
CREATE TABLE matches (
    id TEXT PRIMARY KEY, touched REAL NOT NULL, game TEXT NOT NULL, rules TEXT NOT NULL,
    seed TEXT NOT NULL, seats TEXT NOT NULL, committed TEXT NOT NULL, notes TEXT NOT NULL
);
CREATE TABLE steps (
    match TEXT NOT NULL REFERENCES matches(id) ON DELETE CASCADE,
    number INTEGER NOT NULL, actions TEXT NOT NULL, PRIMARY KEY (match, number)
) WITHOUT ROWID;
"""


class Store:
    """The file; any thread may use it.

    What was saved is there after the process was killed; after a power cut, all but the last
    moments.

    Args:
        file: is made if it is not there.

    Raises:
        ConfigError: it cannot be opened, or is something else.
    """

    def __init__(self, file: Path) -> None:
        self._lock = threading.Lock()
        try:
            self._file = sqlite3.connect(file, check_same_thread=False, timeout=1.0)
            self._file.execute("PRAGMA locking_mode = EXCLUSIVE")  # one server alone
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA foreign_keys = ON")
            self._begin(file)
        except sqlite3.Error as error:
            raise ConfigError(f"{file} cannot be used for hosted matches: {error}") from None

    def _begin(self, file: Path) -> None:
        (version,) = self._file.execute("PRAGMA user_version").fetchone()
        (tables,) = self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if version == 0 and tables == 0:
            with self._file:
                self._file.executescript(_TABLES + f"PRAGMA user_version = {_VERSION};")
        elif version != _VERSION:
            raise ConfigError(f"{file} is no file of hosted matches of this version")

    def ids(self) -> dict[str, float]:
        """All matches, with when each was touched last."""
        with self._lock:
            return dict(self._file.execute("SELECT id, touched FROM matches").fetchall())

    def load(self, match: str) -> Record:
        """What was saved of a match that is there."""
        with self._lock:
            game, rules, seed, seats, committed, notes = self._file.execute(
                "SELECT game, rules, seed, seats, committed, notes FROM matches WHERE id = ?",
                (match,),
            ).fetchone()
            steps = self._file.execute(
                "SELECT actions FROM steps WHERE match = ? ORDER BY number", (match,)
            ).fetchall()
        return Record(
            game=game,
            rules=json.loads(rules),
            seed=int(seed),
            seats=[Seat(**seat) for seat in json.loads(seats)],
            actions=[json.loads(actions) for (actions,) in steps],
            committed={int(seat): action for seat, action in json.loads(committed).items()},
            notes=json.loads(notes),
        )

    def save(self, match: str, record: Record, touched: float) -> None:
        """Save a new match, or what has been added to one."""
        values = (
            match,
            touched,
            record.game,
            json.dumps(record.rules),
            str(record.seed),
            json.dumps([seat.to_dict() for seat in record.seats]),
            json.dumps(record.committed),
            json.dumps(record.notes),
        )
        with self._lock, self._file:
            self._file.execute(
                "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " touched = excluded.touched, committed = excluded.committed,"
                " notes = excluded.notes",
                values,
            )
            (saved,) = self._file.execute(
                "SELECT count(*) FROM steps WHERE match = ?", (match,)
            ).fetchone()
            self._file.executemany(
                "INSERT INTO steps VALUES (?, ?, ?)",
                [
                    (match, number, json.dumps(actions))
                    for number, actions in enumerate(record.actions[saved:], saved)
                ],
            )

    def touch(self, matches: dict[str, float]) -> None:
        """Note when matches were touched last."""
        with self._lock, self._file:
            self._file.executemany(
                "UPDATE matches SET touched = ? WHERE id = ?",
                [(touched, match) for match, touched in matches.items()],
            )

    def delete(self, match: str) -> None:
        """Forget a match."""
        with self._lock, self._file:
            self._file.execute("DELETE FROM matches WHERE id = ?", (match,))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()
