"""Nucleotide BLAST."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Union

import numpy as np

from . import _native

#: Sequences: a file, or titles and letters.
Records = Union[str, "PathLike[str]", Sequence[tuple[str, str]]]

_INTEGERS = ["length", "mismatch", "gapopen", "qstart", "qend", "sstart", "send", "score"]
_NUMBERS = ["evalue", "bitscore"]


def _records(records: Records) -> str | list[tuple[str, str]]:
    if isinstance(records, (str, PathLike)):
        return fspath(records)
    return [(title, letters) for title, letters in records]


_FLAGS = {"lcase_masking", "no_greedy", "subject_besthit", "ungapped"}


def _words(options: dict[str, Any]) -> list[str]:
    """Options as words of NCBI's command line."""
    words = []
    for name, value in options.items():
        if value is True and name in _FLAGS:
            words.append(f"-{name}")
        elif isinstance(value, bool):
            if name not in _FLAGS:
                words += [f"-{name}", str(value).lower()]
        elif value is not None:
            words += [f"-{name}", str(value)]
    return words


def blastn(
    query: Records,
    db: Records,
    *,
    task: Literal["blastn", "blastn-short", "dc-megablast", "megablast"] = "megablast",
    table: Literal["auto", "arrow", "numpy"] = "auto",
    device: str = "auto",
    threads: int | None = None,
    **options: Any,
) -> Any:
    """The alignments of queries in a database, a row each, in the order of NCBI's ``blastn -outfmt 6``.

    ``query`` and ``db`` are files of FASTA or lists of titles and letters; ``db`` may also be a database that ``gpualign makedb`` made. Further
    options have NCBI's names, such as ``evalue=1e-5, word_size=20, max_target_seqs=5, strand="plus", dust="no"``.

    The table is one of pyarrow if that is installed, or of NumPy (a structured array). Its columns are qaccver, saccver, pident,
    length, mismatch, gapopen, qstart, qend, sstart, send, evalue, bitscore and score.
    """
    if table not in ("auto", "arrow", "numpy"):
        raise ValueError("table is 'auto', 'arrow' or 'numpy'")
    taken = {"query", "db", "subject", "out", "outfmt", "num_threads", "device_memory", "shard"}
    for name in options:
        if name in taken:
            raise ValueError(f"{name} is no option of this function")
    subjects = _records(db)
    path = Path(subjects) if isinstance(subjects, str) else None
    is_database = path is not None and (
        path.suffix == ".gpdb" or Path(f"{path}.gpdb").exists()
    )
    words = _words({"task": task, **options})
    found = _native.blastn(_records(query), subjects, is_database, words, device, threads)

    def numbers(name: str, kind: type) -> Any:
        return np.frombuffer(found[name], dtype=kind)

    def names(kind: str) -> list[str]:
        first = [(title.split() or [""])[0] for title in found[f"{kind}_titles"]]
        return [first[number] for number in numbers(kind, np.int64)]

    identity = 100.0 * numbers("identities", np.int64) / np.maximum(numbers("length", np.int64), 1)
    columns: dict[str, Any] = {"qaccver": names("query"), "saccver": names("subject"), "pident": identity}
    columns.update((name, numbers(name, np.int64)) for name in _INTEGERS[:-1])
    columns.update((name, numbers(name, np.float64)) for name in _NUMBERS)
    columns["score"] = numbers("score", np.int64)
    if table != "numpy":
        try:
            pyarrow = import_module("pyarrow")
        except ImportError:
            if table == "arrow":
                raise
        else:
            return pyarrow.table(columns)
    arrays = {}
    for name, values in columns.items():
        # An empty list has no type of its own.
        kind = (str if len(values) else "U1") if name.endswith("accver") else None
        arrays[name] = np.asarray(values, dtype=kind)
    rows = np.empty(len(identity), dtype=[(name, array.dtype) for name, array in arrays.items()])
    for name, array in arrays.items():
        rows[name] = array
    return rows
